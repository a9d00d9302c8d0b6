import {
  eventListSource,
  runBatch,
  type OutputTarget,
  type StepResult,
  type UserInputEventInput,
} from "@dreamloop/core";
import { FakeClock } from "@dreamloop/testing";
import { describe, expect, test } from "vitest";
import { probeWorld } from "./probe-world.ts";
import { promptHash } from "./strip/check-codes.ts";
import { readProbeStrip } from "./strip/strip-reader.ts";
import { actionsOfBits, type ProbeStripValues } from "./strip/strip-values.ts";

const SIZE = { width: 64, height: 64 };

/** Reads every strip while the write lasts, and remembers which memory the pixels were in. */
class StripTarget implements OutputTarget {
  readonly seen: { readonly strip: ProbeStripValues; readonly result: StepResult }[] = [];
  readonly buffers = new Set<ArrayBufferLike>();

  open(): void {}

  write(result: StepResult): void {
    const { output } = result;
    if (output === undefined) return;
    this.buffers.add(output.data.buffer);
    const frameValues = output.width * output.height * 3;
    for (let frame = 0; frame < output.frameCount; frame += 1) {
      const data = output.data.subarray(frame * frameValues, (frame + 1) * frameValues);
      const strip = readProbeStrip({ data, ...SIZE });
      if (strip === undefined) throw new Error(`step ${result.stepIndex}: frame ${frame} has no readable strip`);
      this.seen.push({ strip, result });
    }
  }

  close(): readonly [] {
    return [];
  }
}

async function play(
  events: readonly UserInputEventInput[],
  stepLimit: number,
  runtimeOptions: Readonly<Record<string, number | boolean>> = {},
): Promise<StripTarget> {
  const target = new StripTarget();
  await runBatch({
    adapter: probeWorld,
    config: { modelId: "probe", runtimeOptions: { ...SIZE, framesPerSecond: 10, ...runtimeOptions } },
    initialInputs: { initial: { prompt: "sun" } },
    source: eventListSource({ events, endSeconds: 1000 }),
    outputs: [target],
    clock: new FakeClock(),
    seed: 3,
    stepLimit,
  });
  return target;
}

const key = (timestampSeconds: number, eventType: string, code: string): UserInputEventInput => {
  return { timestampSeconds, eventType, payload: { code, key: code } };
};

describe("the probe world in a run", () => {
  const events: readonly UserInputEventInput[] = [
    key(0.05, "key_down", "KeyW"),
    key(0.21, "key_down", "Space"),
    key(0.26, "key_up", "Space"),
    { timestampSeconds: 0.31, eventType: "mouse_move", payload: { deltaX: 4.5, deltaY: -2 } },
    { timestampSeconds: 0.33, eventType: "mouse_move", payload: { deltaX: 4.5, deltaY: -2 } },
    { timestampSeconds: 0.41, eventType: "prompt_set", payload: { prompt: "rain" } },
    { timestampSeconds: 0.55, eventType: "reset", payload: {} },
    key(0.85, "key_up", "KeyW"),
  ];

  test("A6: the strip shows the inputs of the window that the driver used for the frame, from key to pixel", async () => {
    const { seen } = await play(events, 10);
    const held = seen.map(({ strip }) => actionsOfBits(strip.heldBits).join("+"));
    // Windows of 0.1 s; the reset at 0.55 s is applied at the boundary after its window, and what is held is applied again.
    expect(held.slice(0, 5)).toEqual(["forward", "forward", "forward+jump", "forward", "forward"]);
    expect(seen.slice(0, 5).map(({ strip }) => [strip.lookSumX, strip.lookSumY])).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
      [9, -4],
      [9, -4],
    ]);
    const prompts = seen.map(({ strip }) => (strip.promptHash === promptHash("rain") ? "rain" : "sun"));
    expect(prompts).toEqual(["sun", "sun", "sun", "sun", ...Array.from({ length: 6 }, () => "rain")]);
    expect(held.at(-1)).toBe("");
    for (const { strip, result } of seen) {
      expect(strip.generation).toBe(result.generation);
      expect(strip.stepIndex).toBe(result.stepIndex);
      expect(strip.inputSequence).toBe(result.inputSequence);
    }
    expect(seen.map(({ strip }) => strip.generation).at(-1)).toBe(1);
  });

  test("a run with finalised steps shows the same", async () => {
    const plain = await play(events, 10, { framesPerStep: 2 });
    const finalised = await play(events, 10, { framesPerStep: 2, finalize: true });
    expect(finalised.seen.map(({ strip }) => strip)).toEqual(plain.seen.map(({ strip }) => strip));
  });

  test("a long run goes on in the same few buffers", async () => {
    const { seen, buffers } = await play([], 500, { framesPerStep: 2 });
    expect(seen).toHaveLength(1000);
    expect(seen.map(({ strip }) => strip.frameIndex)).toEqual(Array.from({ length: 1000 }, (_, index) => index));
    expect(buffers.size).toBeLessThanOrEqual(2);
  });
});
