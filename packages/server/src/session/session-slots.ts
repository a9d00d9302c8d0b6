import { busy } from "../platform/limits/busy.ts";

/** A slot for one session; whoever holds it gives it back. */
export interface SessionSlot {
  /** Gives the slot back; a second time is refused and counted. Gives whether it was the first time. */
  release(): boolean;
}

/** The session slots of a server: bounded in all and for each identity. */
export class SessionSlots {
  readonly #limits: { readonly sessions: number; readonly perIdentity: number };
  readonly #held = new Map<symbol, string>();
  #doubleReleases = 0;

  /** How many sessions there may be. */
  constructor(limits: { readonly sessions: number; readonly perIdentity: number }) {
    this.#limits = limits;
  }

  /** Slots that are taken. */
  get taken(): number {
    return this.#held.size;
  }

  /** Whether another session can be admitted. */
  get canAdmit(): boolean {
    return this.#held.size < this.#limits.sessions;
  }

  /** Releases that were refused because the slot had been given back before. */
  get doubleReleases(): number {
    return this.#doubleReleases;
  }

  /** Takes a slot; throws `busy` (retryable) when there is none. */
  acquire(identity: string): SessionSlot {
    if (!this.canAdmit) throw busy(`all ${this.#limits.sessions} session slots are taken`);
    const own = [...this.#held.values()].filter((each) => each === identity).length;
    if (own >= this.#limits.perIdentity) {
      throw busy(`you have ${own} sessions already, which is the limit; end one of them`);
    }
    const owner = Symbol(identity);
    this.#held.set(owner, identity);
    return {
      release: () => {
        if (this.#held.delete(owner)) return true;
        this.#doubleReleases += 1;
        return false;
      },
    };
  }
}
