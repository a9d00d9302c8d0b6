import { POINTER_PHASES, type PointerPayload } from "../catalogue/pointer-events.ts";

/** Greatest number of pointers, or of fingers, that are down at once. */
export const MAX_POINTERS = 32;

/** Pointers of one kind that are down, with their last place. */
export class HeldPointers {
  readonly #down: Map<number, PointerPayload>;

  /** Continues from what `save()` gave. */
  constructor(state: readonly PointerPayload[] = []) {
    this.#down = new Map(state.map((payload) => [payload.id, payload]));
  }

  /** Pointers that are down, the one that came down first first. */
  get down(): Iterable<PointerPayload> {
    return this.#down.values();
  }

  /** How many pointers are down. */
  get size(): number {
    return this.#down.size;
  }

  /** Whether a pointer is down. */
  has(id: number): boolean {
    return this.#down.has(id);
  }

  /**
   * Takes over an event; gives the payloads to pass on. A movement of a pointer that is not down brings it down, since its start was lost;
   * the end of one that is not down says nothing; one too many takes the first away.
   */
  apply(payload: PointerPayload): readonly PointerPayload[] {
    const isDown = this.#down.has(payload.id);
    if (payload.phase === POINTER_PHASES.end || payload.phase === POINTER_PHASES.cancel) {
      return this.#down.delete(payload.id) ? [payload] : [];
    }
    const phase = isDown ? POINTER_PHASES.move : POINTER_PHASES.start;
    const passed = payload.phase === phase ? payload : Object.freeze({ ...payload, phase });
    const taken = isDown || this.#down.size < MAX_POINTERS ? [] : this.#takeFirst();
    this.#down.set(payload.id, passed);
    return [...taken, passed];
  }

  /** Takes all pointers away; gives the payloads that say so. */
  clear(): PointerPayload[] {
    const cancelled = [...this.#down.values()].map(cancelledPointer);
    this.#down.clear();
    return cancelled;
  }

  /** What is remembered, as plain JSON. */
  save(): readonly PointerPayload[] {
    return [...this.#down.values()];
  }

  #takeFirst(): PointerPayload[] {
    for (const payload of this.#down.values()) {
      this.#down.delete(payload.id);
      return [cancelledPointer(payload)];
    }
    return [];
  }
}

function cancelledPointer(payload: PointerPayload): PointerPayload {
  return Object.freeze({ ...payload, phase: POINTER_PHASES.cancel });
}
