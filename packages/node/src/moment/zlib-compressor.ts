import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { MomentTools } from "@dreamloop/core";
import type { ChunkCompressor } from "@dreamloop/core/internal";
import { sha256FrameHasher } from "../sha256-hasher.ts";

/** Of the levels of deflate the fastest one: on tensors the slower ones save less than one per cent more; see `npm run bench:time`. */
const LEVEL = 1;

/** Compresses the chunks of moment files with the zlib of Node. */
export const zlibCompressor: ChunkCompressor = Object.freeze({
  deflate: (bytes: Uint8Array) => deflateRawSync(bytes, { level: LEVEL }),
  inflate: (bytes: Uint8Array, maxBytes: number) => inflateRawSync(bytes, { maxOutputLength: maxBytes }),
});

/** What reads and writes moment files in Node. */
export const momentTools: MomentTools = Object.freeze({ hasher: sha256FrameHasher, compressor: zlibCompressor });
