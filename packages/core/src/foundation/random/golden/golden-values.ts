import * as maths from "../../maths/index.ts";
import { randomStream } from "../random-stream.ts";
import type { RandomStreamAddress } from "../stream-address.ts";

/** What one stream gives, as bit patterns. */
export interface GoldenStream {
  /** Where the stream lies; a seed of more than 53 bits is written as decimal text. */
  readonly address: Omit<RandomStreamAddress, "seed"> & { readonly seed: number | string };
  /** The first eight words, in hexadecimal. */
  readonly words: readonly string[];
  /** The first four uniform numbers, as the 64 bits of a double in hexadecimal. */
  readonly uniforms: readonly string[];
  /** The first four normal numbers, in the same way. */
  readonly normals: readonly string[];
  /** FNV-1a over the bits of the first 5,376 normal numbers as 32-bit floats. */
  readonly float32NormalsChecksum: string;
  /** The first five integers below 1,000,003. */
  readonly integers: readonly number[];
}

/** What one function gives, as bit patterns. */
export interface GoldenFunction {
  /** The name of the function. */
  readonly name: string;
  /** Results at six of the arguments, as the 64 bits of a double in hexadecimal. */
  readonly samples: readonly string[];
  /** FNV-1a over the bits of the results at all 4,096 arguments. */
  readonly checksum: string;
}

/** The bit patterns that every engine must give. */
export interface GoldenValues {
  /** Random streams at addresses that reach into every part of key and counter. */
  readonly streams: readonly GoldenStream[];
  /** Every exact function over a range that uses all of its branches. */
  readonly functions: readonly GoldenFunction[];
}

const LATENT_VALUES = 5376;
const ARGUMENTS = 4096;
const SAMPLES = 6;

const ADDRESSES: readonly GoldenStream["address"][] = [
  { seed: 7, step: 3, subStep: 1, stream: "noise" },
  { seed: 0, step: 0, subStep: 0, stream: 0 },
  { seed: Number.MAX_SAFE_INTEGER, step: Number.MAX_SAFE_INTEGER, subStep: 2047, stream: 2147483647 },
  { seed: "18446744073709551615", step: 4294967301, subStep: 2, stream: "traffic lights" },
];

type ExactFunction = (first: number, second: number) => number;

/** Each function with the range of its first and second argument; "log" ranges are exponents of two, of either sign. */
const FUNCTIONS: readonly (readonly [string, ExactFunction, Range, Range?])[] = [
  ["exactSin", maths.exactSin, { from: -40, to: 60, scale: "log" }],
  ["exactCos", maths.exactCos, { from: -40, to: 60, scale: "log" }],
  ["exactTan", maths.exactTan, { from: -40, to: 1023, scale: "log" }],
  ["exactAtan", maths.exactAtan, { from: -40, to: 60, scale: "log" }],
  ["exactAtan2", maths.exactAtan2, { from: -9, to: 9, scale: "linear" }, { from: -9, to: 9, scale: "linear" }],
  ["exactAsin", maths.exactAsin, { from: -1, to: 1, scale: "linear" }],
  ["exactAcos", maths.exactAcos, { from: -1, to: 1, scale: "linear" }],
  ["exactExp", maths.exactExp, { from: -746, to: 711, scale: "linear" }],
  ["exactLog", (value) => maths.exactLog(Math.abs(value)), { from: -1074, to: 1023, scale: "log" }],
  ["exactTanh", maths.exactTanh, { from: -30, to: 6, scale: "log" }],
  [
    "exactPow",
    (base, exponent) => maths.exactPow(Math.abs(base), exponent),
    { from: -60, to: 60, scale: "log" },
    { from: -20, to: 20, scale: "linear" },
  ],
  ["exactHypot", maths.exactHypot, { from: -1074, to: 1022, scale: "log" }, { from: -600, to: 600, scale: "log" }],
];

interface Range {
  readonly from: number;
  readonly to: number;
  readonly scale: "linear" | "log";
}

/** Computes the golden values on the engine that runs this. */
export function computeGoldenValues(): GoldenValues {
  return {
    streams: ADDRESSES.map(goldenStream),
    functions: FUNCTIONS.map(([name, exact, first, second]) => goldenFunction(name, exact, first, second ?? first)),
  };
}

function goldenStream(address: GoldenStream["address"]): GoldenStream {
  const seed = typeof address.seed === "string" ? BigInt(address.seed) : address.seed;
  const fresh = () => randomStream({ ...address, seed });
  const [words, uniforms, normals, integers] = [fresh(), fresh(), fresh(), fresh()];
  const latent = new Float32Array(LATENT_VALUES);
  fresh().fillNormal(latent);
  return {
    address,
    words: Array.from({ length: 8 }, () => hexadecimal(words.nextUint32())),
    uniforms: Array.from({ length: 4 }, () => doubleBits(uniforms.nextUniform())),
    normals: Array.from({ length: 4 }, () => doubleBits(normals.nextNormal())),
    float32NormalsChecksum: checksum(latent),
    integers: Array.from({ length: 5 }, () => integers.nextInteger(1_000_003)),
  };
}

function goldenFunction(name: string, exact: ExactFunction, first: Range, second: Range): GoldenFunction {
  const stream = randomStream({ seed: 1, step: 0, stream: name });
  const argument = ({ from, to, scale }: Range): number => {
    const position = from + (to - from) * stream.nextUniform();
    if (scale === "linear") return position;
    const sign = stream.nextInteger(2) === 0 ? 1 : -1;
    return sign * (1 + stream.nextUniform()) * maths.exactPow(2, Math.floor(position));
  };
  const results = Float64Array.from({ length: ARGUMENTS }, () => exact(argument(first), argument(second)));
  return {
    name,
    samples: Array.from(results.subarray(0, SAMPLES), doubleBits),
    checksum: checksum(results),
  };
}

function hexadecimal(word: number): string {
  return word.toString(16).padStart(8, "0");
}

function doubleBits(value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return hexadecimal(view.getUint32(0)) + hexadecimal(view.getUint32(4));
}

/** 32-bit FNV-1a over the bits of the values, with a big-endian word where the original takes a byte. */
function checksum(values: Float32Array | Float64Array): string {
  const view = new DataView(new ArrayBuffer(values.byteLength));
  values.forEach((value, index) => {
    if (values.BYTES_PER_ELEMENT === 4) view.setFloat32(index * 4, value);
    else view.setFloat64(index * 8, value);
  });
  let hash = 0x811c9dc5;
  for (let offset = 0; offset < view.byteLength; offset += 4) {
    hash = Math.imul(hash ^ view.getUint32(offset), 0x01000193);
  }
  return hexadecimal(hash >>> 0);
}
