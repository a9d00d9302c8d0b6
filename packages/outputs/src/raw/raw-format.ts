import type { SessionDescription } from "@dreamloop/core";
import { rgbToI420 } from "../color/rgb-to-i420.ts";
import type { VideoRange } from "../color/i420.ts";

/** The kinds of uncompressed video. */
export const RAW_FORMATS = {
  /** Packed RGB8 frames one after the other, with no header at all. */
  rgb: "rgb",
  /** YUV4MPEG2, 4:2:0, BT.709. */
  y4m: "y4m",
} as const;

/** One of `RAW_FORMATS`. */
export type RawFormat = (typeof RAW_FORMATS)[keyof typeof RAW_FORMATS];

/** Turns frames into the bytes of one raw format. */
export interface RawFrameCoder {
  /** Media type of the result. */
  readonly kind: string;
  /** Bytes before the first frame. */
  readonly header: Uint8Array;
  /** Columns of a frame in the file. */
  readonly width: number;
  /** Rows of a frame in the file. */
  readonly height: number;
  /** Bytes of each frame; valid until the next call. */
  encode(rgb: Uint8Array): Uint8Array;
}

/** The coder of `format` for sessions of this description. */
export function rawFrameCoder(
  format: RawFormat,
  description: SessionDescription,
  range: VideoRange = "limited",
): RawFrameCoder {
  return format === RAW_FORMATS.y4m ? y4mCoder(description, range) : rgbCoder(description);
}

function rgbCoder({ width, height }: SessionDescription): RawFrameCoder {
  return { kind: "video/x-raw", header: new Uint8Array(0), width, height, encode: (rgb) => rgb };
}

/**
 * Odd sizes stay as they are in the header: YUV4MPEG2 defines chroma planes of (width + 1) / 2 by (height + 1) / 2. The format has no field for
 * the matrix; the comments are those that mjpegtools and FFmpeg know (`XYSCSS`, `XCOLORRANGE`) and one of our own (`XMATRIX`).
 */
function y4mCoder(description: SessionDescription, range: VideoRange): RawFrameCoder {
  const { width, height, framesPerSecond } = description;
  const [numerator, denominator] = fraction(framesPerSecond);
  const fields = [
    `W${width}`,
    `H${height}`,
    `F${numerator}:${denominator}`,
    "Ip",
    "A1:1",
    "C420mpeg2",
    "XYSCSS=420MPEG2",
    `XCOLORRANGE=${range === "limited" ? "LIMITED" : "FULL"}`,
    "XMATRIX=BT709",
  ];
  const header = Buffer.from(`YUV4MPEG2 ${fields.join(" ")}\n`, "latin1");
  const frameHeader = Buffer.from("FRAME\n", "latin1");
  const chromaWidth = (width + 1) >> 1;
  const chromaHeight = (height + 1) >> 1;
  const codedWidth = 2 * chromaWidth;
  const codedHeight = 2 * chromaHeight;
  const lumaBytes = width * height;
  const chromaBytes = chromaWidth * chromaHeight;
  const frame = new Uint8Array(frameHeader.byteLength + lumaBytes + 2 * chromaBytes);
  frame.set(frameHeader);
  const isEven = codedWidth === width && codedHeight === height;
  const pixels = frame.subarray(frameHeader.byteLength);
  const planes = isEven ? pixels : new Uint8Array(codedWidth * codedHeight + 2 * chromaBytes);
  const encode = (rgb: Uint8Array) => {
    rgbToI420({ rgb, width, height, range, into: planes });
    if (!isEven) {
      for (let row = 0; row < height; row += 1) {
        pixels.set(planes.subarray(row * codedWidth, row * codedWidth + width), row * width);
      }
      pixels.set(planes.subarray(codedWidth * codedHeight), lumaBytes);
    }
    return frame;
  };
  return { kind: "video/x-yuv4mpeg", header, width, height, encode };
}

/** A rate as a fraction: exact for whole rates and those of film and television (n × 1000 / 1001), else in thousandths. */
export function fraction(framesPerSecond: number): readonly [number, number] {
  for (const denominator of [1, 1001]) {
    const numerator = Math.round(framesPerSecond * denominator);
    const isNear = Math.abs(numerator / denominator - framesPerSecond) < 2e-6 * framesPerSecond;
    if (isNear && (denominator === 1 || numerator % 1000 === 0)) {
      return reduced(numerator, denominator);
    }
  }
  return reduced(Math.max(1, Math.round(framesPerSecond * 1000)), 1000);
}

function reduced(numerator: number, denominator: number): readonly [number, number] {
  let [a, b] = [numerator, denominator];
  while (b > 0) [a, b] = [b, a % b];
  return [numerator / a, denominator / a];
}
