import type { PayloadStore } from "./content/payload-store.ts";
import { chunksOf, type PackedState } from "./pack-state.ts";

/** What a chunk costs beside its bytes: its address, the entry that holds it. */
const CHUNK_OVERHEAD_BYTES = 160;

/** Chunks of several states in memory, each once, and freed with the last state that needs it. */
export class ChunkPool implements PayloadStore {
  readonly #chunks = new Map<string, { readonly bytes: Uint8Array; uses: number }>();
  #bytes = 0;

  /** Bytes that are held. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Chunks that are held. */
  get size(): number {
    return this.#chunks.size;
  }

  /** Keeps a copy until `release`; nobody uses it before `retain`. */
  put(address: string, bytes: Uint8Array): void {
    if (this.#chunks.has(address)) return;
    this.#chunks.set(address, { bytes: bytes.slice(), uses: 0 });
    this.#bytes += bytes.byteLength + CHUNK_OVERHEAD_BYTES;
  }

  /** The content, which must not be changed. */
  get(address: string): Uint8Array | undefined {
    return this.#chunks.get(address)?.bytes;
  }

  /** A state that was packed into this pool is kept. */
  retain(state: PackedState): void {
    for (const address of chunksOf(state)) {
      const chunk = this.#chunks.get(address);
      if (chunk !== undefined) chunk.uses += 1;
    }
  }

  /** A state is no longer kept: what no other needs is freed. */
  release(state: PackedState): void {
    for (const address of chunksOf(state)) {
      const chunk = this.#chunks.get(address);
      if (chunk === undefined) continue;
      chunk.uses -= 1;
      if (chunk.uses > 0) continue;
      this.#chunks.delete(address);
      this.#bytes -= chunk.bytes.byteLength + CHUNK_OVERHEAD_BYTES;
    }
  }

  /** Frees everything. */
  clear(): void {
    this.#chunks.clear();
    this.#bytes = 0;
  }
}
