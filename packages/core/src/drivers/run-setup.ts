import { configOfCandidate } from "../model/inference-config.ts";
import { DreamloopError, ERROR_CODES, throwIfCancelled } from "../foundation/dreamloop-error.ts";
import type { UserInputSchema } from "../inputs/user-input-schema.ts";
import { assertRuntime } from "../model/assert-runtime.ts";
import type { InferenceRuntime } from "../model/inference-session.ts";
import { METRIC_CATEGORIES } from "../foundation/metrics/runtime-metric-sample.ts";
import { CONSTANT_FRAMES, FRAME_WARNINGS, type FrameWarning } from "../model/frame-check.ts";
import { frameHashInput } from "../model/frame-pixels.ts";
import type { StepResult } from "../model/step-result.ts";
import { freshInputState, planRun } from "../rollout/run-plan.ts";
import { Rollout } from "../rollout/rollout.ts";
import { closeNamed, unlessCancelled } from "../rollout/session-calls.ts";
import { asStepError } from "../rollout/step-contract.ts";
import type { StepOutcome } from "../rollout/rollout-types.ts";
import type { RunObserver, StepRecord } from "../rollout/run-observer.ts";
import type { UserInputs } from "../inputs/user-inputs.ts";
import type { Cleanup } from "./cleanup.ts";
import type { RunOptions, RunWarning } from "./run-options.ts";

/** What the author of a world is told of odd frames. */
const FRAME_WARNING_TEXTS: Readonly<Record<FrameWarning, string>> = {
  [FRAME_WARNINGS.constant]: `frames look odd: ${CONSTANT_FRAMES} in a row had one and the same value everywhere; fine for a world at rest, else the model gives nothing`,
  [FRAME_WARNINGS.meanOutOfBand]:
    "a frame looks odd: its mean lies outside of its range (mean out of band); compare the declared range with the values",
  [FRAME_WARNINGS.varianceOutOfBand]:
    "a frame looks odd: its values vary more than its range allows (variance out of band); compare the declared range with the values",
};

/** Counts warnings by kind and passes them on. */
export class WarningCounter {
  /** Occurrences by kind. */
  readonly counts: Record<string, number> = {};
  readonly #tell: ((warning: RunWarning) => void) | undefined;

  /** `tell` hears of every warning. */
  constructor(tell: ((warning: RunWarning) => void) | undefined) {
    this.#tell = tell;
  }

  /** Counts one warning. */
  warn(warning: RunWarning): void {
    this.counts[warning.kind] = (this.counts[warning.kind] ?? 0) + 1;
    this.#tell?.(warning);
  }
}

/**
 * The first half of the standard loop, in its order: validate everything → fresh converter and mapping state → map initial inputs →
 * create runtime → start session. What is made is added to `cleanup` as soon as it exists. Observers are told of the start.
 */
export async function startRollout(
  options: RunOptions,
  sourceSchema: UserInputSchema | undefined,
  cleanup: Cleanup,
  warnings: WarningCounter,
  how: { readonly realtime: boolean; readonly dropRefusedUpdates: boolean },
): Promise<Rollout> {
  const { metrics, clock, signal } = options;
  if (metrics !== undefined) cleanup.add(() => metrics.close());
  throwIfCancelled(signal, "the run");
  const plan = planRun({ ...options, sourceSchema });
  for (const name of plan.droppedMappings) {
    warnings.warn({
      kind: "mapping_dropped",
      message: `mapping ${JSON.stringify(name)} is left out: the source cannot feed it`,
    });
  }
  const fresh = freshInputState(plan, plan.requestedInputs, plan.seed);
  const loadStart = clock.nowSeconds();
  const runtime =
    options.runtime ?? (await loadRuntime(options, configOfCandidate(plan.config, plan.candidateIndex), cleanup));
  if (how.realtime && runtime.ownsPacing === true)
    refuseSecondPacer(`the runtime of ${JSON.stringify(plan.adapter.modelId)}`);
  const sessionStart = clock.nowSeconds();
  const rollout = await Rollout.start(plan, runtime, fresh, {
    checkFrames: options.checkFrames,
    stages: options.stages,
    clock,
    signal,
    ...(how.dropRefusedUpdates
      ? {
          onUpdateRefused: (fields: readonly string[]) => {
            const message = `left out an update of ${fields.join(", ")}: only a start or a reset may change it`;
            warnings.warn({ kind: "update_refused", message, stepNumber: rollout.stepNumber });
          },
        }
      : {}),
    onFrameWarning: (kind) => {
      warnings.warn({
        kind,
        message: FRAME_WARNING_TEXTS[kind],
        stepNumber: rollout.stepNumber,
      });
    },
  });
  cleanup.add(() => rollout.close());
  metrics?.record(lifecycle("runtime_load", sessionStart - loadStart));
  metrics?.record(lifecycle("session_start", clock.nowSeconds() - sessionStart));
  await tellObservers(options.observers, (observer) =>
    observer.runStarted?.({
      config: plan.config,
      candidateIndex: plan.candidateIndex,
      description: rollout.description,
      seed: plan.seed,
      sourceSchema: plan.sourceSchema,
      initialInputs: fresh.initialInputs,
      requestedInputs: plan.requestedInputs,
      versions: plan.versions,
      runtimeFacts: runtime.facts?.() ?? {},
    }),
  );
  return rollout;
}

