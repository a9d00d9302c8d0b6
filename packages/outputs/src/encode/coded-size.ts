import { VIDEO_CODECS, type VideoCodec } from "./video-encoder.ts";

/** Smallest side that the H.264 encoders in use take. */
export const MIN_H264_SIDE = 16;

/** A size and what has to be added to reach it. */
export interface CodedSize {
  /** Columns handed to the encoder: even. */
  readonly codedWidth: number;
  /** Rows handed to the encoder: even. */
  readonly codedHeight: number;
  /** Columns that a decoder shows. */
  readonly width: number;
  /** Rows that a decoder shows. */
  readonly height: number;
}

/**
 * The rule for sizes. H.264 with 4:2:0 chroma can only show even sizes (its cropping counts in pairs), so an odd side gets one more column or row that
 * repeats the edge, and that is the size of the video. Sides below 16 are padded to 16 in the same way and cropped by the stream itself.
 * VP8 shows every size; it is fed even ones and its frame header tells the true size.
 */
export function codedSize(codec: VideoCodec, width: number, height: number): CodedSize {
  const even = { width: width + (width % 2), height: height + (height % 2) };
  if (codec === VIDEO_CODECS.vp8) return { codedWidth: even.width, codedHeight: even.height, width, height };
  return {
    codedWidth: Math.max(MIN_H264_SIDE, even.width),
    codedHeight: Math.max(MIN_H264_SIDE, even.height),
    ...even,
  };
}
