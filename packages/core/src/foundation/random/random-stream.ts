import { DreamloopError, ERROR_CODES } from "../dreamloop-error.ts";
import { refuse } from "../validate/reader.ts";
import { normalQuantile } from "./normal-quantile.ts";
import { PHILOX_BLOCK_WORDS, writePhiloxBlock } from "./philox.ts";
import { philoxAddress, type PhiloxAddress, type RandomStreamAddress } from "./stream-address.ts";

/** How many 32-bit words one stream holds: 2^34, four for each value of the lowest counter word. */
export const RANDOM_STREAM_WORDS = 17179869184;

/** How many words `fillUniform` and `fillNormal` make at a time. */
const CHUNK_WORDS = 1024;

const TWO_POW_32 = 4294967296;
const TWO_POW_26 = 67108864;
const TWO_POW_MINUS_52 = 1 / 4503599627370496;
const TWO_POW_MINUS_53 = 1 / 9007199254740992;

/** A typed array that random numbers are written to; each is rounded to the array's type. */
export type RandomTarget = Float32Array | Float64Array;

/**
 * A stream of random numbers that depend on its address and their position alone: nothing that other streams or
 * other sessions do changes them, and every position can be read at any time. Positions count 32-bit words.
 */
export interface RandomStream {
  /** The position (in words, from 0) at which the next sequential draw starts; the only state of a stream. */
  readonly position: number;
  /** Moves the next sequential draw to a position from 0 to `RANDOM_STREAM_WORDS`. Throws `invalid_value`. */
  seek(position: number): void;
  /** The word at a position, 0 to 2^32 - 1; does not move the stream. Throws `invalid_value` outside the stream. */
  uint32At(position: number): number;
  /** The next word, 0 to 2^32 - 1. */
  nextUint32(): number;
  /** The next uniform number in [0, 1), a multiple of 2^-53; takes two words. */
  nextUniform(): number;
  /** The next standard normal number (mean 0, variance 1, within ±8.21); takes two words. */
  nextNormal(): number;
  /**
   * The next integer in [0, bound), every value equally likely, for a bound from 1 to 2^53 - 1. A try takes one
   * word for a bound of at most 2^32, else two.
   */
  nextInteger(bound: number): number;
  /** Fills `target` with the same numbers as `nextUniform()`. Rounding to 32 bits can give 1 in a `Float32Array`. */
  fillUniform(target: RandomTarget): void;
  /** Fills `target` with the same numbers as `nextNormal()`. */
  fillNormal(target: RandomTarget): void;
}

/**
 * The random stream at an address. Every draw past the end of the stream throws `limit_exceeded`; an address out of
 * range throws `invalid_value`. Streams are cheap: make one for each step and purpose, and keep none between steps.
 */
export function randomStream(address: RandomStreamAddress): RandomStream {
  return new PhiloxStream(philoxAddress(address));
}

class PhiloxStream implements RandomStream {
  readonly #address: PhiloxAddress;
  readonly #block = new Uint32Array(PHILOX_BLOCK_WORDS);
  #blockIndex = -1;
  #position = 0;

  constructor(address: PhiloxAddress) {
    this.#address = address;
  }

  get position(): number {
    return this.#position;
  }

  seek(position: number): void {
    checkInteger("seek(position)", position, 0, RANDOM_STREAM_WORDS);
    this.#position = position;
  }

  uint32At(position: number): number {
    checkInteger("uint32At(position)", position, 0, RANDOM_STREAM_WORDS - 1);
    return this.#wordAt(position);
  }

  nextUint32(): number {
    return this.#wordAt(this.#take(1));
  }

