import type { Source, Target } from "./reference.ts";

/** The parts of a pipeline, by when they run. */
export type Phase = "condition" | "start" | "step" | "finalize";

interface PhaseRule {
  /** Kinds of source that may be used. */
  readonly sources: readonly Source["kind"][];
  /** Kinds of target that may be written. */
  readonly targets: readonly Target["kind"][];
  /** Why not more, for the mend of a fault. */
  readonly reason: string;
}

const STEP_SOURCES: readonly Source["kind"][] = [
  ...(["fill", "initial", "step", "constant", "value", "noise"] as const),
  ...(["state", "state_property", "runtime", "sampler"] as const),
];

/** What each phase may read and write. */
export const PHASE_RULES: Readonly<Record<Phase, PhaseRule>> = {
  condition: {
    sources: ["fill", "initial", "constant", "value"],
    targets: ["value"],
    reason: "What runs here must depend on initial inputs alone, since it runs again when one of them changes.",
  },
  start: {
    sources: ["fill", "initial", "constant", "value", "noise", "state", "state_property", "sampler"],
    targets: ["value", "state"],
    reason: "No step has begun here, so there are no step inputs, counters or frames yet.",
  },
  step: {
    sources: STEP_SOURCES,
    targets: ["value", "state", "frames"],
    reason: "",
  },
  finalize: {
    sources: STEP_SOURCES,
    targets: ["value", "state"],
    reason: "The frames of the step are on their way already.",
  },
};

/** Name of the random stream for noise in the start phase, so that it never meets the noise of the first step. */
export function startStreamName(name: string): string {
  return `start.${name}`;
}
