import type { Metadata, Sharp, SharpOptions } from "sharp";
import { DreamloopError, ERROR_CODES, type VideoChunkInput } from "@dreamloop/core";
import { loadSharp } from "../images/load-sharp.ts";
import { foundInstead, pictureType, type PictureType } from "./picture-type.ts";

/** Pixels that a picture may have unless told otherwise: more than a camera of 30 megapixels. */
export const DEFAULT_MAX_PICTURE_PIXELS = 32_000_000;

/** Seconds after which a picture that is still being decoded is given up. */
const DECODE_SECONDS = 20;

/** Why a picture is refused: `details.reason` of the error. */
export const PICTURE_FAULTS = {
  /** It is no PNG, JPEG or WebP. */
  type: "type",
  /** It has more pixels than are decoded. */
  pixels: "pixels",
  /** It moves. */
  animated: "animated",
  /** It cannot be decoded. */
  damaged: "damaged",
} as const;

/** One of `PICTURE_FAULTS`. */
export type PictureFault = (typeof PICTURE_FAULTS)[keyof typeof PICTURE_FAULTS];

/** How pictures are read. */
export interface ReadPictureOptions {
  /** Pixels that it may have; decided by its header, before anything is decoded; default `DEFAULT_MAX_PICTURE_PIXELS`. */
  readonly maxPixels?: number;
}

/** What the header of a picture says. */
export interface PictureFacts {
  /** Its kind, by content. */
  readonly type: PictureType;
  /** Pixels a row, the right way up. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
}

/** How a picture becomes a frame. */
export interface PictureFrameOptions extends ReadPictureOptions {
  /** Pixels a row of the frame. */
  readonly width: number;
  /** Rows of the frame. */
  readonly height: number;
}

/** A picture that was decoded and written anew: nothing but pixels is left of what came in. */
export interface CleanPicture extends PictureFacts {
  /** It as PNG, sRGB, without transparency, profiles and whatever else a file may carry. */
  readonly png: Uint8Array;
}

/** How a picture is written anew. */
export interface CleanPictureOptions extends ReadPictureOptions {
  /** Greatest side of what is kept; a larger picture is scaled down. */
  readonly maxSide: number;
}

/**
 * Reads the header of a picture. Throws `invalid_value` for anything but a still PNG, JPEG or WebP and `limit_exceeded` for too many pixels,
 * with one of `PICTURE_FAULTS` as `details.reason`.
 */
export async function pictureFacts(bytes: Uint8Array, options: ReadPictureOptions = {}): Promise<PictureFacts> {
  const { maxPixels = DEFAULT_MAX_PICTURE_PIXELS } = options;
  const type = pictureType(bytes);
  if (type === undefined) {
    throw fault(PICTURE_FAULTS.type, `expected a PNG, JPEG or WebP picture, found ${foundInstead(bytes)}`);
  }
  const open = await loadSharp();
  let header: Metadata;
  try {
    // The header alone is read, so that the limit can be told with the size that was found.
    header = await open(bytes, { ...SAFE, limitInputPixels: false }).metadata();
  } catch (cause) {
    throw damaged(type, cause);
  }
  const { width, height } = header.autoOrient;
  const { pages = 1 } = header;
  if (String(header.format) !== type) throw damaged(type, `it reads as ${header.format}`);
  if (width * height > maxPixels) {
    const found = `found ${width}×${height}`;
    throw fault(PICTURE_FAULTS.pixels, `expected at most ${maxPixels} pixels, ${found}; scale it down`);
  }
  if (pages > 1) {
    throw fault(PICTURE_FAULTS.animated, `expected one picture, found an animation of ${pages}; save one frame of it`);
  }
  return { type, width, height };
}

/**
 * Reads a picture into a frame of packed full-range RGB8: turned the right way up, in sRGB, transparency laid over black, scaled and cropped
 * around its middle so that it covers the frame. Decoding runs beside the calling thread. Throws as `pictureFacts` does.
 */
export async function pictureFrame(bytes: Uint8Array, options: PictureFrameOptions): Promise<VideoChunkInput> {
  const { width, height } = options;
  const { type } = await pictureFacts(bytes, options);
  const { data, info } = await decoding(type, async () => {
    const picture = await flatPicture(bytes, options);
    return picture
      .resize({ width, height, fit: "cover" })
      .raw({ depth: "uchar" })
      .toBuffer({ resolveWithObject: true });
  });
  if (info.channels !== 3) throw damaged(type, `it decodes to ${info.channels} channels`);
  // A copy of its own: buffers of a native library are not handed on to other threads.
  return {
    width,
    height,
    format: "rgb8",
    layout: "thwc",
    colorSpace: "srgb",
    range: "full",
    data: Uint8Array.from(data),
  };
}

/** Decodes a picture and writes it anew as PNG, scaled down to `maxSide` where it is larger. Throws as `pictureFacts` does. */
export async function cleanPicture(bytes: Uint8Array, options: CleanPictureOptions): Promise<CleanPicture> {
  const { maxSide } = options;
  const facts = await pictureFacts(bytes, options);
  const { data, info } = await decoding(facts.type, async () => {
    const picture = await flatPicture(bytes, options);
    return picture
      .resize({ width: maxSide, height: maxSide, fit: "inside", withoutEnlargement: true })
      .png({ compressionLevel: 6 })
      .toBuffer({ resolveWithObject: true });
  });
  return { type: facts.type, width: info.width, height: info.height, png: Uint8Array.from(data) };
}

/** Warnings are no reason to refuse a photo; what is cut off or broken is. */
const SAFE: SharpOptions = { failOn: "error", sequentialRead: true, pages: 1, limitInputChannels: 4 };

async function flatPicture(bytes: Uint8Array, options: ReadPictureOptions): Promise<Sharp> {
  const { maxPixels = DEFAULT_MAX_PICTURE_PIXELS } = options;
  const open = await loadSharp();
  return open(bytes, { ...SAFE, limitInputPixels: maxPixels })
    .timeout({ seconds: DECODE_SECONDS })
    .autoOrient()
    .toColourspace("srgb")
    .flatten({ background: "#000" });
}

async function decoding<Result>(type: PictureType, decode: () => Promise<Result>): Promise<Result> {
  try {
    return await decode();
  } catch (cause) {
    throw damaged(type, cause);
  }
}

function damaged(type: PictureType, cause: unknown): DreamloopError {
  const reason = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
  const message = `expected a whole ${type.toUpperCase()} picture, found one that cannot be decoded (${reason}); save it anew`;
  return new DreamloopError(ERROR_CODES.invalidValue, message, { cause, details: { reason: PICTURE_FAULTS.damaged } });
}

function fault(reason: PictureFault, message: string): DreamloopError {
  const code = reason === PICTURE_FAULTS.pixels ? ERROR_CODES.limitExceeded : ERROR_CODES.invalidValue;
  return new DreamloopError(code, message, { details: { reason } });
}
