import { NAL_TYPES, nalType, withoutEmulationPrevention } from "./annex-b.ts";
import { BitReader } from "./bits.ts";

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
