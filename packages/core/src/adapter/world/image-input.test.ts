import { describe, expect, it } from "vitest";
import { inferenceConfig } from "../../model/inference-config.ts";
import { modelInputs } from "../../mapping/model-inputs.ts";
import { stepResult } from "../../model/step-result.ts";
import { defineWorld } from "./define-world.ts";
import { input } from "./input.ts";

const PICTURE = {
  width: 2,
  height: 1,
  format: "rgb8",
  layout: "thwc",
  colorSpace: "srgb",
  range: "full",
  data: Uint8Array.of(1, 2, 3, 4, 5, 6),
} as const;

const pictured = defineWorld({
  id: "pictured",
  video: { width: 2, height: 1, framesPerSecond: 10 },
  inputs: { initial: { first: input.image({ width: 2, height: 1 }) } },
  step: ({ initial }) => ({ frames: initial.first.data }),
});

async function firstFrame(first: unknown): Promise<number[]> {
  const runtime = await pictured.createRuntime(inferenceConfig({ modelId: pictured.modelId }), {});
  const session = await runtime.startSession(modelInputs({ initial: { first } }), { seed: 1 });
  return [...(stepResult(await session.step(modelInputs({}), {})).output?.data ?? [])];
}

describe("input.image", () => {
  it("tells the size that it wants, and gives the world packed bytes", async () => {
    expect(pictured.modelInputSchema.initialFields[0].metadata).toEqual({ type: "image", width: 2, height: 1 });
    expect(await firstFrame(PICTURE)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it.each<[string, unknown, RegExp]>([
    ["of another size", { ...PICTURE, height: 2, data: new Uint8Array(12) }, /first: expected one frame of 2×1 .*2×2/],
    ["that moves", { ...PICTURE, data: new Uint8Array(12) }, /expected one frame .*"2 of 2×1/],
    ["of another format", { ...PICTURE, format: "rgba8", data: new Uint8Array(8) }, /expected one frame .*rgba8/],
    ["that is a path", "photo.jpg", /first: .*VideoChunk/],
    ["that is not there", undefined, /missing required "first"/],
  ])("refuses a picture %s", async (_, picture, words) => {
    await expect(firstFrame(picture)).rejects.toThrow(words);
  });
});
