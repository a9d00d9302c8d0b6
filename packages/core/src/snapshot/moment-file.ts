import { DreamloopError, ERROR_CODES } from "../foundation/dreamloop-error.ts";
import type { FrameHasher } from "../rollout/run-observer.ts";
import type { PayloadStore } from "./content/payload-store.ts";
import { DREAMLOOP_VERSION } from "../foundation/version.ts";
import { MAX_CHUNK_BYTES } from "./chunk-bounds.ts";
import {
  CHUNK_CODINGS,
  DEFAULT_MOMENT_LIMITS,
  factsOf,
  MOMENT_FORMAT_VERSION,
  MOMENT_MAGIC,
  MOMENT_PREFIX_BYTES,
  readMomentHeader,
  type ChunkEntry,
  type MomentFacts,
  type MomentHeader,
  type MomentLimits,
  type MomentPictureType,
  type PartEntry,
} from "./moment-format.ts";
import { asSnapshotFault, damaged, packState, unpackState } from "./pack-state.ts";
import { positionOf, type SessionState } from "./session-state.ts";
import type { StateBinding } from "./state-binding.ts";

/** Makes chunks smaller and restores them; Node and browsers bring their own. */
export interface ChunkCompressor {
  /** Deflates (RFC 1951, without a header). */
  deflate(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** Restores what was deflated; throws when it is damaged or gives more than `maxBytes`, without taking memory for more. */
  inflate(bytes: Uint8Array, maxBytes: number): Uint8Array | Promise<Uint8Array>;
}

/** What writes and reads moment files. */
export interface MomentTools {
  /** Gives the addresses of chunks and proves them. */
  readonly hasher: FrameHasher;
  /** Compresses; absent: chunks are stored as they are, and files with deflated ones cannot be opened. */
  readonly compressor?: ChunkCompressor;
}

/** A picture of a moment. */
export interface MomentPicture {
  /** Its kind. */
  readonly type: MomentPictureType;
  /** Pixels a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** The file of the picture. */
  readonly bytes: Uint8Array;
}

/** What a moment file is made of. */
export interface MomentContent {
  /** The complete state. */
  readonly state: SessionState;
  /** World, weights, settings and engine that it belongs to. */
  readonly binding: StateBinding;
  /** A name that a person gave it; default none. */
  readonly name?: string;
  /** When it was saved (ISO 8601); default: it does not say. */
  readonly savedAt?: string;
  /** Text of the trace up to there; default none. */
  readonly trace?: Uint8Array;
  /** A picture of it; default none. */
  readonly picture?: MomentPicture;
}

/** A chunk that does not get smaller by this share stays as it is. */
const WORTH_SHARE = 0.05;

/** Writes a moment file: one piece of bytes that depends on no process. Throws `invalid_value` for a state that no snapshot can hold. */
export async function encodeMoment(content: MomentContent, tools: MomentTools): Promise<Uint8Array> {
  const { state, binding, name, savedAt, trace, picture } = content;
  const table = new ChunkTable(tools);
  const packed = await packState(state, { hasher: tools.hasher, store: table });
  const { prompt } = state.rollout.initial;
  const traced = trace === undefined ? undefined : await table.add(trace);
  const pictured = picture === undefined ? undefined : await table.add(picture.bytes);
  const header: MomentHeader = {
    dreamloopVersion: DREAMLOOP_VERSION,
    ...(name === undefined ? {} : { name }),
    ...(savedAt === undefined ? {} : { savedAt }),
    binding,
    position: positionOf(state),
    ...(typeof prompt === "string" ? { prompt } : {}),
    value: packed.value,
    arrays: packed.arrays.map(({ chunks, ...array }) => ({
      ...array,
      chunks: chunks.map((each) => table.placeOf(each)),
    })),
    ...(traced === undefined ? {} : { trace: traced }),
    ...(pictured === undefined || picture === undefined
      ? {}
      : { picture: { type: picture.type, width: picture.width, height: picture.height, ...pictured } }),
    chunks: table.entries,
  };
  return joinFile(header, table.stored, tools.hasher);
}

/** A moment file that has been looked into: its header is proven, its chunks are read and proven as they are asked for. */
export interface MomentFile {
  /** What it says of itself. */
  readonly facts: MomentFacts;
  /** Length of the trace in bytes; absent: it holds none. */
  readonly traceBytes?: number;
  /** Bytes of the file and of its content. */
  readonly sizes: { readonly fileBytes: number; readonly stateBytes: number; readonly chunkCount: number };
  /** The state. Throws `snapshot_invalid` for damage, `limit_exceeded` for more than is allowed. */
  state(): Promise<SessionState>;
  /** Text of the trace; `undefined` when it holds none. */
  trace(): Promise<Uint8Array | undefined>;
  /** The picture; `undefined` when it holds none. */
  picture(): Promise<MomentPicture | undefined>;
}

/**
 * Opens a moment file: proves its header and that its length is what the header says. It is data alone; nothing in it is executed, and nothing is
 * allocated that the file itself is not long enough for, but for content that is deflated, in pieces of at most 128 KiB. Throws
 * `snapshot_invalid` when it is none, is damaged or of an unknown version; `limit_exceeded` beyond `limits`.
 */
export async function openMoment(
  file: Uint8Array,
  tools: MomentTools,
  limits: Partial<MomentLimits> = {},
): Promise<MomentFile> {
  const most: MomentLimits = { ...DEFAULT_MOMENT_LIMITS, ...limits };
  within("the file", file.byteLength, most.fileBytes);
  const header = await readHeaderOf(file, tools.hasher, most);
  const chunks = new ChunkReader(file, header, tools);
  const { trace, picture, arrays } = header;
  const stateBytes = arrays.reduce((sum, { bytes }) => sum + bytes, 0);
  within("its state", stateBytes, most.contentBytes);
  for (const part of [trace, picture]) if (part !== undefined) within("a part of it", part.bytes, most.contentBytes);
  return {
    facts: factsOf(header),
    ...(trace === undefined ? {} : { traceBytes: trace.bytes }),
    sizes: { fileBytes: file.byteLength, stateBytes, chunkCount: header.chunks.length },
    state: async () => {
      const packed = {
        value: header.value,
        arrays: arrays.map((array) => ({
          ...array,
          chunks: array.chunks.map((place) => header.chunks[place].address),
        })),
      };
      return unpackState(packed, { hasher: tools.hasher, store: chunks }, { arrayBytes: most.contentBytes });
    },
    trace: async () => (trace === undefined ? undefined : chunks.part(trace)),
    picture: async () => {
      if (picture === undefined) return undefined;
      const { type, width, height } = picture;
      return { type, width, height, bytes: await chunks.part(picture) };
    },
  };
}

/** Whether bytes begin as a moment file does. */
export function looksLikeMoment(bytes: Uint8Array): boolean {
  return MOMENT_MAGIC.every((byte, index) => bytes[index] === byte);
}

async function joinFile(header: MomentHeader, stored: readonly Uint8Array[], hasher: FrameHasher): Promise<Uint8Array> {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const digest = await hasher.digest([text]);
  const total = stored.reduce((sum, { byteLength }) => sum + byteLength, MOMENT_PREFIX_BYTES + text.byteLength);
  const file = new Uint8Array(total);
  const view = new DataView(file.buffer);
  file.set(MOMENT_MAGIC, 0);
  view.setUint32(8, MOMENT_FORMAT_VERSION, true);
  view.setUint32(12, text.byteLength, true);
  for (let index = 0; index < 32; index += 1) file[16 + index] = parseInt(digest.slice(index * 2, index * 2 + 2), 16);
  file.set(text, MOMENT_PREFIX_BYTES);
  let at = MOMENT_PREFIX_BYTES + text.byteLength;
  for (const piece of stored) {
    file.set(piece, at);
    at += piece.byteLength;
  }
  return file;
}

async function readHeaderOf(file: Uint8Array, hasher: FrameHasher, limits: MomentLimits): Promise<MomentHeader> {
  if (!looksLikeMoment(file)) damaged("it is no moment file, since it does not begin as one");
  if (file.byteLength < MOMENT_PREFIX_BYTES) damaged(`it ends after ${file.byteLength} bytes, before its header`);
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const version = view.getUint32(8, true);
  if (version !== MOMENT_FORMAT_VERSION) {
    damaged(
      `expected version ${MOMENT_FORMAT_VERSION} of the format, found ${version}; open it with the Dreamloop that saved it`,
    );
  }
  const headerBytes = view.getUint32(12, true);
  within("its header", headerBytes, limits.headerBytes);
  const end = MOMENT_PREFIX_BYTES + headerBytes;
  if (end > file.byteLength) damaged(`its header should end at byte ${end}, the file ends at ${file.byteLength}`);
  const text = file.subarray(MOMENT_PREFIX_BYTES, end);
  const digest = await hasher.digest([text]);
  const told = Array.from(file.subarray(16, MOMENT_PREFIX_BYTES), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
  if (digest !== told) damaged(`its header has the digest ${digest}, expected ${told}`);
  const header = asSnapshotFault(() =>
    readMomentHeader(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(text))),
  );
  const expected = header.chunks.reduce((sum, { stored }) => sum + stored, end);
  if (expected !== file.byteLength) damaged(`expected ${expected} bytes, found ${file.byteLength}`);
  return header;
}

function within(what: string, bytes: number, most: number): void {
  if (bytes <= most) return;
  throw new DreamloopError(
    ERROR_CODES.limitExceeded,
    `the moment is too large: ${what} has ${bytes} bytes, at most ${most} are read`,
    { details: { bytes, limit: most } },
  );
}

/** The chunks of a file that is being written; equal ones stand in it once. */
class ChunkTable implements PayloadStore {
  readonly entries: ChunkEntry[] = [];
  readonly stored: Uint8Array[] = [];
  readonly #places = new Map<string, number>();
  readonly #tools: MomentTools;

