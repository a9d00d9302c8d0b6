import {
  canonicalModality,
  DreamloopError,
  ERROR_CODES,
  inputMapping,
  modelInputSchema,
  sessionDescription,
  throwIfCancelled,
  type Clock,
  type InputMapping,
  type ModelAdapter,
  type ModelInputSchema,
  type ModelInputSchemaInput,
  type PixelFormat,
  type SessionDescription,
  type SessionDescriptionInput,
} from "@dreamloop/core";
import { closedError, FAILURE_POINTS, FailurePlan } from "./failure-plan.ts";
import { FakeSession } from "./fake-session.ts";

/** How a fake world behaves; everything may be left out. */
export interface FakeWorldOptions {
  /** Identity of the adapter; default `fake`. */
  readonly modelId?: string;
  /** Pixels a row; default 2. */
  readonly width?: number;
  /** Rows; default 2. */
  readonly height?: number;
  /** Frames per second of the world's timeline; default 2, so that the first window is [0, 0.5). */
  readonly framesPerSecond?: number;
  /** Frames of each step; default 1. */
  readonly framesPerStep?: number;
  /** Frames of the first step; default `framesPerStep`. */
  readonly firstStepFrames?: number;
  /** `rgb8` or `rgbf32`; default `rgb8`. */
  readonly format?: Exclude<PixelFormat, "rgba8">;
  /** Steps of a rollout; default 2; `Infinity` never ends. */
  readonly stepCount?: number;
  /** Clock on which loading, steps and finalising take their time; without one they take none. */
  readonly clock?: Clock;
  /** Seconds that loading takes; default 0. */
  readonly loadSeconds?: number;
  /** Seconds that a step takes; default 0. */
  readonly stepSeconds?: number;
  /** Seconds that finalising takes; default 0. */
  readonly finalizeSeconds?: number;
  /** Whether sessions have `finalizeStep` and `discardStep`; default false. */
  readonly finalizes?: boolean;
  /** Whether sessions have `snapshot` and `restore`; default true. */
  readonly snapshots?: boolean;
  /** Sessions at a time; default 1. */
  readonly maxSessions?: number;
  /** The step whose last value is NaN; needs `rgbf32`. */
  readonly nanAtStep?: number;
  /** What the model needs; default an optional prompt that may be updated, an optional `scene` and an optional step field `action`. */
  readonly modelInputSchema?: ModelInputSchemaInput;
  /** The mapping; default the fake's own, which sets `action` to the number of actions held. */
  readonly mapping?: InputMapping;
  /** Calls that fail; default none. */
  readonly failures?: FailurePlan;
  /** Where calls are noted in their order; share it with a target to see the order over both. */
  readonly log?: string[];
}

/** What is open at the moment; back at zero when everything was closed and released. */
export interface FakeWorldCounts {
  /** Runtimes that are not closed. */
  openRuntimes: number;
  /** Sessions that are not closed. */
  openSessions: number;
  /** Chunks whose `release` was not called. */
  chunksOut: number;
  /** Calls of `release` beyond the first of a chunk; always 0 with a driver that counts. */
  doubleReleases: number;
}

/** A fake world with what a test may look at. */
export interface FakeWorld {
  /** The adapter to hand to a driver. */
  readonly adapter: ModelAdapter;
  /** The calls so far, such as `session.step 0`. */
  readonly log: readonly string[];
  /** What is open at the moment. */
  readonly counts: Readonly<FakeWorldCounts>;
  /** The plan of failures, with its counts of calls. */
  readonly failures: FailurePlan;
}

/** The options after defaults, for the parts of the fake. */
export interface ResolvedFakeWorldOptions {
  /** Steps of a rollout. */
  readonly stepCount: number;
  /** Clock of everything that takes time. */
  readonly clock: Clock | undefined;
  /** Seconds that a step takes. */
  readonly stepSeconds: number;
  /** Seconds that finalising takes. */
  readonly finalizeSeconds: number;
  /** Whether sessions have `finalizeStep`. */
  readonly finalizes: boolean;
  /** Whether sessions have `snapshot`. */
  readonly snapshots: boolean;
  /** The step whose last value is NaN. */
  readonly nanAtStep: number | undefined;
  /** Calls that fail. */
  readonly failures: FailurePlan;
  /** Where calls are noted. */
  readonly log: string[];
}

const DEFAULT_SCHEMA: ModelInputSchemaInput = {
  initialFields: [
    { name: "prompt", required: false, updatePolicy: "step_boundary" },
    { name: "scene", required: false },
  ],
  stepFields: [{ name: "action", required: false, modality: "actions" }],
};

/**
 * Makes a small world for tests of drivers, targets and hosts: two steps of 2×2 pixels by default, every pixel dependent on all inputs
 * and the seed, failures at any point, time on a fake clock. It keeps every rule that the conformance suites check.
 */
