import type { RunFrom } from "../../drivers/run-options.ts";
import { openMoment } from "../../snapshot/moment-file.ts";
import { PlannedHistory } from "../../snapshot/planned-history.ts";
import { InputCanonicalizer } from "../../canonical/input-canonicalizer.ts";
import { runPlannedBatch } from "../../drivers/batch-driver.ts";
import { DreamloopError, ERROR_CODES } from "../../foundation/dreamloop-error.ts";
import { assertModelAdapter } from "../../adapter/model-adapter.ts";
import type { ModelInputsInput } from "../../mapping/model-inputs.ts";
import type { RunPlanOptions } from "../../rollout/run-plan.ts";
import { oneOf, withDefault } from "../../foundation/validate/reader.ts";
import type { Trace } from "../read-trace.ts";
import { PayloadReader } from "../value/payload-reader.ts";
import { resolveValue } from "../value/resolve-value.ts";
import { RunComparison } from "./compare-run.ts";
import { environmentDifferences, requireSameRuntime, planReplay } from "./match-world.ts";
import { ReplayFeed } from "./replay-feed.ts";
import { REPLAY_LEVELS, type ReplayLevel, type ReplayOptions, type ReplayReport } from "./replay-options.ts";

/**
 * Runs a trace again and compares every frame and every model input with what was recorded. Throws `replay_refused`, before any step, when
 * the world, its weights, a version or the configuration is not the recorded one or content is missing; `replay_differs` naming the
 * first differing step and frame, unless differences are only to be reported; and what a batch run throws.
 */
export async function replayTrace(options: ReplayOptions): Promise<ReplayReport> {
  const { trace, adapter, frameHasher } = options;
  const level = withDefault(oneOf(REPLAY_LEVELS), REPLAY_LEVELS.userEvents)(options.level, "ReplayOptions.level");
  const stopAtDifference = options.onDifference !== "continue";
  const allowVersionMismatch = options.allowVersionMismatch === true;
  assertModelAdapter(adapter);
  requireReplayable(trace, level, stopAtDifference);
  const payloads = new PayloadReader(options.payloads, frameHasher);
  const feed = new ReplayFeed(trace, level, payloads);
  const asked = await planOptions(options, level, feed, payloads);
  const plan = planReplay(trace.header, { ...asked, sourceSchema: feed.schema }, { level, allowVersionMismatch });
  await feed.prepareStart();
  const comparison = new RunComparison({
    trace,
    hasher: frameHasher,
    stopAtDifference,
    onStart: (start) => {
      requireSameRuntime(trace.header, start, allowVersionMismatch);
      return environmentDifferences(trace.header, start, options.environment, level);
    },
  });
  const stepCount = Math.min(trace.steps.length, options.stepLimit ?? Infinity);
  const frameLimit = frameLimitOf(trace);
  const { clock, runtime, outputs, metrics, stages, checkFrames, onProgress, onStep, onWarning, waits, signal } =
    options;
  const targets = trace.steps.flatMap(({ rewind }) =>
    rewind === undefined ? [] : [{ generation: rewind.toGeneration, stepIndex: rewind.stepIndex }],
  );
  const from = await originOf(options, payloads);
  const run = await runPlannedBatch({
    plan,
    ...(from === undefined ? {} : { from }),
    ...(targets.length === 0 ? {} : { history: new PlannedHistory(targets) }),
    clock,
    runtime,
    outputs,
    metrics,
    stages,
    checkFrames,
    onProgress,
    onStep,
    onWarning,
    waits,
    signal,
    source: feed,
    frameHasher,
    // Other observers come first, so that they have seen the differing step too.
    observers: [...(options.observers ?? []), comparison],
    dropRefusedUpdates: true,
    stepLimit: stepCount,
    ...(frameLimit === undefined ? {} : { frameLimit }),
    windows: (stepNumber) => feed.window(stepNumber),
  });
  if (run.stepCount < stepCount && signal?.aborted !== true) {
    const last = trace.steps[run.stepCount];
    const { stepNumber, generation, stepIndex } = last;
    const found = `the world ended after ${run.stepCount}`;
    const at = { stepNumber, generation, stepIndex };
    throw comparison.differenceError({ what: "order", ...at, expected: `${stepCount} steps`, found });
  }
  const { first, differingSteps, comparedFrames, uncomparedSteps } = comparison;
  return {
    equal: differingSteps === 0 && uncomparedSteps === 0 && run.stepCount === stepCount,
    stepCount: run.stepCount,
    comparedFrames,
    differingSteps,
    uncomparedSteps,
    ...(first === undefined ? {} : { firstDifference: first }),
    environmentDifferences: comparison.environmentDifferences,
    run,
  };
}

