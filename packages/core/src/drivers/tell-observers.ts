import { ERROR_CODES } from "../foundation/dreamloop-error.ts";
import { callNamed } from "./call-named.ts";
import type { Waits } from "../foundation/time/wait-guard.ts";
import type { UserInputs } from "../inputs/user-inputs.ts";
import type { StepOutcome } from "../rollout/rollout-types.ts";
import type { RunObserver, StepRecord } from "../rollout/run-observer.ts";

/** Calls every observer in order and waits for each. */
export async function tellObservers(
  observers: readonly RunObserver[] | undefined,
  waits: Waits,
  tell: (observer: RunObserver) => void | Promise<void>,
): Promise<void> {
  for (const observer of observers ?? []) {
    const wait = { what: "an observer of the run", kind: "output", code: ERROR_CODES.observerFailed } as const;
    const answer = callNamed(waits, wait, () => tell(observer));
    if (answer !== undefined) await answer;
  }
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
