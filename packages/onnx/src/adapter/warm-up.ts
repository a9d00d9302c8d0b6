import {
  canonicalInputs,
  DreamloopError,
  ERROR_CODES,
  frameRgb8,
  isDreamloopError,
  modelInputs,
  neutralValue,
  stepRequest,
  videoChunk,
  type InputMapping,
  type Mapping,
} from "@dreamloop/core";
import { errorToRecord, FrameChecker, readMappedInputs } from "@dreamloop/core/internal";
import { filledTensor } from "../manifest/tensor.ts";
import { imageSize } from "../session/image-tensor.ts";
import type { InitialInputDeclaration, WorldManifest } from "../manifest/world-manifest.ts";
import { BundleSession } from "../session/bundle-session.ts";
import type { SessionWorld } from "../session/session-world.ts";

/** What a warm-up needs. */
export interface WarmUpOptions {
  /** The loaded world. */
  readonly world: SessionWorld;
  /** The mapping that feeds it. */
  readonly mapping: InputMapping;
  /** A word for each prompt input that needs one. */
  readonly exampleWords: ReadonlyMap<string, string>;
  /** Steps to run: the first of them, and the next where that is another pipeline. */
  readonly steps: number;
  /** Told each frame in order as packed RGB8, which may be read until the promise resolves. */
  readonly onFrame?: ((frame: Uint8Array) => void | Promise<void>) | undefined;
  /** Cancels it. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a rollout of a few steps with neutral action and example inputs; its frames have to pass the frame check. Throws
 * `bad_frame` for NaN and infinity, or what the step threw.
 */
export async function warmUpBundle(options: WarmUpOptions): Promise<void> {
  const { world } = options;
  try {
    await runSteps(options);
  } catch (error) {
    if (isDreamloopError(error, ERROR_CODES.cancelled)) throw error;
    const { code, message, details } = errorToRecord(error, ERROR_CODES.stepFailed);
    throw new DreamloopError(code, `warm-up of world ${JSON.stringify(world.manifest.id)}: ${message}`, {
      cause: error,
      details: { ...details, stage: "warm-up" },
    });
  }
}

async function runSteps({ world, mapping, exampleWords, steps, onFrame, signal }: WarmUpOptions): Promise<void> {
  const seed = 0;
  const example = modelInputs({ initial: exampleInitial(world.manifest, exampleWords) });
  const started = readMappedInputs(
    mapping,
    "mapInitialInputs",
    mapping.mapInitialInputs({ modelInputs: example, state: mapping.createState(seed) }),
  );
  let { state } = started;
  const session = await BundleSession.start(world, started.inputs, { seed, signal, onClose: () => undefined });
  try {
    const checker = new FrameChecker();
    const canonical = canonicalInputs({ values: neutralValues(mapping) });
    for (let stepIndex = 0; stepIndex < steps && session.nextStepRequest() !== undefined; stepIndex += 1) {
      const request = stepRequest({ stepIndex });
      const mapped = readMappedInputs(
        mapping,
        "mapStepInputs",
        mapping.mapStepInputs({ canonical, request, modelInputs: modelInputs(), state }),
      );
      state = mapped.state;
      const stepOptions = signal === undefined ? {} : { signal };
      const given = mapped.inputs.withStep({ ...exampleStep(world.manifest), ...mapped.inputs.step });
      const { output } = await session.step(given, stepOptions);
      if (output !== undefined) {
        const chunk = videoChunk(output);
        checker.check(chunk);
        for (let frame = 0; frame < chunk.frameCount && onFrame !== undefined; frame += 1) {
          await onFrame(frameRgb8(chunk, frame));
        }
      }
      await session.finalizeStep(stepOptions);
    }
  } finally {
    session.close();
  }
}

function neutralValues(mapping: InputMapping): Readonly<Record<string, Mapping>> {
  const values: Record<string, Mapping> = {};
  for (const modality of [...mapping.consumes, ...mapping.consumesOptional]) {
    const neutral = neutralValue(modality);
    if (neutral !== undefined) values[modality.name] = neutral;
  }
  return values;
}

/** The least that a rollout can start with. Inputs from the domain are made by the mapping. */
function exampleInitial(manifest: WorldManifest, words: ReadonlyMap<string, string>): Record<string, unknown> {
  const { initial, alternatives } = manifest.inputs;
  const chosen = new Set(alternatives[0] ?? []);
  const inChoice = new Set(alternatives.flat());
  const example: Record<string, unknown> = {};
  for (const [name, input] of Object.entries(initial)) {
    const isNeeded = chosen.has(name) || (input.required && !inChoice.has(name));
    const hasDefault = "default" in input && input.default !== undefined;
    if (!isNeeded || hasDefault || (input.type === "tensor" && input.from === "domain")) continue;
    example[name] = exampleOf(input, words.get(name));
  }
  return example;
}

/** Zeros for what only a caller can give in each step. */
function exampleStep(manifest: WorldManifest): Record<string, unknown> {
  const example: Record<string, unknown> = {};
  for (const [name, input] of Object.entries(manifest.inputs.step)) {
    if (input.type !== "tensor" || input.from === "domain" || input.neutral !== undefined) continue;
    example[name] = filledTensor(input.dtype, input.shape).data;
  }
  return example;
}

function exampleOf(input: InitialInputDeclaration, word: string | undefined): unknown {
  switch (input.type) {
    case "prompt":
      return word ?? "";
    case "choice":
      return Object.keys(input.choices)[0];
    case "image": {
      const [height, width] = imageSize(input);
      const data = new Uint8Array(width * height * 3).fill(128);
      return { width, height, format: "rgb8", layout: "thwc", colorSpace: "srgb", range: "full", data };
    }
    case "tensor":
      return filledTensor(input.dtype, input.shape).data;
  }
}
