import { finite, json, listOf, oneOf, optional, refuse, text, type Json } from "../foundation/validate/reader.ts";
import { shape } from "../foundation/validate/record.ts";
import { contentAddress } from "./content/content-address.ts";
import { MAX_CHUNK_BYTES, MIN_CHUNK_BYTES } from "./chunk-bounds.ts";
import { readBinding, type StateBinding } from "./state-binding.ts";
import type { StatePosition } from "./session-state.ts";

/** How every moment file begins: a byte beyond ASCII and both line ends show what a transfer as text has broken. */
export const MOMENT_MAGIC: readonly number[] = Object.freeze([0x8b, 0x44, 0x52, 0x45, 0x41, 0x4d, 0x0d, 0x0a]);

/** Version of the format of moment files. A field that readers may overlook keeps it; everything else raises it. */
export const MOMENT_FORMAT_VERSION = 1;

/** Bytes before the header: magic, version (uint32), length of the header (uint32) and its SHA-256. */
export const MOMENT_PREFIX_BYTES = 8 + 4 + 4 + 32;

/** How moment files are called at their end. */
export const MOMENT_EXTENSION = ".dream";

/** The media type of moment files. */
export const MOMENT_MEDIA_TYPE = "application/x-dreamloop-moment";

/** Bounds of what a reader of moment files accepts. */
export interface MomentLimits {
  /** Bytes of the whole file. */
  readonly fileBytes: number;
  /** Bytes of the header. */
  readonly headerBytes: number;
  /** Bytes of everything in the file once it is unpacked. */
  readonly contentBytes: number;
}

/** The bounds unless others are given: 1 GiB of file, 16 MiB of header, 1 GiB of content. */
export const DEFAULT_MOMENT_LIMITS: MomentLimits = Object.freeze({
  fileBytes: 1024 ** 3,
  headerBytes: 16 * 1024 ** 2,
  contentBytes: 1024 ** 3,
});

/** How the bytes of a chunk lie in the file. */
export const CHUNK_CODINGS = {
  /** As they are. */
  raw: "raw",
  /** Deflated (RFC 1951). */
  deflate: "deflate",
} as const;

/** One of `CHUNK_CODINGS`. */
export type ChunkCoding = (typeof CHUNK_CODINGS)[keyof typeof CHUNK_CODINGS];

/** One chunk of a moment file; they follow the header without gaps, in the order of the table. */
export interface ChunkEntry {
  /** Its address: `sha256:` and the digest of its content. */
  readonly address: string;
  /** Bytes of its content. */
  readonly bytes: number;
  /** Bytes that it takes in the file. */
  readonly stored: number;
  /** How they lie there. */
  readonly coding: ChunkCoding;
}

/** An array of the state: what it is made of. */
export interface ArrayEntry {
  /** Name of its type, such as `float32`. */
  readonly type: string;
  /** Its length in bytes. */
  readonly bytes: number;
  /** Its chunks by their place in the table. */
  readonly chunks: readonly number[];
}

/** Something in the file beside the state. */
export interface PartEntry {
  /** Its length in bytes. */
  readonly bytes: number;
  /** Its chunks by their place in the table. */
  readonly chunks: readonly number[];
}

