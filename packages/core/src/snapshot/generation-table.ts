import type { MomentPosition } from "./driver-history.ts";

/** What is known of one generation: a branch of the session's tree. */
export interface GenerationFacts {
  /** Its number. */
  readonly generation: number;
  /** How it began. */
  readonly origin: "start" | "reset" | "rewind";
  /** The moment that it branched off from; absent for a start. Of a reset it is the end of the generation before. */
  readonly from?: MomentPosition;
  /** Index of its first step. */
  readonly firstStepIndex: number;
  /** The step that comes next at its end. */
  readonly endStepIndex: number;
  /** The first step before which it can be gone back to; what is older was let go. */
  readonly keptFromStepIndex: number;
  /** Seed of its rollout. */
  readonly seed: number;
  /** World time from the beginning of its rollout to its first step, in seconds. */
  readonly startSeconds: number;
  /** World time from the beginning of its rollout to its end, in seconds. */
  readonly endSeconds: number;
}

interface Generation {
  readonly generation: number;
  readonly origin: GenerationFacts["origin"];
  readonly from: MomentPosition | undefined;
  readonly firstStepIndex: number;
  readonly seed: number;
  /** The node at its first boundary. */
  readonly firstNode: number;
  /** The node after its first step; those of later steps follow without a gap. */
  secondNode: number | undefined;
  readonly firstFrames: number;
  steps: number;
  frames: number;
}

/** Generations that are remembered at most; older ones are forgotten. */
const MAX_GENERATIONS = 2000;

/** Which node of a history belongs to which step of which generation. */
export class GenerationTable {
  readonly #generations = new Map<number, Generation>();
  #current: Generation | undefined;

  /** The moment where the session is. */
  get now(): MomentPosition {
    const current = this.#current;
    if (current === undefined) return { generation: 0, stepIndex: 0 };
    return { generation: current.generation, stepIndex: current.firstStepIndex + current.steps };
  }

  /** The session starts. */
  begin(position: MomentPosition, { node, seed }: { readonly node: number; readonly seed: number }): void {
    this.#open({ origin: "start", from: undefined, position, node, seed, firstFrames: 0 });
  }

  /** The rollout starts again. */
  reset(position: MomentPosition, { node, seed }: { readonly node: number; readonly seed: number }): void {
    this.#open({ origin: "reset", from: this.now, position, node, seed, firstFrames: 0 });
  }

  /** The session goes on from an earlier moment. */
  rewound(
    from: MomentPosition,
    position: MomentPosition,
    { node, seed }: { readonly node: number; readonly seed: number },
  ): void {
    const parent = this.#generations.get(from.generation);
    const perStep = parent === undefined || parent.steps === 0 ? 0 : parent.frames / parent.steps;
    const firstFrames =
      parent === undefined ? 0 : Math.round(parent.firstFrames + (from.stepIndex - parent.firstStepIndex) * perStep);
    this.#open({ origin: "rewind", from, position, node, seed, firstFrames });
  }

  /** A step of so many frames led to `node`. */
  step(node: number, frameCount: number): void {
    const current = this.#current;
    if (current === undefined) return;
    current.secondNode ??= node;
    current.steps += 1;
    current.frames += frameCount;
  }

  /** The node at a moment; `undefined` when there is none. */
  nodeAt({ generation, stepIndex }: MomentPosition): number | undefined {
    const found = this.#generations.get(generation);
    if (found === undefined) return undefined;
    const place = stepIndex - found.firstStepIndex;
    if (place === 0) return found.firstNode;
    return place > 0 && place <= found.steps && found.secondNode !== undefined
      ? found.secondNode + place - 1
      : undefined;
  }

  /** The moment of a node, in the newest generation that it belongs to. */
  positionOf(node: number): MomentPosition | undefined {
    for (const found of [...this.#generations.values()].reverse()) {
      const { generation, firstStepIndex, firstNode, secondNode, steps } = found;
      if (node === firstNode) return { generation, stepIndex: firstStepIndex };
      if (secondNode !== undefined && node >= secondNode && node < secondNode + steps) {
        return { generation, stepIndex: firstStepIndex + node - secondNode + 1 };
      }
    }
    return undefined;
  }

  /** What is known of all generations, oldest first; `isKept` says whether a node is kept. */
  facts(isKept: (node: number) => boolean, frameSeconds: number): readonly GenerationFacts[] {
    return [...this.#generations.values()].map((found) => {
      const { generation, origin, from, firstStepIndex, seed, steps, firstFrames, frames } = found;
      let kept = 0;
      while (kept < steps && !isKept(this.nodeAt({ generation, stepIndex: firstStepIndex + kept }) as number))
        kept += 1;
      return {
        generation,
        origin,
        ...(from === undefined ? {} : { from }),
        firstStepIndex,
        endStepIndex: firstStepIndex + steps,
        keptFromStepIndex: firstStepIndex + kept,
        seed,
        startSeconds: firstFrames * frameSeconds,
        endSeconds: (firstFrames + frames) * frameSeconds,
      };
    });
  }

  /** Forgets generations of which no node is kept. */
  forget(isKept: (node: number) => boolean): void {
    for (const [generation, found] of this.#generations) {
      if (found === this.#current) continue;
      const last = found.secondNode === undefined ? found.firstNode : found.secondNode + found.steps - 1;
      if (!isKept(last)) this.#generations.delete(generation);
    }
  }

  #open(options: {
    readonly origin: GenerationFacts["origin"];
    readonly from: MomentPosition | undefined;
    readonly position: MomentPosition;
    readonly node: number;
    readonly seed: number;
    readonly firstFrames: number;
  }): void {
    const { origin, from, position, node, seed, firstFrames } = options;
    this.#current = {
      generation: position.generation,
      origin,
      from,
      firstStepIndex: position.stepIndex,
      seed,
      firstNode: node,
      secondNode: undefined,
      firstFrames,
      steps: 0,
      frames: 0,
    };
    this.#generations.set(position.generation, this.#current);
    const [oldest] = this.#generations.keys();
    if (this.#generations.size > MAX_GENERATIONS && oldest !== undefined) this.#generations.delete(oldest);
  }
}
