import {
  DreamloopError,
  ERROR_CODES,
  throwIfCancelled,
  type InferenceConfig,
  type InferenceRuntime,
  type ModelAdapter,
} from "@dreamloop/core";
import { assertNeutralAction, moveObject } from "./motion.ts";
import { FramePainter } from "./paint/frame-painter.ts";
import { probeInputSchema, probeMapping } from "./probe-mapping.ts";
import { describeProbe, PROBE_MODEL_ID, probeOptionsOf, probeOptionsSchema } from "./probe-options.ts";
import { ProbeSession } from "./probe-session.ts";
import { hostStepCost, type StepCost } from "./step-cost.ts";

/** Version of what the probe world paints and simulates; traces of another version differ. */
export const PROBE_VERSION = "1";

/** How a probe world is made. */
export interface ProbeWorldOptions {
  /** How the simulated cost of loads and steps passes; default the host's timers. */
  readonly cost?: StepCost;
}

/**
 * Makes the adapter of the probe world, the instrument for latency, colour, order and loss: no weights, the same frames for the same
 * inputs on every machine, every input readable from the pixels.
 */
export function createProbeWorld({ cost = hostStepCost }: ProbeWorldOptions = {}): ModelAdapter {
  return Object.freeze<ModelAdapter>({
    modelId: PROBE_MODEL_ID,
    version: PROBE_VERSION,
    title: "Probe",
    description: "A measuring instrument: paints what it was told into every frame, in a form that programs read back.",
    modelInputSchema: probeInputSchema,
    runtimeOptionsSchema: probeOptionsSchema,
    supports: { modelOptions: ["framesPerStep"] },
    defaultInputMapping: () => probeMapping,
    validateConfig: (config) => void probeOptionsOf(config),
    describe: (config) => describeProbe(probeOptionsOf(config)),
    createRuntime: async (config, { signal, onProgress }) => {
      const { loadTimeSeconds, blocking } = probeOptionsOf(config);
      onProgress?.({ stage: "load", fraction: 0 });
      if (blocking) cost.block(loadTimeSeconds);
      else if (loadTimeSeconds > 0) await cost.wait(loadTimeSeconds, signal);
      throwIfCancelled(signal, "ProbeWorld.createRuntime");
      onProgress?.({ stage: "load", fraction: 1 });
      return createRuntime(config, cost);
    },
  });
}

function createRuntime(config: InferenceConfig, cost: StepCost): InferenceRuntime {
  const options = probeOptionsOf(config);
  const description = describeProbe(options);
  const { width, height, framesPerSecond, framesPerStep, firstStepFrames, format, layout } = description;
  assertNeutralAction(moveObject, framesPerSecond);
  const painter = new FramePainter(width, height, `${width}x${height} ${framesPerSecond} frames/s`);
  const configuration = JSON.stringify({
    width,
    height,
    framesPerSecond,
    framesPerStep,
    firstStepFrames,
    format,
    layout,
  });
  const sessions = new Set<ProbeSession>();
  let isClosed = false;
  const close = (): void => {
    isClosed = true;
    for (const session of sessions) session.close();
  };
  return {
    maxSessions: options.maxSessions,
    describe: () => description,
    facts: () => ({ engine: "probe", version: PROBE_VERSION }),
    startSession: (inputs, { seed, signal }) => {
      if (isClosed) {
        throw new DreamloopError(
          ERROR_CODES.closed,
          "ProbeRuntime.startSession: the runtime is closed; make a new one",
        );
      }
      throwIfCancelled(signal, "ProbeRuntime.startSession");
      if (sessions.size >= options.maxSessions) {
        throw new DreamloopError(
          ERROR_CODES.busy,
          `ProbeRuntime.startSession: all ${options.maxSessions} sessions are taken; close one or raise runtimeOptions.maxSessions`,
          { retryable: true },
        );
      }
      const onClose = (): void => void sessions.delete(session);
      const session = new ProbeSession({ options, description, painter, cost, configuration, onClose }, inputs, seed);
      sessions.add(session);
      return session;
    },
    close,
    [Symbol.asyncDispose]: async () => close(),
  };
}

/** The probe world on the host's timers. */
export const probeWorld: ModelAdapter = createProbeWorld();
