import { TokenBucket } from "../platform/limits/token-bucket.ts";

/** Requests within this many seconds of a key frame that was asked for are answered by one more at the end of the time. */
export const COALESCE_SECONDS = 0.5;
/** What one viewer may ask for. */
const VIEWER_RATE = { perSecond: 2, burst: 5 };

/** Which key frames are asked of the encoder, from what viewers ask for. Pure: time is an argument. */
export class KeyFrameGate {
  #lastSeconds = -Infinity;
  #dueSeconds: number | undefined;
  #coalesced = 0;
  #refused = 0;

  /** Requests that another one answered. */
  get coalesced(): number {
    return this.#coalesced;
  }

  /** Requests that went over a viewer's limit. */
  get refused(): number {
    return this.#refused;
  }

  /** A limiter for one viewer, to be handed to `request`. */
  static limiter(): TokenBucket {
    return new TokenBucket(VIEWER_RATE);
  }

  /** When a key frame is owed, in seconds; absent when none is. */
  get dueSeconds(): number | undefined {
    return this.#dueSeconds;
  }

  /** Notes a request; gives whether a key frame is to be asked for now. Otherwise `dueSeconds` may say when. */
  request(nowSeconds: number, limiter: TokenBucket | undefined): boolean {
    if (limiter?.take(nowSeconds) === false) {
      this.#refused += 1;
      return false;
    }
    if (nowSeconds - this.#lastSeconds < COALESCE_SECONDS) {
      this.#coalesced += 1;
      this.#dueSeconds ??= this.#lastSeconds + COALESCE_SECONDS;
      return false;
    }
    return this.#grant(nowSeconds);
  }

  /** Whether the owed key frame is to be asked for now. */
  advance(nowSeconds: number): boolean {
    return this.#dueSeconds !== undefined && nowSeconds >= this.#dueSeconds && this.#grant(nowSeconds);
  }

  #grant(nowSeconds: number): true {
    this.#lastSeconds = nowSeconds;
    this.#dueSeconds = undefined;
    return true;
  }
}
