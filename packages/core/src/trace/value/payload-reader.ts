import type { PayloadStore } from "../../snapshot/content/payload-store.ts";
import { DreamloopError, ERROR_CODES } from "../../foundation/dreamloop-error.ts";
import type { FrameHasher } from "../../rollout/run-observer.ts";
import { refuse } from "../../foundation/validate/reader.ts";
import { arrayFromBytes } from "../../snapshot/content/array-types.ts";
import { fromBase64 } from "./base64.ts";
import { contentAddressOf } from "../../snapshot/content/content-address.ts";
import type { ArrayReference } from "./decode-value.ts";

/** Reads payloads back and proves that they are what the trace speaks of. */
export class PayloadReader {
  readonly #store: PayloadStore | undefined;
  readonly #hasher: FrameHasher;

  /** `store` may be absent: then only content that stands in the trace can be read. */
  constructor(store: PayloadStore | undefined, hasher: FrameHasher) {
    this.#store = store;
    this.#hasher = hasher;
  }

  /** The content under `address`. Throws `replay_refused` when it is not to be had, `trace_invalid` when it is damaged. */
  async content(address: string, path: string): Promise<Uint8Array> {
    const bytes = await this.#store?.get(address);
    if (bytes === undefined) {
      const place = this.#store === undefined ? "no payload store was given" : "the payload store does not have it";
      throw new DreamloopError(
        ERROR_CODES.replayRefused,
        `${path}: the content ${address} does not stand in the trace and ${place}; keep the folder that was recorded beside the trace, or record again with --record-inputs`,
        { details: { address } },
      );
    }
    await this.#requireHash(bytes, address, path);
    return bytes;
  }

  /** The array of a reference. Throws what `content` throws. */
  async array(reference: ArrayReference, path: string): Promise<unknown> {
    let bytes: Uint8Array;
    if (reference.data === undefined) {
      bytes = await this.content(reference.hash, path);
    } else {
      bytes = fromBase64(reference.data, `${path}.data`);
      await this.#requireHash(bytes, reference.hash, path);
    }
    if (bytes.byteLength !== reference.bytes) refuse(`${path}.bytes`, String(bytes.byteLength), reference.bytes);
    return arrayFromBytes(reference.type, bytes, path);
  }

  async #requireHash(bytes: Uint8Array, address: string, path: string): Promise<void> {
    const found = await contentAddressOf(bytes, this.#hasher);
    if (found === address) return;
    throw new DreamloopError(
      ERROR_CODES.traceInvalid,
      `${path}: expected content with the digest ${address}, found ${found}; the payload is damaged, restore it from a copy`,
      { details: { expected: address, found } },
    );
  }
}
