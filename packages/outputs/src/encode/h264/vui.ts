import type { BitReader, BitWriter } from "./bits.ts";
import type { StreamColor } from "./sps.ts";

/** Where the parts of the usability information (ITU-T H.264, annex E) lie in the payload of a parameter set, in bits. */
export interface VuiPositions {
  /** Aspect ratio and overscan: kept. */
  readonly start: number;
  /** Signal type and chroma location: replaced. */
  readonly signalAt: number;
  /** Timing, buffering and picture structure: kept. */
  readonly timingAt: number;
  /** Restrictions of the bitstream: replaced. */
  readonly restrictionAt: number;
  /** Colour, when told. */
  readonly color: StreamColor | undefined;
  /** Frames that a decoder holds back, when told. */
  readonly reorderFrames: number | undefined;
}

/** `video_format` 5: unspecified. */
const VIDEO_FORMAT_UNSPECIFIED = 5;
/** `aspect_ratio_idc` 255: the ratio follows in two numbers. */
const EXTENDED_ASPECT_RATIO = 255;
/** `log2_max_mv_length` without a limit of its own. */
const LONGEST_MOTION_VECTOR = 16;

/** Reads usability information from its first bit on. */
export function readVui(reader: BitReader): VuiPositions {
  const start = reader.position;
  if (reader.flag() && reader.bits(8) === EXTENDED_ASPECT_RATIO) reader.bits(32);
  if (reader.flag()) reader.flag(); // overscan
  const signalAt = reader.position;
  const color = reader.flag() ? readSignalType(reader) : undefined;
  if (reader.flag()) {
    reader.unsigned(); // chroma_sample_loc_type_top_field
    reader.unsigned(); // chroma_sample_loc_type_bottom_field
  }
  const timingAt = reader.position;
  if (reader.flag()) {
    reader.bits(32); // num_units_in_tick
    reader.bits(32); // time_scale
    reader.flag(); // fixed_frame_rate_flag
  }
  const hasNalBuffer = reader.flag();
  if (hasNalBuffer) skipBuffering(reader);
  const hasVclBuffer = reader.flag();
  if (hasVclBuffer) skipBuffering(reader);
  if (hasNalBuffer || hasVclBuffer) reader.flag(); // low_delay_hrd_flag
  reader.flag(); // pic_struct_present_flag
  const restrictionAt = reader.position;
  const reorderFrames = reader.flag() ? readReorderFrames(reader) : undefined;
  return { start, signalAt, timingAt, restrictionAt, color, reorderFrames };
}

function readSignalType(reader: BitReader): StreamColor {
  reader.bits(3); // video_format
  const isFullRange = reader.flag();
  // 2 is "unspecified" in all three tables.
  const [primaries, transfer, matrix] = reader.flag() ? [reader.bits(8), reader.bits(8), reader.bits(8)] : [2, 2, 2];
  return { primaries, transfer, matrix, isFullRange };
}

function skipBuffering(reader: BitReader): void {
  const buffers = reader.unsigned() + 1;
  reader.bits(8); // bit_rate_scale, cpb_size_scale
  for (let index = 0; index < buffers; index += 1) {
    reader.unsigned();
    reader.unsigned();
    reader.flag();
  }
  reader.bits(20); // four lengths of 5 bits
}

function readReorderFrames(reader: BitReader): number {
  reader.flag(); // motion_vectors_over_pic_boundaries_flag
  for (let skipped = 0; skipped < 4; skipped += 1) reader.unsigned();
  const reorderFrames = reader.unsigned();
  reader.unsigned(); // max_dec_frame_buffering
  return reorderFrames;
}

/** Writes usability information up to the timing: aspect ratio as before, then colour and left-sited chroma. */
export function writeVuiHead(
  writer: BitWriter,
  from: { readonly payload: Uint8Array; readonly vui: VuiPositions | undefined; readonly color: StreamColor },
): void {
  const { payload, vui, color } = from;
  if (vui === undefined) writer.bits(0, 2);
  else writer.copy(payload, vui.start, vui.signalAt);
  writer.flag(true);
  writer.bits(VIDEO_FORMAT_UNSPECIFIED, 3);
  writer.flag(color.isFullRange);
  writer.flag(true);
  for (const code of [color.primaries, color.transfer, color.matrix]) writer.bits(code, 8);
  writer.flag(true);
  writer.unsigned(0);
  writer.unsigned(0);
}

/** Writes the rest: timing and buffering as before, then that no frame is reordered. */
export function copyVuiTail(
  writer: BitWriter,
  from: { readonly payload: Uint8Array; readonly vui: VuiPositions | undefined; readonly referenceFrames: number },
): void {
  const { payload, vui, referenceFrames } = from;
  if (vui === undefined) writer.bits(0, 4);
  else writer.copy(payload, vui.timingAt, vui.restrictionAt);
  writer.flag(true);
  writer.flag(true); // motion vectors may point over the edges
  writer.unsigned(0);
  writer.unsigned(0);
  writer.unsigned(LONGEST_MOTION_VECTOR);
  writer.unsigned(LONGEST_MOTION_VECTOR);
  writer.unsigned(0); // max_num_reorder_frames
  writer.unsigned(Math.max(1, referenceFrames)); // max_dec_frame_buffering
}
