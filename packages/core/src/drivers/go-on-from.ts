import { DreamloopError, ERROR_CODES } from "../foundation/dreamloop-error.ts";
import { InputTracker } from "../inputs/input-tracker.ts";
import type { Rollout } from "../rollout/rollout.ts";
import type { RunOrigin } from "../rollout/run-observer.ts";
import type { RunPlanOptions } from "../rollout/run-plan.ts";
import { restoreState, type RestoredPosition } from "../snapshot/restore-state.ts";
import { positionOf } from "../snapshot/session-state.ts";
import { requireSameBinding, type StateBinding } from "../snapshot/state-binding.ts";
import type { RunFrom, RunOptions } from "./run-options.ts";
import type { WarningCounter } from "./run-warnings.ts";

/** What a run is planned with: that of the moment to go on from where there is one, since worlds may need their initial inputs to start at all. */
export function startOf({ from, initialInputs, seed }: RunOptions): Pick<RunPlanOptions, "initialInputs" | "seed"> {
  if (from === undefined) {
    return { ...(initialInputs === undefined ? {} : { initialInputs }), ...(seed === undefined ? {} : { seed }) };
  }
  if (initialInputs !== undefined || seed !== undefined) {
    throw new DreamloopError(
      ERROR_CODES.invalidValue,
      "RunOptions.from: the moment brings its initial inputs and its seed; leave initialInputs and seed out, or give from.seed",
    );
  }
  const { seed: itsSeed, initial } = from.state.rollout;
  return { initialInputs: { initial }, seed: itsSeed };
}

/**
 * Brings a fresh rollout to the moment that the run goes on from, if there is one. Throws `snapshot_refused` when it belongs to another world,
 * other weights, settings or another engine; other differences are warned of.
 */
export async function goOnFrom(
  rollout: Rollout,
  options: {
    readonly from: RunFrom | undefined;
    readonly here: StateBinding;
    readonly warnings: WarningCounter;
    readonly signal: AbortSignal | undefined;
  },
): Promise<RestoredPosition> {
  const { from, here, warnings, signal } = options;
  if (from === undefined) return { tracker: new InputTracker(), sessionSeconds: 0, timelineFrames: 0 };
  const { state, binding, allowOtherEngine, seed } = from;
  if (binding !== undefined) {
    const others = requireSameBinding(binding, here, allowOtherEngine === undefined ? {} : { allowOtherEngine });
    if (others.length > 0) {
      const message = `the moment was saved elsewhere (${others.join(", ")}); frames may differ from those of the uninterrupted run`;
      warnings.warn({ kind: "moment_environment", message });
    }
  }
  const position = await restoreState(rollout, state, {
    ...(seed === undefined ? {} : { seed }),
    ...(signal === undefined ? {} : { signal }),
  });
  // Steps and frames of this run count from 0; generation and step of the rollout go on.
  rollout.continueAs({ generation: positionOf(state).generation, stepNumber: 0 });
  return position;
}

/** What observers are told of the moment. */
export function originOf(rollout: Rollout, { sessionSeconds }: RestoredPosition, { moment }: RunFrom): RunOrigin {
  const { generation, stepIndex } = rollout;
  return { generation, stepIndex, sessionSeconds, ...(moment === undefined ? {} : { moment }) };
}
