import { readFileSync } from "node:fs";
import { eventListSource, runBatch, type OutputTarget, type UserInputEventInput } from "@dreamloop/core";
import { FakeClock } from "@dreamloop/testing";
import { describe, expect, it } from "vitest";
import world from "./tiny-world.mjs";

const WIDTH = 192;

/** The frames of two seconds with these events. */
async function play(events: readonly UserInputEventInput[], prompt?: string): Promise<readonly Uint8Array[]> {
  const frames: Uint8Array[] = [];
  const target: OutputTarget = {
    open: async () => undefined,
    write: async ({ output }) => void frames.push(Uint8Array.from(output?.data ?? [])),
    close: async () => [],
  };
  await runBatch({
    adapter: world,
    clock: new FakeClock(),
    source: eventListSource({ events, endSeconds: 2 }),
    outputs: [target],
    seed: 3,
    initialInputs: prompt === undefined ? {} : { initial: { prompt } },
  });
  return frames;
}

const press = (code: string): UserInputEventInput => ({
  timestampSeconds: 0,
  eventType: "key_down",
  payload: { code },
});

/** Where pixels have exactly this colour: their mean column and row. */
function centreOf(frame: Uint8Array | undefined, colour: readonly number[]): { x: number; y: number } {
  const found: number[] = [];
  for (let index = 0; frame !== undefined && index < frame.length; index += 3) {
    if (colour.every((value, channel) => frame[index + channel] === value)) found.push(index / 3);
  }
  const mean = (of: (pixel: number) => number): number =>
    found.reduce((sum, pixel) => sum + of(pixel), 0) / found.length;
  return { x: mean((pixel) => pixel % WIDTH), y: mean((pixel) => Math.floor(pixel / WIDTH)) };
}

describe("the tiny world", () => {
  it("is complete in fewer than 60 lines", () => {
    const source = readFileSync(new URL("./tiny-world.mjs", import.meta.url), "utf8");
    expect(source.trimEnd().split("\n").length).toBeLessThan(60);
  });

  it("gives 20 frames a second, the same ones for the same seed and events", async () => {
    const frames = await play([press("KeyA")]);
    const again = await play([press("KeyA")]);
    expect(frames).toHaveLength(40);
    expect(frames.every((frame, index) => Buffer.compare(frame, again[index] ?? new Uint8Array()) === 0)).toBe(true);
  });

  it("steers: left turns up, right turns down", async () => {
    const fire = [255, 120, 40];
    const [left, right] = [await play([press("KeyA")]), await play([press("KeyD")])];
    expect(centreOf(left[9], fire).y).toBeLessThan(centreOf(left[0], fire).y - 3);
    expect(centreOf(right[9], fire).y).toBeGreaterThan(centreOf(right[0], fire).y + 3);
  });

  it("brakes to a stand", async () => {
    const frames = await play([press("Space")]);
    expect(centreOf(frames[38], [255, 120, 40])).toEqual(centreOf(frames[39], [255, 120, 40]));
  });

  it("takes its colour from the prompt, also in the middle of a run", async () => {
    const ice = { timestampSeconds: 1, eventType: "prompt_set", payload: { prompt: "a comet of ice" } };
    const frames = await play([ice], "gold");
    expect(centreOf(frames[19], [255, 215, 90]).x).not.toBeNaN();
    expect(centreOf(frames[20], [90, 180, 255]).x).not.toBeNaN();
    expect(centreOf(frames[20], [255, 215, 90]).x).toBeNaN();
  });
});
