import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { busy } from "../platform/limits/busy.ts";

/** A picture's size and rate. */
export interface PictureRate {
  /** Pixels a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Frames a second. */
  readonly framesPerSecond: number;
}

/** What one session uses of the budget; whoever holds it gives it back. */
export interface PixelShare {
  /** The rate is known now, or another one; throws as `PixelBudget.take` does, and keeps what it had. */
  change(rate: PictureRate): void;
  /** Gives it back; idempotent. */
  release(): void;
}

/** The pixels a second that sessions may have made and encoded: each of them, and all together. */
export class PixelBudget {
  readonly #limits: { readonly session: number; readonly server: number };
  readonly #taken = new Map<symbol, number>();

  /** Pixels a second. */
  constructor(limits: { readonly session: number; readonly server: number }) {
    this.#limits = limits;
  }

  /** Pixels a second that sessions use. */
  get takenPixelsPerSecond(): number {
    return [...this.#taken.values()].reduce((sum, pixels) => sum + pixels, 0);
  }

  /** Takes a share for a session; `rate` is absent while nobody knows it. Throws `limit_exceeded` for a rate beyond what one may have, `busy` when others use the rest. */
  take(rate: PictureRate | undefined): PixelShare {
    const owner = Symbol("share");
    if (rate !== undefined) this.#set(owner, rate);
    return {
      change: (next) => this.#set(owner, next),
      release: () => void this.#taken.delete(owner),
    };
  }

  #set(owner: symbol, { width, height, framesPerSecond }: PictureRate): void {
    const pixels = width * height * framesPerSecond;
    const { session, server } = this.#limits;
    const shown = `${width}×${height} at ${framesPerSecond} frames a second`;
    if (pixels > session) {
      throw new DreamloopError(
        ERROR_CODES.limitExceeded,
        `${shown} is more than the ${session} pixels a second that a session may have here; ask for a smaller size`,
        { details: { status: 400 } },
      );
    }
    const others = this.takenPixelsPerSecond - (this.#taken.get(owner) ?? 0);
    if (others + pixels > server) throw busy(`other sessions leave no room for ${shown}`);
    this.#taken.set(owner, pixels);
  }
}
