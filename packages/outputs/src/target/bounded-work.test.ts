import { describe, expect, it } from "vitest";
import { BoundedWork } from "./bounded-work.ts";

describe("BoundedWork", () => {
  it("runs no more tasks at once than its bound", async () => {
    const work = new BoundedWork(2);
    const gates: (() => void)[] = [];
    let running = 0;
    let most = 0;
    const task = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => gates.push(resolve));
      running -= 1;
    };
    const starts = Promise.all([1, 2, 3, 4, 5].map(() => work.start(task)));
    for (let ended = 0; ended < 5; ended += 1) {
      while (gates.length === 0) await Promise.resolve();
      gates.shift()?.();
    }
    await starts;
    await work.drain();
    expect([most, running]).toEqual([2, 0]);
  });

  it("meets who comes next, and who waits for the end, with the first fault", async () => {
    const work = new BoundedWork(1);
    await work.start(() => Promise.reject(new Error("first")));
    await expect(work.start(() => Promise.resolve())).rejects.toThrow("first");
    await expect(work.drain()).rejects.toThrow("first");
    await work.settle();
  });
});