/** A picture of the moment. */
export interface PictureEntry extends PartEntry {
  /** Its kind. */
  readonly type: MomentPictureType;
  /** Pixels a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
}

/** The kinds of picture that a moment may have. */
export const MOMENT_PICTURE_TYPES = {
  /** PNG. */
  png: "image/png",
  /** JPEG. */
  jpeg: "image/jpeg",
  /** WebP. */
  webp: "image/webp",
} as const;

/** One of `MOMENT_PICTURE_TYPES`. */
export type MomentPictureType = (typeof MOMENT_PICTURE_TYPES)[keyof typeof MOMENT_PICTURE_TYPES];

/** What a moment says of itself without being opened. */
export interface MomentFacts {
  /** Version of Dreamloop that saved it. */
  readonly dreamloopVersion: string;
  /** A name that a person gave it. */
  readonly name?: string;
  /** When it was saved (ISO 8601). */
  readonly savedAt?: string;
  /** World, weights, settings and engine that it belongs to. */
  readonly binding: StateBinding;
  /** Where in its session it is. */
  readonly position: StatePosition;
  /** The prompt in force; absent where there is none. */
  readonly prompt?: string;
}

/** The header of a moment file. */
export interface MomentHeader extends MomentFacts {
  /** Everything of the state but its arrays. */
  readonly value: Json;
  /** Its arrays. */
  readonly arrays: readonly ArrayEntry[];
  /** The trace up to the moment; absent: it was not kept. */
  readonly trace?: PartEntry;
  /** A picture of it. */
  readonly picture?: PictureEntry;
  /** All chunks of the file. */
  readonly chunks: readonly ChunkEntry[];
}

const count = finite({ integer: true, min: 0 });
/** More cannot come of the greatest content and the least chunk, arrays that are smaller than a chunk apart. */
const MAX_CHUNKS = Math.ceil(1024 ** 3 / MIN_CHUNK_BYTES) + 65_536;
const places = listOf(count, { max: MAX_CHUNKS });
const part = { bytes: finite({ integer: true, min: 0, max: 1024 ** 3 }), chunks: places };

const readHeader = shape<MomentHeader>(
  {
    dreamloopVersion: text({ maxLength: 128 }),
    name: optional(text({ maxLength: 200 })),
    savedAt: optional(text({ maxLength: 64 })),
    binding: readBinding,
    position: shape<StatePosition>({
      generation: count,
      stepIndex: count,
      sessionSeconds: finite({ min: 0 }),
      seed: count,
    }),
    prompt: optional(text({ allowBlank: true, maxLength: 10_000 })),
    value: json,
    arrays: listOf(shape<ArrayEntry>({ type: text({ maxLength: 32 }), ...part }), { max: 65_536 }),
    trace: optional(shape<PartEntry>(part)),
    picture: optional(
      shape<PictureEntry>({
        ...part,
        type: oneOf(MOMENT_PICTURE_TYPES),
        width: finite({ integer: true, min: 1, max: 16_384 }),
        height: finite({ integer: true, min: 1, max: 16_384 }),
      }),
    ),
    chunks: listOf(
      shape<ChunkEntry>({
        address: contentAddress,
        bytes: finite({ integer: true, min: 1, max: MAX_CHUNK_BYTES }),
        stored: finite({ integer: true, min: 1, max: MAX_CHUNK_BYTES }),
        coding: oneOf(CHUNK_CODINGS),
      }),
      { max: MAX_CHUNKS },
    ),
  },
  { allowUnknown: true },
);

/** Reads a header that has been parsed; checks that the table of chunks and what refers to it agree. Throws `invalid_value` naming the place. */
export function readMomentHeader(parsed: unknown): MomentHeader {
  const header = readHeader(parsed, "moment");
  const check = ({ bytes, chunks }: PartEntry, path: string): void => {
    let length = 0;
    for (const place of chunks) {
      const chunk = header.chunks[place];
      if (chunk === undefined) refuse(`${path}.chunks`, `places below ${header.chunks.length}`, place);
      length += chunk.bytes;
    }
    if (length !== bytes) refuse(`${path}.bytes`, `${length}, the sum of its chunks`, bytes);
  };
  header.arrays.forEach((array, index) => check(array, `moment.arrays[${index}]`));
  if (header.trace !== undefined) check(header.trace, "moment.trace");
  if (header.picture !== undefined) check(header.picture, "moment.picture");
  for (const [index, { bytes, stored, coding }] of header.chunks.entries()) {
    if (coding === CHUNK_CODINGS.raw && bytes !== stored)
      refuse(`moment.chunks[${index}].stored`, String(bytes), stored);
  }
  return header;
}

/** The facts of a header. */
export function factsOf(header: MomentHeader): MomentFacts {
  const { dreamloopVersion, name, savedAt, binding, position, prompt } = header;
  return {
    dreamloopVersion,
    ...(name === undefined ? {} : { name }),
    ...(savedAt === undefined ? {} : { savedAt }),
    binding,
    position,
    ...(prompt === undefined ? {} : { prompt }),
  };
}
