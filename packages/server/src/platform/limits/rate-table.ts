import { TokenBucket } from "./token-bucket.ts";

/** Identities that are remembered at a time; beyond that, those who have been quiet are forgotten, then the oldest. */
const MAX_IDENTITIES = 4096;

/** A `TokenBucket` for each identity, such as an address; bounded. */
export class RateTable {
  readonly #limits: { readonly perSecond: number; readonly burst: number };
  readonly #buckets = new Map<string, TokenBucket>();

  /** The limits of each identity. */
  constructor(limits: { readonly perSecond: number; readonly burst: number }) {
    this.#limits = limits;
  }

  /** Identities that are remembered. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Takes a token of an identity; false when it has none. */
  take(identity: string, nowSeconds: number): boolean {
    let bucket = this.#buckets.get(identity);
    if (bucket === undefined) {
      if (this.#buckets.size >= MAX_IDENTITIES) this.#forget(nowSeconds);
      bucket = new TokenBucket(this.#limits);
      this.#buckets.set(identity, bucket);
    }
    return bucket.take(nowSeconds);
  }

  #forget(nowSeconds: number): void {
    for (const [identity, bucket] of this.#buckets) if (bucket.isFull(nowSeconds)) this.#buckets.delete(identity);
    for (const identity of this.#buckets.keys()) {
      if (this.#buckets.size < MAX_IDENTITIES) return;
      this.#buckets.delete(identity);
    }
  }
}
