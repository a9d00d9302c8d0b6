import { expect, it } from "vitest";
import { FakeClock } from "@dreamloop/testing";
import { LivePresenter, sessionDescription, stepResult } from "../index.ts";
import { PresentationQueue } from "./presentation-queue.ts";

it("a chunk is not given back while a frame of it is still read, whatever is dropped meanwhile", () => {
  const done: string[] = [];
  const queue = new PresentationQueue<string>({
    framesPerSecond: 1,
    maxDueFrames: 1,
    onDone: (chunk) => done.push(chunk),
  });
  queue.push({ chunk: "a", frameCount: 2, firstDueSeconds: 0, generation: 0 });
  queue.push({ chunk: "b", frameCount: 1, firstDueSeconds: 2, generation: 0 });
  queue.advance(0);
  const reading = queue.take();
  queue.advance(2);
  expect(queue.drops.overdue).toBe(1);
  expect(done).toEqual([]);
  if (reading !== undefined) queue.done(reading);
  expect(done).toEqual(["a"]);
});

it("a new generation takes a chunk back only when its frame is no longer read", () => {
  const done: string[] = [];
  const queue = new PresentationQueue<string>({ framesPerSecond: 1, onDone: (chunk) => done.push(chunk) });
  queue.push({ chunk: "a", frameCount: 3, firstDueSeconds: 0, generation: 0 });
  queue.advance(0);
  const reading = queue.take();
  queue.beginGeneration(1);
  expect(done).toEqual([]);
  if (reading !== undefined) queue.done(reading);
  expect(done).toEqual(["a"]);
});

it("a presenter whose target refused a frame stops, tells it once and gives every chunk back", async () => {
  const clock = new FakeClock();
  const errors: unknown[] = [];
  let writes = 0;
  let released = 0;
  const write = (): never => {
    writes += 1;
    throw new Error("torn");
  };
  const target = { open: () => undefined, write, close: () => [] };
  const presenter = new LivePresenter({ clock, target, onError: (error) => errors.push(error) });
  await presenter.open(
    sessionDescription({ worldId: "a", width: 1, height: 1, framesPerSecond: 10, framesPerStep: 2 }),
  );
  for (let step = 0; step < 3; step += 1) {
    const output = { width: 1, height: 1, format: "rgb8", layout: "thwc", colorSpace: "srgb", range: "full" } as const;
    const result = stepResult({ stepIndex: step, output: { ...output, data: new Uint8Array(6) } });
    presenter.push(result, clock.nowSeconds(), () => (released += 1));
    await clock.advance(0.2);
  }
  await presenter.close();
  expect([writes, errors.length, released]).toEqual([1, 1, 3]);
});

it("C7: frames of an older generation are never presented after a reset, whether due, active, waiting or late", () => {
  const queue = new PresentationQueue<string>({ framesPerSecond: 10 });
  queue.push({ chunk: "old active", frameCount: 4, firstDueSeconds: 0, generation: 0 });
  queue.push({ chunk: "old waiting", frameCount: 4, firstDueSeconds: 0.4, generation: 0 });
  queue.advance(0.1);
  queue.beginGeneration(1);
  queue.push({ chunk: "new", frameCount: 2, firstDueSeconds: 0.2, generation: 1 });
  queue.push({ chunk: "old and late", frameCount: 3, firstDueSeconds: 0.2, generation: 0 });
  const shown: string[] = [];
  for (let now = 0.1; now < 2; now += 0.1) {
    queue.advance(now);
    for (let frame = queue.take(); frame !== undefined; frame = queue.take()) {
      shown.push(frame.chunk);
      queue.done(frame);
    }
  }
  expect(shown).toEqual(["new", "new"]);
  expect(queue.drops.generation).toBe(4 + 4 + 3);
});
