import { DreamloopError, ERROR_CODES, isDreamloopError } from "../foundation/dreamloop-error.ts";
import type { FrameHasher } from "../rollout/run-observer.ts";
import { arrayBytes, arrayFromBytes, elementBytesOf } from "./content/array-types.ts";
import { contentAddress, MAX_ARRAY_BYTES } from "./content/content-address.ts";
import { contentAddressOf } from "./content/content-address.ts";
import type { PayloadStore } from "./content/payload-store.ts";
import { finite, json, listOf, refuse, text, type Json, type Reader } from "../foundation/validate/reader.ts";
import { shape } from "../foundation/validate/record.ts";
import { chunkEnds, MAX_CHUNK_BYTES } from "./chunk-bounds.ts";
import { plainState, readSessionState, type SessionState } from "./session-state.ts";
import { decodeState, encodeState } from "./state-value.ts";

/** An array of a state: what it is made of, in order. */
export interface PackedArray {
  /** Name of its type, such as `float32`. */
  readonly type: string;
  /** Its length in bytes. */
  readonly bytes: number;
  /** Addresses of its chunks. */
  readonly chunks: readonly string[];
}

/** A state whose arrays lie elsewhere in chunks by their content: equal chunks of several states are kept once. */
export interface PackedState {
  /** Everything but arrays. */
  readonly value: Json;
  /** The arrays by index. */
  readonly arrays: readonly PackedArray[];
}

/** Where the chunks of states are kept, and what gives their addresses. */
export interface ChunkPlace {
  /** Keeps chunks under their addresses. */
  readonly store: PayloadStore;
  /** Gives addresses and proves content. */
  readonly hasher: FrameHasher;
}

/** Puts the chunks of a state into the store. Throws `invalid_value` naming the place of what no snapshot can hold. */
export async function packState(state: SessionState, { store, hasher }: ChunkPlace): Promise<PackedState> {
  const { json: value, arrays } = encodeState(plainState(state), "SessionState");
  const packed: PackedArray[] = [];
  for (const array of arrays) {
    const { type, bytes } = arrayBytes(array);
    const chunks: string[] = [];
    let start = 0;
    for (const end of chunkEnds(bytes, elementBytesOf(type, "SessionState"))) {
      const chunk = bytes.subarray(start, end);
      start = end;
      const digest = hasher.digest([chunk]);
      const address = `sha256:${typeof digest === "string" ? digest : await digest}`;
      const kept = store.put(address, chunk);
      if (kept !== undefined) await kept;
      chunks.push(address);
    }
    packed.push({ type, bytes: bytes.byteLength, chunks });
  }
  return { value, arrays: packed };
}

/** What reading a state back may take. */
export interface UnpackLimits {
  /** Bytes of all arrays together; default 1 GiB. */
  readonly arrayBytes?: number;
}

/**
 * Reads a state back. Throws `snapshot_invalid` when a chunk is missing, damaged or of another length than its array says, and when what it is
 * made of is no state; `limit_exceeded` when its arrays are larger than allowed, before memory is taken for them.
 */
export async function unpackState(
  packed: PackedState,
  { store, hasher }: ChunkPlace,
  limits: UnpackLimits = {},
): Promise<SessionState> {
  const total = packed.arrays.reduce((sum, { bytes }) => sum + bytes, 0);
  const most = limits.arrayBytes ?? MAX_ARRAY_BYTES;
  if (total > most) {
    throw new DreamloopError(
      ERROR_CODES.limitExceeded,
      `the snapshot has arrays of ${total} bytes, at most ${most} are read`,
    );
  }
  const arrays: unknown[] = [];
  for (const [index, { type, bytes, chunks }] of packed.arrays.entries()) {
    const parts: Uint8Array[] = [];
    let length = 0;
    for (const address of chunks) {
      const part = await store.get(address);
      if (part === undefined) damaged(`array ${index}: the chunk ${address} is missing`);
      if ((await contentAddressOf(part, hasher)) !== address)
        damaged(`array ${index}: the chunk ${address} is damaged`);
      length += part.byteLength;
      if (length > bytes) break;
      parts.push(part);
    }
    if (length !== bytes) damaged(`array ${index}: expected chunks of ${bytes} bytes, found ${length}`);
    const content = new Uint8Array(bytes);
    let at = 0;
    for (const part of parts) {
      content.set(part, at);
      at += part.byteLength;
    }
    arrays.push(asSnapshotFault(() => arrayFromBytes(type, content, `array ${index}`)));
  }
  return asSnapshotFault(() => readSessionState(decodeState(packed.value, arrays, "SessionState")));
}

/** Chunks of one array at most; more cannot come of the greatest array and the least chunk. */
const MAX_CHUNKS = 200_000;
/** Arrays of one state at most. */
const MAX_ARRAYS = 65_536;

/** Reads a packed state that comes from outside, its chunks not looked at. */
export const readPackedState: Reader<PackedState> = shape<PackedState>({
  value: json,
  arrays: listOf(
    (value, path) => {
      const array = shape<PackedArray>({
        type: text({ maxLength: 32 }),
        bytes: finite({ integer: true, min: 0, max: MAX_ARRAY_BYTES }),
        chunks: listOf(contentAddress, { max: MAX_CHUNKS }),
      })(value, path);
      const element = elementBytesOf(array.type, `${path}.type`);
      if (array.bytes % element !== 0) refuse(`${path}.bytes`, `a whole number of ${array.type} elements`, array.bytes);
      if (array.bytes > array.chunks.length * MAX_CHUNK_BYTES) {
        refuse(
          `${path}.bytes`,
          `at most ${MAX_CHUNK_BYTES} bytes for each of ${array.chunks.length} chunks`,
          array.bytes,
        );
      }
      return array;
    },
    { max: MAX_ARRAYS },
  ),
});

/** Addresses of all chunks of a state, each once. */
export function chunksOf(packed: PackedState): ReadonlySet<string> {
  return new Set(packed.arrays.flatMap(({ chunks }) => chunks));
}

/** Throws `snapshot_invalid`. */
export function damaged(what: string, cause?: unknown): never {
  throw new DreamloopError(
    ERROR_CODES.snapshotInvalid,
    `the snapshot cannot be read: ${what}; get it again from where it came`,
    cause === undefined ? {} : { cause },
  );
}

/** Tells what is refused while a snapshot is read as a fault of the snapshot. */
export function asSnapshotFault<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (isDreamloopError(cause) && cause.code !== ERROR_CODES.invalidValue && cause.code !== ERROR_CODES.unknownKey)
      throw cause;
    return damaged(cause instanceof Error ? cause.message : String(cause), cause);
  }
}
