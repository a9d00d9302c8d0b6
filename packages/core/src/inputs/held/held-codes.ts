import { edgesOf, type Edge, type Transition } from "./transitions.ts";
import { StateOrder, type StateOrderState } from "./state-order.ts";

/** What `HeldCodes` remembers, as plain JSON. */
export interface HeldCodesState<Code> {
  /** Held codes, the one that was pressed first first. */
  readonly held: readonly Code[];
  /** Cumulative presses of the epoch that have been seen. */
  readonly counts: readonly (readonly [Code, number])[];
  /** Order of state messages. */
  readonly order: StateOrderState;
}

/** A state message about keys or buttons. */
export interface CodesMessage<Code> {
  /** Codes that are held now, in the order in which they were pressed. */
  readonly codes: readonly Code[];
  /** Cumulative presses of the epoch. */
  readonly pressCounts: readonly (readonly [Code, number])[];
  /** Whether the counts start at 0 with this message. */
  readonly newEpoch: boolean;
}

/** Counts of an epoch that are remembered; twice what one message can hold. */
const MAX_COUNTS = 512;

/** Which keys, or which buttons, are held, and how many presses of the running epoch have been seen. */
export class HeldCodes<Code extends string | number> {
  /** Decides which state messages are stale. */
  readonly order: StateOrder;
  readonly #limit: number;
  /** In order of pressing. */
  readonly #held: Set<Code>;
  readonly #counts: Map<Code, number>;
  #limitReleases = 0;

  /** At most `limit` codes are held at once. Continues from what `save()` gave. */
  constructor(limit: number, state: HeldCodesState<Code> = { held: [], counts: [], order: {} }) {
    this.#limit = limit;
    this.#held = new Set(state.held);
    this.#counts = new Map(state.counts);
    this.order = new StateOrder(state.order);
  }

  /** Held codes, the one that was pressed first first. */
  get held(): ReadonlySet<Code> {
    return this.#held;
  }

  /** Codes that were released because too many were held. */
  get limitReleases(): number {
    return this.#limitReleases;
  }

  /**
   * An edge down. Gives the code that had to be released to make room, or `true`; `false` when the edge says nothing new: the code is held
   * and no number of presses is given.
   */
  press(code: Code, presses: number | undefined): boolean | { readonly released: Code } {
    if (this.#held.has(code)) {
      if (presses === undefined || presses === 0) return false;
      this.#held.delete(code);
      this.#held.add(code);
      return true;
    }
    const [oldest] = this.#held;
    const full = this.#held.size >= this.#limit;
    if (full && oldest !== undefined) {
      this.#held.delete(oldest);
      this.#limitReleases += 1;
    }
    this.#held.add(code);
    return full && oldest !== undefined ? { released: oldest } : true;
  }

  /** An edge up; false when the code was not held. */
  release(code: Code): boolean {
    return this.#held.delete(code);
  }

  /** Takes over a state message and gives the edges that lead to it. */
  apply(message: CodesMessage<Code>): Edge<Code>[] {
    if (message.newEpoch) this.#counts.clear();
    const presses = this.#newPresses(message.pressCounts);
    const wanted = this.#withinLimit(message.codes, presses);
    const transitions: Transition<Code>[] = [];
    for (const code of this.#held) {
      const isHeld = wanted.has(code);
      const count = presses.get(code) ?? 0;
      if (!isHeld || count > 0) transitions.push({ code, wasHeld: true, isHeld, presses: count });
    }
    for (const [code, count] of presses) {
      if (!this.#held.has(code) && !wanted.has(code))
        transitions.push({ code, wasHeld: false, isHeld: false, presses: count });
    }
    for (const code of wanted) {
      if (!this.#held.has(code))
        transitions.push({ code, wasHeld: false, isHeld: true, presses: presses.get(code) ?? 0 });
    }
    const edges = edgesOf(transitions);
    for (const { code, down } of edges) {
      this.#held.delete(code);
      if (down) this.#held.add(code);
    }
    return edges;
  }

  /** Releases everything; gives what was held. */
  clear(): Code[] {
    const released = [...this.#held];
    this.#held.clear();
    return released;
  }

  /** What is remembered, as plain JSON. */
  save(): HeldCodesState<Code> {
    return { held: [...this.#held], counts: [...this.#counts], order: this.order.save() };
  }

  /** Presses since the last message, for the codes that have any. */
  #newPresses(pressCounts: readonly (readonly [Code, number])[]): Map<Code, number> {
    const presses = new Map<Code, number>();
    for (const [code, count] of pressCounts) {
      const seen = this.#counts.get(code) ?? 0;
      if (count <= seen) continue;
      presses.set(code, count - seen);
      this.#counts.delete(code);
      this.#counts.set(code, count);
    }
    for (const code of this.#counts.keys()) {
      if (this.#counts.size <= MAX_COUNTS) break;
      this.#counts.delete(code);
    }
    return presses;
  }

  /**
   * The held set that the message asks for, without the codes that were pressed first when there are too many. One place is left free
   * while presses that have ended are told, since each is held for a moment.
   */
  #withinLimit(codes: readonly Code[], presses: ReadonlyMap<Code, number>): Set<Code> {
    const wanted = new Set(codes);
    this.#shorten(wanted, this.#limit);
    const hasTap = [...presses.keys()].some((code) => !wanted.has(code) && !this.#held.has(code));
    if (hasTap) this.#shorten(wanted, this.#limit - 1);
    return wanted;
  }

  /** Drops the codes that were pressed first until no more than `size` are left. */
  #shorten(wanted: Set<Code>, size: number): void {
    for (const code of wanted) {
      if (wanted.size <= size) break;
      wanted.delete(code);
      if (this.#held.has(code)) this.#limitReleases += 1;
    }
  }
}