function requireReplayable(trace: Trace, level: ReplayLevel, stopAtDifference: boolean): void {
  const { header, steps } = trace;
  if (level === REPLAY_LEVELS.modelInputs && !header.modelInputsRecorded) {
    throw new DreamloopError(
      ERROR_CODES.replayRefused,
      "the trace holds hashes of the model inputs but not the inputs themselves; record with --record-inputs, or replay at the level of user events",
    );
  }
  const unhashed = steps.filter(({ frameCount, frameHashes }) => frameCount > (frameHashes?.length ?? 0));
  if (stopAtDifference && unhashed.length > 0) {
    const which = unhashed.length === steps.length ? "" : ` of step ${unhashed[0].stepNumber}`;
    throw new DreamloopError(
      ERROR_CODES.replayRefused,
      `the trace has no frame hashes${which} to compare with; record with a frame hasher, or let the replay continue at differences`,
    );
  }
}

async function planOptions(
  options: ReplayOptions,
  level: ReplayLevel,
  feed: ReplayFeed,
  payloads: PayloadReader,
): Promise<Omit<RunPlanOptions, "sourceSchema">> {
  const { trace, adapter } = options;
  const { config, candidateIndex, seed, requestedInputs } = trace.header;
  const settled = { adapter, config, candidateIndex, seed };
  if (level === REPLAY_LEVELS.modelInputs) {
    return { ...settled, mapping: feed.mapping(adapter.modelInputSchema), canonicalizer: new InputCanonicalizer() };
  }
  const initialInputs = (await resolveValue(requestedInputs, "header.requestedInputs", payloads)) as ModelInputsInput;
  return { ...settled, initialInputs, mapping: options.mapping, canonicalizer: options.canonicalizer };
}

/** The moment that the recorded run went on from, if it did. */
async function originOf(options: ReplayOptions, payloads: PayloadReader): Promise<RunFrom | undefined> {
  const { header } = options.trace;
  const { origin } = header;
  if (origin === undefined) return undefined;
  if (origin.moment === undefined) {
    throw new DreamloopError(
      ERROR_CODES.replayRefused,
      "the recorded run went on from a moment that is not kept with the trace; record it from a moment file",
    );
  }
  const bytes = await payloads.content(origin.moment, "header.origin.moment");
  const { frameHasher: hasher, compressor } = options;
  const file = await openMoment(bytes, { hasher, ...(compressor === undefined ? {} : { compressor }) });
  const state = await file.state();
  // At the level of model inputs converters and mapping are others than those that the moment is bound to.
  const isBound = options.level !== REPLAY_LEVELS.modelInputs && options.allowVersionMismatch !== true;
  return { state, seed: header.seed, ...(isBound ? { binding: file.facts.binding } : {}) };
}

/** A run with a frame limit has cut its last chunk; a replay cuts it at the same frame. */
function frameLimitOf(trace: Trace): number | undefined {
  if (trace.footer === undefined) return undefined;
  const whole = trace.steps.reduce((sum, step) => sum + (step.discarded ? 0 : step.frameCount), 0);
  return whole > trace.footer.frameCount ? trace.footer.frameCount : undefined;
}
