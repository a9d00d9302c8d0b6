import { ERROR_CODES, throwIfCancelled } from "../foundation/dreamloop-error.ts";
import { assertRuntime } from "../model/assert-runtime.ts";
import type { Waits } from "../foundation/time/wait-guard.ts";
import { configOfCandidate } from "../model/inference-config.ts";
import type { InferenceRuntime } from "../model/inference-session.ts";
import { Rollout } from "../rollout/rollout.ts";
import { freshInputState, type RunPlan } from "../rollout/run-plan.ts";
import { closeNamed } from "../rollout/session-calls.ts";
import { asStepError } from "../rollout/step-contract.ts";
import type { MetricsRecorder } from "../foundation/metrics/metrics-recorder.ts";
import type { RestoredPosition } from "../snapshot/restore-state.ts";
import { stateBinding, type StateBinding } from "../snapshot/state-binding.ts";
import { goOnFrom, originOf } from "./go-on-from.ts";
import type { Cleanup } from "./cleanup.ts";
import { refuseSecondPacer } from "./pacer.ts";
import { lifecycle } from "./run-metrics.ts";
import type { RunServices } from "./run-options.ts";
import { FRAME_WARNING_TEXTS, type WarningCounter } from "./run-warnings.ts";
import { tellObservers } from "./tell-observers.ts";

/** A run that has started, and where it is. */
export interface StartedRun extends RestoredPosition {
  /** The session with the state of its converters and mapping. */
  readonly rollout: Rollout;
  /** What its states belong to. */
  readonly binding: StateBinding;
}

/**
 * The first half of the standard loop, in its order, after the plan: fresh converter and mapping state → map initial inputs →
 * create runtime → start session → restore the moment to go on from. What is made is added to `cleanup` as soon as it exists. Observers are told of the start.
 */
export async function startRollout(
  plan: RunPlan,
  services: RunServices,
  run: { readonly cleanup: Cleanup; readonly warnings: WarningCounter; readonly waits: Waits },
  how: { readonly realtime: boolean; readonly dropRefusedUpdates: boolean },
): Promise<StartedRun> {
  const { metrics, clock, signal, from, history } = services;
  const { cleanup, warnings, waits } = run;
  if (history !== undefined) cleanup.add(() => history.close());
  for (const { name, inputs } of plan.droppedMappings) {
    warnings.warn({
      kind: "mapping_dropped",
      message: `mapping ${JSON.stringify(name)} is left out: the source cannot feed it, so ${inputs.join(", ")} will not change`,
    });
  }
  const fresh = freshInputState(plan, plan.requestedInputs, plan.seed);
  const loadStart = clock.nowSeconds();
  const runtime = services.runtime ?? (await loadRuntime(plan, services, cleanup, waits));
  if (how.realtime && runtime.ownsPacing === true)
    refuseSecondPacer(`the runtime of ${JSON.stringify(plan.adapter.modelId)}`);
  const sessionStart = clock.nowSeconds();
  const rollout = await Rollout.start(plan, runtime, fresh, {
    checkFrames: services.checkFrames,
    stages: services.stages,
    clock,
    signal,
    waits,
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
  const runtimeFacts = runtime.facts?.() ?? {};
  const binding = stateBinding(plan, rollout.description, runtimeFacts);
  const position = await goOnFrom(rollout, { from, here: binding, warnings, signal });
  metrics?.record(lifecycle("runtime_load", sessionStart - loadStart));
  metrics?.record(lifecycle("session_start", clock.nowSeconds() - sessionStart));
  await tellObservers(services.observers, waits, (observer) =>
    observer.runStarted?.({
      config: plan.config,
      candidateIndex: plan.candidateIndex,
      description: rollout.description,
      seed: rollout.seed,
      sourceSchema: plan.sourceSchema,
      initialInputs: fresh.initialInputs,
      requestedInputs: plan.requestedInputs,
      versions: plan.versions,
      runtimeFacts,
      ...(from === undefined ? {} : { origin: originOf(rollout, position, from) }),
    }),
  );
  return { rollout, binding, ...position };
}

/** Closes the recorder of measurements with the run. */
export function closeWithRun(cleanup: Cleanup, metrics: MetricsRecorder, waits: Waits): void {
  cleanup.add(() => waits.wait({ what: "the close of the metrics", kind: "close" }, () => metrics.close()));
}

async function loadRuntime(
  { adapter, config, candidateIndex }: RunPlan,
  { signal, onProgress }: RunServices,
  cleanup: Cleanup,
  waits: Waits,
): Promise<InferenceRuntime> {
  const what = `the load of ${JSON.stringify(adapter.modelId)}`;
  let runtime: unknown;
  try {
    runtime = await waits.wait<unknown>(
      { what, kind: "load", free: (late) => (late as Partial<InferenceRuntime> | undefined)?.close?.() },
      async () => adapter.createRuntime(configOfCandidate(config, candidateIndex), { signal, onProgress }),
    );
  } catch (error) {
    throw asStepError(error, what, ERROR_CODES.loadFailed, signal);
  }
  assertRuntime(runtime);
  const loaded = runtime;
  cleanup.add(() => closeNamed(loaded, `the close of ${JSON.stringify(adapter.modelId)}`, waits));
  throwIfCancelled(signal, "the load");
  return loaded;
}
