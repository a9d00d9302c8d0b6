import { canonicalModality } from "../../canonical/canonical-inputs.ts";
import { deviceConverter } from "../../canonical/device-converter.ts";
import { runBatch } from "../../drivers/batch-driver.ts";
import { eventListSource } from "../../inputs/event-list-source.ts";
import { userInputSchema } from "../../inputs/user-input-schema.ts";
import { inputMapping } from "../../mapping/input-mapping.ts";
import type { ModelAdapter } from "../../adapter/model-adapter.ts";
import { modelInputSchema } from "../../mapping/model-input-schema.ts";
import type { ModelInputs } from "../../mapping/model-inputs.ts";
import { sessionDescription } from "../../model/session-description.ts";
import type { StepResultInput } from "../../model/step-result.ts";
import type { FrameHasher } from "../../rollout/run-observer.ts";
import { toleranceText } from "../format/write-records.ts";
import { TraceEncoder } from "../trace-encoder.ts";

const DESCRIPTION = sessionDescription({
  worldId: "golden",
  width: 2,
  height: 1,
  framesPerSecond: 4,
  framesPerStep: 2,
  firstStepFrames: 1,
  deterministic: true,
});

const LEVEL = canonicalModality({ name: "level", payloadFields: ["value"] });

/** A world of two pixels that is complete in this file, so that its trace changes only with the format or the rules of the loop. */
export const goldenWorld: ModelAdapter = {
  modelId: "golden",
  version: "3",
  modelInputSchema: modelInputSchema({
    initialFields: [
      { name: "prompt", updatePolicy: "step_boundary" },
      { name: "picture", required: false },
    ],
    stepFields: [{ name: "level" }],
  }),
  converters: [
    deviceConverter<number>({
      name: "axis_level",
      version: "2",
      consumes: ["axis_set"],
      produces: LEVEL,
      createState: () => 0,
      convert: ({ events }, _window, state) => {
        const last = events.findLast(({ eventType }) => eventType === "axis_set");
        const value = typeof last?.payload.value === "number" ? last.payload.value : state;
        return { value: { value }, state: value };
      },
    }),
  ],
  defaultInputMapping: () =>
    inputMapping({
      name: "golden",
      version: "1.1",
      consumes: [LEVEL],
      producesStep: ["level"],
      producesUpdate: ["prompt"],
      mapStepInputs: ({ canonical, request, modelInputs, state }) => {
        const inputs = modelInputs.withStep({ level: canonical.values.level?.value });
        // A prompt that the world gives itself: the update stands in the trace.
        return { inputs: request.stepIndex === 2 ? inputs.withUpdate({ prompt: "rain" }) : inputs, state };
      },
    }),
  validateConfig: () => undefined,
  createRuntime: () => ({
    describe: () => DESCRIPTION,
    facts: () => ({ engine: "golden", weightsHash: "sha256:none", threads: 1 }),
    startSession: (inputs, { seed }) => startSession(inputs, seed),
    close: () => undefined,
  }),
};

function startSession(
  inputs: ModelInputs,
  startSeed: number,
): ReturnType<Awaited<ReturnType<ModelAdapter["createRuntime"]>>["startSession"]> {
  let stepIndex = 0;
  let seed = startSeed;
  let { initial } = inputs;
  return {
    nextStepRequest: () => ({ stepIndex }),
    step: ({ step, update }): StepResultInput => {
      initial = { ...initial, ...update };
      const frameCount = stepIndex === 0 ? DESCRIPTION.firstStepFrames : DESCRIPTION.framesPerStep;
      const prompt = typeof initial.prompt === "string" ? initial.prompt.length : 0;
      const level = typeof step.level === "number" ? Math.floor(step.level * 100) : 0;
      const data = Uint8Array.from(
        { length: 6 * frameCount },
        (_, index) => (seed + level + prompt + stepIndex * 16 + index) & 255,
      );
      const result = {
        width: 2,
        height: 1,
        format: "rgb8",
        layout: "thwc",
        colorSpace: "srgb",
        range: "full",
      } as const;
      stepIndex += 1;
      return { stepIndex: stepIndex - 1, output: { ...result, data } };
    },
    reset: (options) => {
      stepIndex = 0;
      seed = options.seed ?? seed;
      initial = options.inputs?.initial ?? initial;
    },
    close: () => undefined,
  };
}

/** Runs the golden world and gives its trace: every kind of line, the values that JSON lacks, arrays in the line and outside of it. */
export async function recordGoldenTrace(hasher: FrameHasher): Promise<string> {
  let text = "";
  const encoder = new TraceEncoder({
    sink: { write: (lines) => void (text += lines) },
    hasher,
    dreamloopVersion: "0.0.0-golden",
    recordedAt: "2026-11-30T12:00:00.000Z",
    environment: { cpuModel: "Golden", cpuFlags: ["one", "two"], nodeVersion: "20.19.0" },
    inlineBytes: 16,
  });
  await runBatch({
    adapter: goldenWorld,
    clock: { nowSeconds: () => 0, sleepUntil: () => Promise.resolve() },
    seed: 11,
    stepLimit: 5,
    frameHasher: hasher,
    initialInputs: {
      initial: {
        prompt: "sun",
        picture: {
          pixels: Uint8Array.from({ length: 12 }, (_, index) => index),
          weights: new Float32Array(8).fill(0.5),
          special: [-0, NaN, -Infinity, 12345678901234567890n, { $: "a key like the tag" }],
        },
      },
    },
    source: eventListSource({
      schema: userInputSchema({ eventTypes: ["axis_set", "reset"] }),
      events: [
        { timestampSeconds: 0.1, eventType: "axis_set", payload: { name: "level", value: 0.5 }, source: "hand" },
        { timestampSeconds: 0.5, eventType: "axis_set", payload: { name: "level", value: -0.25 }, sourceEventId: "e2" },
        { timestampSeconds: 1.3, eventType: "reset", payload: { seed: 12 } },
      ],
    }),
    observers: [
      encoder,
      {
        stepCommitted: async ({ stepNumber }) => {
          if (stepNumber !== 1) return;
          await encoder.pauseChanged({ paused: true, timestampSeconds: 0.75 });
          await encoder.pauseChanged({ paused: false, timestampSeconds: 0.75 });
        },
      },
    ],
  });
  const measured = { comparedRuns: 2, stepCount: 4, frameCount: 7, maxDifference: 1, meanDifference: 0.25 };
  return text + toleranceText({ ...measured, minPsnrDecibels: 48.5, environment: { cpuModel: "Golden" } });
}
