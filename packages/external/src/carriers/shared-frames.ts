import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { MAX_SLOTS } from "../protocol/limits.ts";
import type { MappedMemory, NativeMemory } from "./native-memory.ts";

/** Frames that lie in shared memory, held until they are released. */
export interface LeasedFrames {
  /** The pixels, in the memory that the worker wrote. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Gives the slot back; idempotent. */
  readonly release: () => void;
}

/** What `SharedFrames` takes. */
export interface SharedFramesOptions {
  /** Shared memory of this machine. */
  readonly memory: NativeMemory;
  /** The object that both sides have open; closed with `close`. */
  readonly descriptor: number;
}

/** The driver's side of a worker's slots: maps each when it is first used and counts who still reads. */
export class SharedFrames {
  readonly #options: SharedFramesOptions;
  readonly #slots = new Map<number, MappedMemory>();
  readonly #leased = new Map<number, number>();
  #slotBytes = 0;
  #isClosed = false;

  /** Maps nothing yet. */
  constructor(options: SharedFramesOptions) {
    this.#options = options;
  }

  /** The descriptor, to be handed to the worker. */
  get descriptor(): number {
    return this.#options.descriptor;
  }

  /** Leases that have not been released. */
  get leaseCount(): number {
    return [...this.#leased.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Says how large the worker's slots are; once, before the first lease. */
  settle(slotBytes: number): void {
    this.#slotBytes = slotBytes;
  }

  /** Takes frames that the worker says are in a slot; `onRelease` is called when they are given back. Throws `invalid_value` for a slot that it cannot have. */
  lease(slot: number, length: number, onRelease: (slot: number) => void): LeasedFrames {
    if (slot >= MAX_SLOTS || length > this.#slotBytes || this.#isClosed) {
      throw new DreamloopError(
        ERROR_CODES.invalidValue,
        `session protocol: the worker put ${length} bytes into slot ${slot}; its slots hold ${this.#slotBytes} bytes, and there are at most ${MAX_SLOTS}`,
      );
    }
    const mapped = this.#mapped(slot);
    this.#leased.set(slot, (this.#leased.get(slot) ?? 0) + 1);
    let isReleased = false;
    return {
      bytes: mapped.bytes.subarray(0, length),
      release: () => {
        if (isReleased) return;
        isReleased = true;
        const left = (this.#leased.get(slot) ?? 1) - 1;
        if (left > 0) this.#leased.set(slot, left);
        else this.#leased.delete(slot);
        if (!this.#isClosed) onRelease(slot);
        else if (left === 0) mapped.release();
      },
    };
  }

  /** Gives the memory back: now, and that of frames which somebody still reads when they are released. Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const [slot, mapped] of this.#slots) {
      if (!this.#leased.has(slot)) mapped.release();
    }
    this.#slots.clear();
    this.#options.memory.close(this.#options.descriptor);
  }

  #mapped(slot: number): MappedMemory {
    const known = this.#slots.get(slot);
    if (known !== undefined) return known;
    const { memory, descriptor } = this.#options;
    const mapped = memory.map(descriptor, slot * this.#slotBytes, this.#slotBytes);
    this.#slots.set(slot, mapped);
    return mapped;
  }
}
