import { BitReader, BitWriter } from "./bits.ts";
import { withEmulationPrevention, withoutEmulationPrevention } from "./annex-b.ts";
import { copyVuiTail, readVui, writeVuiHead, type VuiPositions } from "./vui.ts";

/** Colour of a stream as its sequence parameter set tells it; numbers from ITU-T H.273. */
export interface StreamColor {
  /** Colour primaries; 1 is BT.709. */
  readonly primaries: number;
  /** Transfer characteristics; 1 is BT.709. */
  readonly transfer: number;
  /** Matrix coefficients; 1 is BT.709. */
  readonly matrix: number;
  /** Whether black and white are 0 and 255. */
  readonly isFullRange: boolean;
}

/** BT.709 throughout, limited range. */
export const BT709_LIMITED: StreamColor = { primaries: 1, transfer: 1, matrix: 1, isFullRange: false };

/** What a sequence parameter set says. */
export interface SequenceParameters {
  /** `profile_idc`, such as 66 (baseline), 77 (main), 100 (high). */
  readonly profile: number;
  /** The eight constraint bits. */
  readonly constraints: number;
  /** Ten times the level. */
  readonly level: number;
  /** Columns that are shown. */
  readonly width: number;
  /** Rows that are shown. */
  readonly height: number;
  /** Columns that are coded: a multiple of 16. */
  readonly codedWidth: number;
  /** Rows that are coded. */
  readonly codedHeight: number;
  /** Pictures that may be referred to. */
  readonly referenceFrames: number;
  /** Colour; absent when the stream does not tell. */
  readonly color: StreamColor | undefined;
  /** Frames that a decoder has to hold back for reordering; absent when the stream does not tell. */
  readonly reorderFrames: number | undefined;
}

/** The codec string of RFC 6381, such as `avc1.42c01f`. */
export function avcCodecString(sps: SequenceParameters): string {
  const hex = (value: number) => value.toString(16).padStart(2, "0");
  return `avc1.${hex(sps.profile)}${hex(sps.constraints)}${hex(sps.level)}`;
}

/** Profiles whose parameter set carries chroma format, depths and scaling lists (7.3.2.1.1). */
const HIGH_PROFILES = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]);

interface ParsedSps extends SequenceParameters {
  readonly payload: Uint8Array;
  /** Bit at which the cropping flag stands. */
  readonly croppingAt: number;
  readonly cropUnitX: number;
  readonly cropUnitY: number;
  readonly vui: VuiPositions | undefined;
}

/** Reads a sequence parameter set (a NAL unit with its header byte). Throws `RangeError` when it ends early. */
export function readSps(unit: Uint8Array): SequenceParameters {
  const { payload: _payload, croppingAt: _croppingAt, cropUnitX: _x, cropUnitY: _y, vui: _vui, ...facts } = parse(unit);
  return facts;
}

/**
 * The same parameter set with other cropping and colour: the picture that is shown is the upper left `width` × `height`, chroma is sited left and,
 * since nothing here reorders frames, decoders are told that they need not hold any back. Sizes must fit the chroma format; throws `RangeError`.
 */
export function rewriteSps(
  unit: Uint8Array,
  wanted: { width: number; height: number; color: StreamColor },
): Uint8Array {
  const sps = parse(unit);
  const right = (sps.codedWidth - wanted.width) / sps.cropUnitX;
  const bottom = (sps.codedHeight - wanted.height) / sps.cropUnitY;
  if (!Number.isInteger(right) || !Number.isInteger(bottom) || right < 0 || bottom < 0) {
    throw new RangeError(
      `${wanted.width}×${wanted.height} cannot be cut out of ${sps.codedWidth}×${sps.codedHeight} in steps of ${sps.cropUnitX}×${sps.cropUnitY}`,
    );
  }
  const writer = new BitWriter();
  writer.copy(sps.payload, 0, sps.croppingAt);
  writer.flag(right > 0 || bottom > 0);
  if (right > 0 || bottom > 0) for (const side of [0, right, 0, bottom]) writer.unsigned(side);
  writer.flag(true);
  writeVuiHead(writer, { payload: sps.payload, vui: sps.vui, color: wanted.color });
  copyVuiTail(writer, { payload: sps.payload, vui: sps.vui, referenceFrames: sps.referenceFrames });
  return Uint8Array.from([unit[0], ...withEmulationPrevention(writer.finish())]);
}

