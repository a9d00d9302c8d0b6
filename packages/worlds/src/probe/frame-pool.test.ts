import { describe, expect, test } from "vitest";
import { FramePool } from "./frame-pool.ts";

describe("FramePool", () => {
  test("a buffer is lent again only after it was released", () => {
    const pool = new FramePool(() => new Uint8Array(4));
    const first = pool.take();
    const second = pool.take();
    expect(second.data).not.toBe(first.data);
    first.release();
    expect(pool.take().data).toBe(first.data);
  });

  test("a second release is ignored, so that no buffer is lent twice at a time", () => {
    const pool = new FramePool(() => new Uint8Array(4));
    const loan = pool.take();
    loan.release();
    const again = pool.take();
    loan.release();
    expect(pool.take().data).not.toBe(again.data);
  });

  test("what comes back beyond four buffers, or after closing, is not kept", () => {
    const pool = new FramePool(() => new Uint8Array(4));
    const loans = Array.from({ length: 9 }, () => pool.take());
    loans.slice(0, 8).forEach((loan) => loan.release());
    expect(pool.freeCount).toBe(4);
    pool.close();
    loans[8].release();
    expect(pool.freeCount).toBe(0);
  });
});
