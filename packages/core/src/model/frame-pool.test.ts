import { describe, expect, test } from "vitest";
import { FramePool } from "./frame-pool.ts";

describe("FramePool", () => {
  test("a buffer is lent again only after it was released", () => {
    const pool = new FramePool("rgb8");
    const first = pool.take(12);
    const second = pool.take(12);
    expect(second.data).not.toBe(first.data);
    first.release();
    expect(pool.take(12).data).toBe(first.data);
  });

  test("a second release is ignored, so that no buffer is lent twice at a time", () => {
    const pool = new FramePool("rgb8");
    const loan = pool.take(12);
    loan.release();
    const again = pool.take(12);
    loan.release();
    expect(pool.take(12).data).not.toBe(again.data);
  });

  test("what comes back beyond four buffers, or after closing, is not kept", () => {
    const pool = new FramePool("rgb8");
    const loans = Array.from({ length: 9 }, () => pool.take(12));
    loans.slice(0, 8).forEach((loan) => loan.release());
    expect(pool.freeCount).toBe(4);
    pool.close();
    loans[8].release();
    expect(pool.freeCount).toBe(0);
  });

  test("a buffer is lent only for its own length and format", () => {
    const pool = new FramePool("rgbf32");
    pool.take(12).release();
    const other = pool.take(24);
    expect(other.data).toEqual(new Float32Array(24));
    expect(pool.freeCount).toBe(1);
  });
});