function parse(unit: Uint8Array): ParsedSps {
  const payload = withoutEmulationPrevention(unit.subarray(1));
  const reader = new BitReader(payload);
  const profile = reader.bits(8);
  const constraints = reader.bits(8);
  const level = reader.bits(8);
  reader.unsigned(); // seq_parameter_set_id
  const chromaFormat = HIGH_PROFILES.has(profile) ? readHighProfile(reader) : 1;
  reader.unsigned(); // log2_max_frame_num_minus4
  readPictureOrder(reader);
  const referenceFrames = reader.unsigned();
  reader.flag(); // gaps_in_frame_num_value_allowed_flag
  const codedWidth = (reader.unsigned() + 1) * 16;
  const mapUnits = reader.unsigned() + 1;
  const isProgressive = reader.flag();
  if (!isProgressive) reader.flag(); // mb_adaptive_frame_field_flag
  reader.flag(); // direct_8x8_inference_flag
  const codedHeight = mapUnits * 16 * (isProgressive ? 1 : 2);
  const croppingAt = reader.position;
  const cropUnitX = chromaFormat === 1 || chromaFormat === 2 ? 2 : 1;
  const cropUnitY = (chromaFormat === 1 ? 2 : 1) * (isProgressive ? 1 : 2);
  const [left, right, top, bottom] = reader.flag()
    ? [reader.unsigned(), reader.unsigned(), reader.unsigned(), reader.unsigned()]
    : [0, 0, 0, 0];
  const vui = reader.flag() ? readVui(reader) : undefined;
  return {
    profile,
    constraints,
    level,
    width: codedWidth - (left + right) * cropUnitX,
    height: codedHeight - (top + bottom) * cropUnitY,
    codedWidth,
    codedHeight,
    referenceFrames,
    color: vui?.color,
    reorderFrames: vui?.reorderFrames,
    payload,
    croppingAt,
    cropUnitX,
    cropUnitY,
    vui,
  };
}

/** Gives the chroma format: 0 to 3 for none, 4:2:0, 4:2:2 and 4:4:4. */
function readHighProfile(reader: BitReader): number {
  const chromaFormat = reader.unsigned();
  if (chromaFormat === 3) reader.flag(); // separate_colour_plane_flag
  reader.unsigned(); // bit_depth_luma_minus8
  reader.unsigned(); // bit_depth_chroma_minus8
  reader.flag(); // qpprime_y_zero_transform_bypass_flag
  if (reader.flag()) {
    for (let list = 0; list < (chromaFormat === 3 ? 12 : 8); list += 1) {
      if (reader.flag()) skipScalingList(reader, list < 6 ? 16 : 64);
    }
  }
  return chromaFormat;
}

function skipScalingList(reader: BitReader, size: number): void {
  let last = 8;
  let next = 8;
  for (let index = 0; index < size; index += 1) {
    if (next !== 0) next = (last + reader.signed() + 256) % 256;
    if (next !== 0) last = next;
  }
}

function readPictureOrder(reader: BitReader): void {
  const type = reader.unsigned();
  if (type === 0) reader.unsigned(); // log2_max_pic_order_cnt_lsb_minus4
  if (type !== 1) return;
  reader.flag(); // delta_pic_order_always_zero_flag
  reader.signed(); // offset_for_non_ref_pic
  reader.signed(); // offset_for_top_to_bottom_field
  const cycle = reader.unsigned();
  for (let index = 0; index < cycle; index += 1) reader.signed();
}