export function fakeWorld(options: FakeWorldOptions = {}): FakeWorld {
  const failures = options.failures ?? new FailurePlan();
  const log = options.log ?? [];
  const modelId = options.modelId ?? "fake";
  const counts: FakeWorldCounts = { openRuntimes: 0, openSessions: 0, chunksOut: 0, doubleReleases: 0 };
  const description = describe(options, modelId);
  const schema: ModelInputSchema = modelInputSchema(options.modelInputSchema ?? DEFAULT_SCHEMA);
  const resolved: ResolvedFakeWorldOptions = {
    stepCount: options.stepCount ?? 2,
    clock: options.clock,
    stepSeconds: options.stepSeconds ?? 0,
    finalizeSeconds: options.finalizeSeconds ?? 0,
    finalizes: options.finalizes ?? false,
    snapshots: options.snapshots ?? true,
    nanAtStep: options.nanAtStep,
    failures,
    log,
  };
  const adapter: ModelAdapter = {
    modelId,
    version: "1",
    title: "Fake",
    modelInputSchema: schema,
    defaultInputMapping: () => options.mapping ?? fakeMapping(failures, log),
    validateConfig: () => {
      log.push("adapter.validateConfig");
      failures.pass(FAILURE_POINTS.validateConfig);
    },
    describe: () => description,
    createRuntime: async (_config, { signal, onProgress }) => {
      log.push("adapter.createRuntime");
      onProgress?.({ stage: "load", fraction: 0 });
      const { clock } = options;
      if (clock !== undefined && options.loadSeconds !== undefined)
        await clock.sleepUntil(clock.nowSeconds() + options.loadSeconds, signal);
      throwIfCancelled(signal, "FakeAdapter.createRuntime");
      failures.pass(FAILURE_POINTS.createRuntime);
      onProgress?.({ stage: "load", fraction: 1 });
      counts.openRuntimes += 1;
      const maxSessions = options.maxSessions ?? 1;
      let sessions: FakeSession[] = [];
      let closed = false;
      return {
        maxSessions,
        describe: () => description,
        facts: () => ({ engine: "fake" }),
        startSession: (inputs, { seed, signal: startSignal }) => {
          log.push("runtime.startSession");
          if (closed) throw closedError("FakeRuntime.startSession");
          throwIfCancelled(startSignal, "FakeRuntime.startSession");
          failures.pass(FAILURE_POINTS.startSession);
          sessions = sessions.filter((session) => !session.isClosed);
          if (sessions.length >= maxSessions) {
            const message = `FakeRuntime.startSession: all ${maxSessions} sessions are taken; close one first`;
            throw new DreamloopError(ERROR_CODES.busy, message, { retryable: true });
          }
          const session = new FakeSession({ options: resolved, description, counts }, inputs, seed);
          sessions.push(session);
          return session;
        },
        close: () => {
          if (closed) return;
          closed = true;
          counts.openRuntimes -= 1;
          log.push("runtime.close");
          failures.pass(FAILURE_POINTS.closeRuntime);
        },
      };
    },
  };
  return { adapter, log, counts, failures };
}

function describe(options: FakeWorldOptions, worldId: string): SessionDescription {
  const format = options.format ?? "rgb8";
  const input: SessionDescriptionInput = {
    worldId,
    width: options.width ?? 2,
    height: options.height ?? 2,
    framesPerSecond: options.framesPerSecond ?? 2,
    framesPerStep: options.framesPerStep ?? 1,
    format,
    range: format === "rgbf32" ? "unit" : "full",
    deterministic: true,
    ...(options.firstStepFrames === undefined ? {} : { firstStepFrames: options.firstStepFrames }),
  };
  return sessionDescription(input);
}

function fakeMapping(failures: FailurePlan, log: string[]): InputMapping {
  return inputMapping<{ readonly steps: number }>({
    name: "fake",
    consumesOptional: [
      canonicalModality({ name: "actions", payloadFields: ["held"] }),
      canonicalModality({ name: "conditioning" }),
    ],
    producesStep: ["action"],
    producesUpdate: ["prompt"],
    validate: () => {
      log.push("mapping.validate");
      failures.pass(FAILURE_POINTS.validateMapping);
    },
    createState: () => ({ steps: 0 }),
    mapInitialInputs: ({ modelInputs, state }) => {
      failures.pass(FAILURE_POINTS.mapInitialInputs);
      return { inputs: modelInputs, state };
    },
    mapStepInputs: ({ canonical, modelInputs, state }) => {
      const held = canonical.values.actions?.held;
      const prompt = canonical.values.conditioning?.prompt;
      const withAction = modelInputs.withStep({
        ...modelInputs.step,
        action: Array.isArray(held) ? held.length : (modelInputs.step.action ?? 0),
      });
      const inputs = typeof prompt === "string" ? withAction.withUpdate({ ...modelInputs.update, prompt }) : withAction;
      failures.pass(FAILURE_POINTS.mapStepInputs);
      return { inputs, state: { steps: state.steps + 1 } };
    },
  });
}
