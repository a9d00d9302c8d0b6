import { crc32 } from "node:zlib";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { loadSharp } from "./load-sharp.ts";

/** The kinds of picture. */
export const IMAGE_FORMATS = {
  /** Lossless, 8 bits a channel, marked as sRGB. */
  png: "png",
  /** Lossy, with an sRGB profile. */
  jpeg: "jpeg",
} as const;

/** One of `IMAGE_FORMATS`. */
export type ImageFormat = (typeof IMAGE_FORMATS)[keyof typeof IMAGE_FORMATS];

/** Default quality of JPEG pictures, 1 to 100. */
export const DEFAULT_JPEG_QUALITY = 90;

/** Default effort of PNG compression, 0 to 9: 1, since more costs many times the time for a few percent. */
export const DEFAULT_PNG_COMPRESSION_LEVEL = 1;

/** How pictures are made. */
export interface ImageEncoderOptions {
  /** Kind of picture. */
  readonly format: ImageFormat;
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Quality of JPEG, 1 to 100; default 90. */
  readonly quality?: number;
  /** Effort of PNG compression, 0 to 9; default 1. */
  readonly compressionLevel?: number;
  /** Whether JPEG carries an ICC profile of sRGB (about 500 bytes a picture); default true. JPEG without one is sRGB by convention. */
  readonly embedProfile?: boolean;
}

/** Makes one picture of one frame of packed full-range RGB8; works beside the calling thread. */
export type ImageEncoder = (rgb: Uint8Array) => Promise<Uint8Array>;

/** Largest side of a JPEG picture, from the 16-bit fields of its header. */
const MAX_JPEG_SIDE = 65_535;

/**
 * Loads sharp and gives an encoder. Frames that are marked as having the BT.709 transfer function keep their numbers and are marked as
 * sRGB, as browsers show video. Throws `unavailable` when sharp cannot be loaded.
 */
export async function imageEncoder(options: ImageEncoderOptions): Promise<ImageEncoder> {
  const { format, width, height } = options;
  const raw = { width, height, channels: 3 } as const;
  const make = await loadSharp();
  if (format === IMAGE_FORMATS.png) {
    const compressionLevel = options.compressionLevel ?? DEFAULT_PNG_COMPRESSION_LEVEL;
    return async (rgb) => withSrgbChunk(await make(rgb, { raw }).png({ compressionLevel }).toBuffer());
  }
  if (width > MAX_JPEG_SIDE || height > MAX_JPEG_SIDE) {
    throw new DreamloopError(
      ERROR_CODES.outputFailed,
      `images target: JPEG holds at most ${MAX_JPEG_SIDE} pixels a side, found ${width}×${height}; write PNG`,
    );
  }
  const quality = options.quality ?? DEFAULT_JPEG_QUALITY;
  return (rgb) => {
    const picture = make(rgb, { raw });
    if (options.embedProfile !== false) picture.withIccProfile("srgb");
    return picture.jpeg({ quality, chromaSubsampling: "4:4:4" }).toBuffer();
  };
}

const PNG_SIGNATURE_BYTES = 8;
const PNG_IHDR_BYTES = 25;

/** Puts an `sRGB` chunk (rendering intent: perceptual) right after the header, where the PNG standard (11.3.2.5) wants it. */
export function withSrgbChunk(png: Uint8Array): Uint8Array {
  const at = PNG_SIGNATURE_BYTES + PNG_IHDR_BYTES;
  const chunk = Buffer.alloc(13);
  chunk.writeUInt32BE(1, 0);
  chunk.write("sRGB", 4, "latin1");
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 9)), 9);
  return Buffer.concat([png.subarray(0, at), chunk, png.subarray(at)]);
}
