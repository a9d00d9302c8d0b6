import { DreamloopError, ERROR_CODES } from "../dreamloop-error.ts";

/** The largest sub-step of a step; eleven bits of the counter. */
export const MAX_SUB_STEP = 2047;

/** The largest stream that is given as an integer; names take the numbers above it. */
export const MAX_STREAM_NUMBER = 0x7fffffff;

/** The longest name of a stream, in characters. */
export const MAX_STREAM_NAME_LENGTH = 128;

/** The largest seed that is given as a bigint: 2^64 - 1, the size of the key. */
export const MAX_SEED = 0xffffffffffffffffn;

const FIELDS: readonly string[] = ["seed", "step", "subStep", "stream"] satisfies (keyof RandomStreamAddress)[];
const NAME_BIT = 0x80000000;
const TWO_POW_32 = 4294967296;
const SUB_STEP_SHIFT = 21;
const FNV_OFFSET_BASIS = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;

/** Where in the space of all random numbers a stream lies. */
export interface RandomStreamAddress {
  /** The seed of the rollout: an integer from 0 to 2^53 - 1 or a bigint from 0 to 2^64 - 1; 7 and 7n are one. */
  readonly seed: number | bigint;
  /** The step of the rollout, an integer from 0 to 2^53 - 1. */
  readonly step: number;
  /** The part of the step, such as a denoising step: an integer from 0 to 2047; default 0. */
  readonly subStep?: number;
  /** What the numbers are for: a name of 1 to 128 printable ASCII characters, or an integer from 0 to 2^31 - 1. */
  readonly stream: string | number;
}

/** The 32-bit words of a stream's key and of the upper three quarters of its counter. */
export interface PhiloxAddress {
  /** Seed, bits 0 to 31. */
  readonly key0: number;
  /** Seed, bits 32 to 63. */
  readonly key1: number;
  /** Step, bits 0 to 31. */
  readonly counter1: number;
  /** Step, bits 32 to 52, and the sub-step in the upper eleven bits. */
  readonly counter2: number;
  /** The stream's number. */
  readonly counter3: number;
}

/**
 * Maps seed, step, sub-step and stream to Philox key and counter; the mapping is one to one, so two different
 * addresses never share a counter under a key (docs/random.md); for names that holds once `assertDistinctStreams` has
 * passed them. Throws `invalid_value` naming the field.
 */
export function philoxAddress(address: RandomStreamAddress): PhiloxAddress {
  if (typeof address !== "object" || address === null) {
    throw new DreamloopError(
      ERROR_CODES.invalidValue,
      `RandomStreamAddress: expected an object, found ${String(address)}; name seed, step and stream`,
    );
  }
  for (const field in address) {
    if (!FIELDS.includes(field)) refuse(field, "found an unknown field", `use ${FIELDS.join(", ")}`);
  }
  const seed = seedOf(address.seed);
  const step = integerOf("step", address.step, Number.MAX_SAFE_INTEGER);
  const subStep = integerOf("subStep", address.subStep ?? 0, MAX_SUB_STEP);
  const stream = streamNumber(address.stream);
  const stepHigh = Math.floor(step / TWO_POW_32);
  return {
    key0: Number(seed & 0xffffffffn),
    key1: Number(seed >> 32n),
    counter1: step >>> 0,
    counter2: ((subStep << SUB_STEP_SHIFT) | stepHigh) >>> 0,
    counter3: stream,
  };
}

/**
 * The number of a stream: an integer below 2^31 is its own, a name becomes the 32-bit FNV-1a hash of its characters
 * (Fowler, Noll and Vo) with the uppermost bit set, so that no name meets an integer. Throws `invalid_value`.
 */
export function streamNumber(stream: string | number): number {
  if (typeof stream !== "string") return integerOf("stream", stream, MAX_STREAM_NUMBER);
  if (stream.length < 1 || stream.length > MAX_STREAM_NAME_LENGTH) {
    refuse("stream", `found a name of ${stream.length} characters`, `use 1 to ${MAX_STREAM_NAME_LENGTH} characters`);
  }
  let hash = FNV_OFFSET_BASIS;
  for (let index = 0; index < stream.length; index += 1) {
    const code = stream.charCodeAt(index);
    if (code < 0x20 || code > 0x7e) {
      refuse(
        "stream",
        `found ${JSON.stringify(stream)}`,
        "use printable ASCII characters only, so that every language hashes the same bytes",
      );
    }
    hash = Math.imul(hash ^ code, FNV_PRIME);
  }
  return (hash | NAME_BIT) >>> 0;
}

/**
 * Refuses a set of stream names of which two have the same number, or which holds a name twice. A world that draws
 * from several named streams calls this once with all of them. Throws `invalid_value` naming both.
 */
export function assertDistinctStreams(streams: readonly (string | number)[]): void {
  const byNumber = new Map<number, string | number>();
  for (const stream of streams) {
    const number = streamNumber(stream);
    const other = byNumber.get(number);
    if (other !== undefined) {
      const found = `found ${JSON.stringify(other)} and ${JSON.stringify(stream)}, which share number ${number}`;
      refuse("stream", found, "rename one of them");
    }
    byNumber.set(number, stream);
  }
}

function seedOf(seed: unknown): bigint {
  if (typeof seed === "bigint") {
    if (seed >= 0n && seed <= MAX_SEED) return seed;
    return refuse("seed", `found ${seed}n`, "use a bigint from 0 to 2^64 - 1");
  }
  return BigInt(integerOf("seed", seed, Number.MAX_SAFE_INTEGER));
}

function integerOf(field: string, value: unknown, largest: number): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= largest) return value + 0;
  const found = typeof value === "string" ? JSON.stringify(value) : String(value);
  const alternative = field === "stream" ? "a name or " : "";
  return refuse(field, `found ${found}`, `use ${alternative}an integer from 0 to ${largest}`);
}

function refuse(field: string, found: string, advice: string): never {
  throw new DreamloopError(
    ERROR_CODES.invalidValue,
    `RandomStreamAddress.${field} is not usable: ${found}; ${advice}.`,
  );
}