  constructor(tools: MomentTools) {
    this.#tools = tools;
  }

  async put(address: string, bytes: Uint8Array): Promise<void> {
    if (this.#places.has(address)) return;
    const small = await this.#tools.compressor?.deflate(bytes);
    const isWorth = small !== undefined && small.byteLength < bytes.byteLength * (1 - WORTH_SHARE);
    const stored = isWorth ? small : bytes.slice();
    this.#places.set(address, this.entries.length);
    this.stored.push(stored);
    const coding = isWorth ? CHUNK_CODINGS.deflate : CHUNK_CODINGS.raw;
    this.entries.push({ address, bytes: bytes.byteLength, stored: stored.byteLength, coding });
  }

  get(): undefined {
    return undefined;
  }

  placeOf(address: string): number {
    return this.#places.get(address) as number;
  }

  async add(bytes: Uint8Array): Promise<PartEntry> {
    const chunks: number[] = [];
    for (let start = 0; start < bytes.byteLength; start += MAX_CHUNK_BYTES) {
      const chunk = bytes.subarray(start, start + MAX_CHUNK_BYTES);
      const digest = await this.#tools.hasher.digest([chunk]);
      await this.put(`sha256:${digest}`, chunk);
      chunks.push(this.placeOf(`sha256:${digest}`));
    }
    return { bytes: bytes.byteLength, chunks };
  }
}

/** Reads the chunks of a file, each proven. */
class ChunkReader implements PayloadStore {
  readonly #file: Uint8Array;
  readonly #header: MomentHeader;
  readonly #tools: MomentTools;
  readonly #places = new Map<string, readonly [entry: ChunkEntry, offset: number]>();

