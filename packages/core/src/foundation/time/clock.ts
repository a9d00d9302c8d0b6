/** A monotonic clock with a sleep, injected wherever time matters; tests use a fake one. */
export interface Clock {
  /** Seconds since an arbitrary origin; never goes back. */
  nowSeconds(): number;
  /**
   * Resolves once `nowSeconds()` has reached `timeSeconds`, or at once (but never synchronously) when that is past.
   * Resolves early when `signal` fires; it never rejects.
   */
  sleepUntil(timeSeconds: number, signal?: AbortSignal): Promise<void>;
}