  nextUniform(): number {
    const position = this.#take(2);
    return uniformOf(this.#wordAt(position), this.#wordAt(position + 1));
  }

  nextNormal(): number {
    const position = this.#take(2);
    return normalOf(this.#wordAt(position), this.#wordAt(position + 1));
  }

  nextInteger(bound: number): number {
    checkInteger("nextInteger(bound)", bound, 1, Number.MAX_SAFE_INTEGER);
    const isNarrow = bound <= TWO_POW_32;
    const range = isNarrow ? TWO_POW_32 : Number.MAX_SAFE_INTEGER + 1;
    const fair = range - (range % bound);
    for (;;) {
      const draw = isNarrow ? this.nextUint32() : this.nextUniform() * range;
      if (draw < fair) return draw % bound;
    }
  }

  fillUniform(target: RandomTarget): void {
    checkTarget("fillUniform", target);
    let index = 0;
    for (const words of this.#wordChunks(target.length)) {
      for (let word = 0; word < words.length; word += 2) {
        target[index] = uniformOf(words[word], words[word + 1]);
        index += 1;
      }
    }
  }

  fillNormal(target: RandomTarget): void {
    checkTarget("fillNormal", target);
    let index = 0;
    for (const words of this.#wordChunks(target.length)) {
      for (let word = 0; word < words.length; word += 2) {
        target[index] = normalOf(words[word], words[word + 1]);
        index += 1;
      }
    }
  }

  /** The next `pairs` pairs of words in pieces; a piece is overwritten by the next one. */
  *#wordChunks(pairs: number): Generator<Uint32Array> {
    const { key0, key1, counter1, counter2, counter3 } = this.#address;
    const end = this.#position + 2 * pairs;
    let position = this.#take(2 * pairs);
    const words = new Uint32Array(Math.min(CHUNK_WORDS, 2 * pairs + 2 * PHILOX_BLOCK_WORDS));
    while (position < end) {
      const firstBlock = Math.floor(position / PHILOX_BLOCK_WORDS);
      const skipped = position - firstBlock * PHILOX_BLOCK_WORDS;
      const wanted = Math.min(end - position, (words.length - skipped) & ~1);
      const blocks = Math.ceil((skipped + wanted) / PHILOX_BLOCK_WORDS);
      for (let block = 0; block < blocks; block += 1) {
        const offset = block * PHILOX_BLOCK_WORDS;
        writePhiloxBlock(words, offset, firstBlock + block, counter1, counter2, counter3, key0, key1);
      }
      yield words.subarray(skipped, skipped + wanted);
      position += wanted;
    }
  }

  #take(words: number): number {
    const position = this.#position;
    if (position + words > RANDOM_STREAM_WORDS) {
      throw new DreamloopError(
        ERROR_CODES.limitExceeded,
        `RandomStream is exhausted: ${words} more words were asked for at position ${position} of ${RANDOM_STREAM_WORDS}; ` +
          "use another step, sub-step or stream.",
      );
    }
    this.#position = position + words;
    return position;
  }

  #wordAt(position: number): number {
    const blockIndex = Math.floor(position / PHILOX_BLOCK_WORDS);
    if (blockIndex !== this.#blockIndex) {
      const { key0, key1, counter1, counter2, counter3 } = this.#address;
      writePhiloxBlock(this.#block, 0, blockIndex, counter1, counter2, counter3, key0, key1);
      this.#blockIndex = blockIndex;
    }
    return this.#block[position - blockIndex * PHILOX_BLOCK_WORDS];
  }
}

/** 53 bits as a number in [0, 1): 27 from the first word, 26 from the second. */
function uniformOf(first: number, second: number): number {
  return ((first >>> 5) * TWO_POW_26 + (second >>> 6)) * TWO_POW_MINUS_53;
}

/** 52 bits as the middle of one of 2^52 equal parts of (0, 1), then the quantile there; symmetric about 0. */
function normalOf(first: number, second: number): number {
  return normalQuantile(((first >>> 6) * TWO_POW_26 + (second >>> 6) + 0.5) * TWO_POW_MINUS_52 - 0.5);
}

/** Integers would lose what is drawn, and a list has no type to round to. */
function checkTarget(method: string, target: unknown): void {
  const kind = Object.prototype.toString.call(target);
  if (kind === "[object Float32Array]" || kind === "[object Float64Array]") return;
  refuse(`RandomStream.${method}(target)`, "a Float32Array or Float64Array", target);
}

function checkInteger(what: string, value: number, smallest: number, largest: number): void {
  if (Number.isInteger(value) && value >= smallest && value <= largest) return;
  throw new DreamloopError(
    ERROR_CODES.invalidValue,
    `RandomStream.${what} is out of range: found ${String(value)}; use an integer from ${smallest} to ${largest}.`,
  );
}