async function loadRuntime(
  options: RunOptions,
  config: Parameters<RunOptions["adapter"]["createRuntime"]>[0],
  cleanup: Cleanup,
): Promise<InferenceRuntime> {
  const { adapter, signal, onProgress } = options;
  let runtime: unknown;
  try {
    runtime = await unlessCancelled(async () => adapter.createRuntime(config, { signal, onProgress }), {
      signal,
      what: "the load",
      free: async (late) => (late as Partial<InferenceRuntime> | undefined)?.close?.(),
    });
  } catch (error) {
    throw asStepError(error, `the load of ${JSON.stringify(adapter.modelId)}`, ERROR_CODES.loadFailed);
  }
  assertRuntime(runtime);
  const loaded = runtime;
  cleanup.add(() => closeNamed(loaded, `the close of ${JSON.stringify(adapter.modelId)}`));
  throwIfCancelled(options.signal, "the load");
  return loaded;
}

/** Throws `invalid_state`: two components that pace the same session make it stutter. */
export function refuseSecondPacer(who: string): never {
  throw new DreamloopError(
    ERROR_CODES.invalidState,
    `${who} paces by its own clock, but the realtime driver's pacer owns the cadence; turn one of them off`,
  );
}

/** A duration that occurs once a run, in seconds. */
export function lifecycle(name: string, value: number): Parameters<NonNullable<RunOptions["metrics"]>["record"]>[0] {
  return { name, value, category: METRIC_CATEGORIES.lifecycle };
}

/** Calls every observer in order and waits for each. */
export async function tellObservers(
  observers: readonly RunObserver[] | undefined,
  tell: (observer: RunObserver) => void | Promise<void>,
): Promise<void> {
  for (const observer of observers ?? []) {
    const answer = tell(observer);
    if (answer !== undefined) await answer;
  }
}

/** Hashes every frame of a result, or nothing when no hasher is attached. */
export async function hashFrames(
  result: StepResult,
  hasher: RunOptions["frameHasher"],
): Promise<readonly string[] | undefined> {
  if (hasher === undefined) return undefined;
  if (result.output === undefined) return [];
  const hashes: string[] = [];
  for (let index = 0; index < result.output.frameCount; index += 1) {
    const digest = hasher.digest(frameHashInput(result.output, index));
    hashes.push(typeof digest === "string" ? digest : await digest);
  }
  return hashes;
}

/** Records what the model measured in a step. */
export function recordStepMetrics(metrics: RunOptions["metrics"], result: StepResult): void {
  if (metrics === undefined) return;
  const { stepIndex } = result;
  for (const sample of result.metrics)
    metrics.record(sample.stepIndex === undefined ? { ...sample, stepIndex } : sample);
}

/** What the driver knows of a committed step beside its outcome. */
export interface CommittedStep extends Pick<StepRecord, "stepNumber" | "window" | "discarded" | "timing"> {
  /** The inputs as the source gave them. */
  readonly inputs: UserInputs;
  /** Hashes of the frames. */
  readonly frameHashes: readonly string[] | undefined;
}

/** What observers are told of a committed step. */
export function stepRecord(outcome: StepOutcome, step: CommittedStep): StepRecord {
  const { inputs, frameHashes, timing, ...rest } = step;
  return {
    ...rest,
    result: outcome.result,
    events: inputs.events,
    modelInputs: outcome.modelInputs,
    canonicalSources: (outcome.canonical.metadata.canonicalSources ?? {}) as Readonly<Record<string, string>>,
    ...(frameHashes === undefined ? {} : { frameHashes }),
    ...(timing === undefined ? {} : { timing }),
  };
}
