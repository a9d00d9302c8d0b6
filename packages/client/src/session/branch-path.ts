import type { GenerationFacts, MomentPosition } from "@dreamloop/core/internal";

/** A stretch of the way from the beginning of a rollout to a moment, all within one generation. */
export interface BranchSpan {
  /** The generation. */
  readonly generation: number;
  /** Index of its first step on the way. */
  readonly firstStepIndex: number;
  /** The step that comes next at its end on the way. */
  readonly endStepIndex: number;
  /** The first step before which it can be gone back to. */
  readonly keptFromStepIndex: number;
}

/** The generations that lead to a moment, oldest first: back over rewinds, up to the start or the reset that the rollout began with. */
export function branchPath(generations: readonly GenerationFacts[], to: MomentPosition): readonly BranchSpan[] {
  const byNumber = new Map(generations.map((each) => [each.generation, each]));
  const path: BranchSpan[] = [];
  let end: MomentPosition | undefined = to;
  while (end !== undefined) {
    const found: GenerationFacts | undefined = byNumber.get(end.generation);
    if (found === undefined) break;
    const { generation, firstStepIndex, keptFromStepIndex, origin, from }: GenerationFacts = found;
    path.push({ generation, firstStepIndex, endStepIndex: end.stepIndex, keptFromStepIndex });
    // A rewind to the very beginning of a generation leads on to where that one came from.
    end = origin === "rewind" && from !== undefined && from.generation < generation ? from : undefined;
  }
  return path.reverse();
}

/** The moment before step `stepIndex` on the way; the nearest that is on it and kept. `undefined` when nothing is kept. */
export function momentOnPath(path: readonly BranchSpan[], stepIndex: number): MomentPosition | undefined {
  let oldest: MomentPosition | undefined;
  for (const { generation, firstStepIndex, endStepIndex, keptFromStepIndex } of [...path].reverse()) {
    if (keptFromStepIndex > endStepIndex) break;
    const first = Math.max(firstStepIndex, keptFromStepIndex);
    oldest = { generation, stepIndex: Math.min(endStepIndex, Math.max(first, stepIndex)) };
    if (stepIndex >= first) return oldest;
    if (keptFromStepIndex > firstStepIndex) break;
  }
  return oldest;
}
