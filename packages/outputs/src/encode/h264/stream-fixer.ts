import { joinAnnexB, NAL_TYPES, nalType, splitAnnexB, withoutEmulationPrevention } from "./annex-b.ts";
import { BitReader } from "./bits.ts";
import { readSps, rewriteSps, type SequenceParameters, type StreamColor } from "./sps.ts";

/** What a stream is to say about itself, whatever its encoder wrote. */
export interface WantedStream {
  /** Columns that are shown. */
  readonly width: number;
  /** Rows that are shown. */
  readonly height: number;
  /** Colour. */
  readonly color: StreamColor;
}

/** One access unit after `H264StreamFixer`. */
export interface FixedAccessUnit {
  /** Annex B, memory of its own. */
  readonly data: Uint8Array;
  /** Whether decoding can start here. */
  readonly isKeyFrame: boolean;
  /** Whether it refers to later pictures, and so is out of order. */
  readonly isBFrame: boolean;
}

/**
 * Makes the access units of an H.264 encoder say what they should: the parameter sets carry colour, chroma siting and cropping, they
 * precede every key frame, and delimiters are left out.
 */
export class H264StreamFixer {
  readonly #wanted: WantedStream;
  #sps: Uint8Array | undefined;
  #pps: readonly Uint8Array[] = [];
  #parameters: SequenceParameters | undefined;

  /** `wanted` holds for the whole stream. */
  constructor(wanted: WantedStream) {
    this.#wanted = wanted;
  }

  /** What the stream says now; absent before its first key frame. */
  get parameters(): SequenceParameters | undefined {
    return this.#parameters;
  }

  /** Takes parameter sets that come apart from the frames. */
  takeParameterSets(units: readonly Uint8Array[]): void {
    const sps = units.find((unit) => nalType(unit) === NAL_TYPES.sps);
    if (sps !== undefined) {
      this.#sps = rewriteSps(sps, this.#wanted);
      this.#parameters = readSps(this.#sps);
    }
    const pps = units.filter((unit) => nalType(unit) === NAL_TYPES.pps);
    if (pps.length > 0) this.#pps = pps.map((unit) => Uint8Array.from(unit));
  }

  /** Mends one access unit given as Annex B. Throws `RangeError` when its parameter sets cannot be read or are missing. */
  fixAnnexB(stream: Uint8Array): FixedAccessUnit {
    return this.fixUnits(splitAnnexB(stream));
  }

  /** Mends one access unit given as NAL units. */
  fixUnits(units: readonly Uint8Array[]): FixedAccessUnit {
    this.takeParameterSets(units);
    const isKeyFrame = units.some((unit) => nalType(unit) === NAL_TYPES.idrSlice);
    const picture = units.filter((unit) => {
      const type = nalType(unit);
      return type !== NAL_TYPES.sps && type !== NAL_TYPES.pps && type !== NAL_TYPES.accessUnitDelimiter;
    });
    if (!isKeyFrame) return { data: joinAnnexB(picture), isKeyFrame, isBFrame: hasBSlice(picture) };
    if (this.#sps === undefined || this.#pps.length === 0)
      throw new RangeError("a key frame came without parameter sets");
    return { data: joinAnnexB([this.#sps, ...this.#pps, ...picture]), isKeyFrame, isBFrame: false };
  }
}

/** Kinds of slices (ITU-T H.264, table 7-6); 5 more says that all slices of the picture are alike. */
const SLICE_KINDS = 5;
const B_SLICE = 1;
/** The two codes at the start of a slice header have at most this many bytes, bytes against start codes included. */
const HEAD_BYTES = 16;

/** Whether one of the NAL units of a picture is a slice that refers to later pictures too. Throws `RangeError` for a slice that ends early. */
export function hasBSlice(units: readonly Uint8Array[]): boolean {
  return units.some((unit) => nalType(unit) === NAL_TYPES.slice && sliceKind(unit) === B_SLICE);
}

function sliceKind(unit: Uint8Array): number {
  const reader = new BitReader(withoutEmulationPrevention(unit.subarray(1, 1 + HEAD_BYTES)));
  reader.unsigned(); // first_mb_in_slice
  return reader.unsigned() % SLICE_KINDS;
}
