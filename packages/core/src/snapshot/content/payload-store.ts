/** Where content that does not stand in the trace itself is kept, under the address that its SHA-256 digest gives. */
export interface PayloadStore {
  /** Keeps `bytes` under `address` (`sha256:` and 64 hexadecimal digits); content that is there already is not written again. The bytes may be read until the promise settles. */
  put(address: string, bytes: Uint8Array): void | Promise<void>;
  /** The content under `address`, or nothing when the store does not have it. */
  get(address: string): Uint8Array | undefined | Promise<Uint8Array | undefined>;
}

/** A store in memory, for tests and short runs; it grows with what is put into it. */
export class MemoryPayloadStore implements PayloadStore {
  readonly #contents = new Map<string, Uint8Array>();

  /** Number of different contents. */
  get size(): number {
    return this.#contents.size;
  }

  /** Keeps a copy. */
  put(address: string, bytes: Uint8Array): void {
    if (!this.#contents.has(address)) this.#contents.set(address, bytes.slice());
  }

  /** The content, which must not be changed. */
  get(address: string): Uint8Array | undefined {
    return this.#contents.get(address);
  }

  /** Drops one content; true when there was one. */
  delete(address: string): boolean {
    return this.#contents.delete(address);
  }
}