  constructor(file: Uint8Array, header: MomentHeader, tools: MomentTools) {
    this.#file = file;
    this.#header = header;
    this.#tools = tools;
    let offset = file.byteLength - header.chunks.reduce((sum, { stored }) => sum + stored, 0);
    for (const entry of header.chunks) {
      if (this.#places.has(entry.address)) damaged(`the chunk ${entry.address} stands in it twice`);
      this.#places.set(entry.address, [entry, offset]);
      offset += entry.stored;
    }
  }

  put(): void {}

  async get(address: string): Promise<Uint8Array | undefined> {
    const found = this.#places.get(address);
    if (found === undefined) return undefined;
    const [entry, offset] = found;
    const stored = this.#file.subarray(offset, offset + entry.stored);
    return entry.coding === CHUNK_CODINGS.raw ? stored : this.#inflated(entry, stored);
  }

  /** Everything of a part, joined and proven. */
  async part({ bytes, chunks }: PartEntry): Promise<Uint8Array> {
    const whole = new Uint8Array(bytes);
    let at = 0;
    for (const place of chunks) {
      const { address } = this.#header.chunks[place];
      const chunk = (await this.get(address)) as Uint8Array;
      if (`sha256:${await this.#tools.hasher.digest([chunk])}` !== address) damaged(`the chunk ${address} is damaged`);
      whole.set(chunk, at);
      at += chunk.byteLength;
    }
    return whole;
  }

  async #inflated({ address, bytes }: ChunkEntry, stored: Uint8Array): Promise<Uint8Array> {
    const { compressor } = this.#tools;
    if (compressor === undefined) {
      throw new DreamloopError(ERROR_CODES.unavailable, "the moment is compressed, and nothing here can unpack it");
    }
    let content: Uint8Array;
    try {
      content = await compressor.inflate(stored, bytes);
    } catch (cause) {
      damaged(`the chunk ${address} cannot be unpacked`, cause);
    }
    if (content.byteLength !== bytes)
      damaged(`the chunk ${address}: expected ${bytes} bytes, found ${content.byteLength}`);
    return content;
  }
}
