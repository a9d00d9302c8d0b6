/** Whether a state message is to be used. */
export type StateVerdict = "stale" | "next" | "new_epoch";

/** What `StateOrder` remembers, as plain JSON. */
export interface StateOrderState {
  /** The epoch in force; absent before the first message. */
  readonly epoch?: number;
  /** The newest sequence number of the epoch; absent when none was numbered. */
  readonly sequence?: number;
}

/** Tells older and repeated state messages of one device from new ones: epochs rise, sequence numbers rise within an epoch. */
export class StateOrder {
  #epoch: number | undefined;
  #sequence: number | undefined;

  /** Continues from what `save()` gave. */
  constructor(state: StateOrderState = {}) {
    this.#epoch = state.epoch;
    this.#sequence = state.sequence;
  }

  /** Judges a message and, unless it is stale, remembers its numbers. */
  accept(epoch: number, sequence: number | undefined): StateVerdict {
    if (this.#epoch !== undefined && epoch < this.#epoch) return "stale";
    if (epoch !== this.#epoch) {
      this.#epoch = epoch;
      this.#sequence = sequence;
      return "new_epoch";
    }
    if (sequence === undefined) return "next";
    if (this.#sequence !== undefined && sequence <= this.#sequence) return "stale";
    this.#sequence = sequence;
    return "next";
  }

  /** What is remembered, as plain JSON. */
  save(): StateOrderState {
    return {
      ...(this.#epoch === undefined ? {} : { epoch: this.#epoch }),
      ...(this.#sequence === undefined ? {} : { sequence: this.#sequence }),
    };
  }
}
