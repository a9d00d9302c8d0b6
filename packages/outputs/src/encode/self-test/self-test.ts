import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { i420ToRgb } from "../../color/i420-to-rgb.ts";
import type { I420Picture, VideoRange } from "../../color/i420.ts";
import { rgbToI420 } from "../../color/rgb-to-i420.ts";
import { NAL_TYPES, nalType, splitAnnexB } from "../h264/annex-b.ts";
import { readSps } from "../h264/sps.ts";
import { type EncodedFrame, VIDEO_CODECS, type VideoCodec, type VideoEncoderBackend } from "../video-encoder.ts";

/** Side of the square test picture. */
const TEST_PICTURE_SIDE = 64;

/** Side of one of its patches. */
const PATCH_SIDE = 16;

/** Colours of its patches, row by row: the corners of the cube, greys, and tones that matrices disagree about. */
const PATCHES: readonly (readonly [number, number, number])[] = [
  [0, 0, 0],
  [255, 255, 255],
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 0],
  [0, 255, 255],
  [255, 0, 255],
  [64, 64, 64],
  [128, 128, 128],
  [192, 192, 192],
  [200, 120, 60],
  [40, 90, 160],
  [120, 180, 40],
  [180, 60, 140],
  [230, 200, 180],
];

/** One point where the decoded picture is looked at. */
interface TestPoint {
  /** Column. */
  readonly x: number;
  /** Row. */
  readonly y: number;
  /** The colour that was painted there. */
  readonly rgb: readonly [number, number, number];
}

/** The middle of each patch. */
const TEST_POINTS: readonly TestPoint[] = PATCHES.map((rgb, index) => ({
  x: (index % 4) * PATCH_SIDE + PATCH_SIDE / 2,
  y: Math.floor(index / 4) * PATCH_SIDE + PATCH_SIDE / 2,
  rgb,
}));

/** The picture that encoders are tested with. */
function testPicture(range: VideoRange): I420Picture {
  const side = TEST_PICTURE_SIDE;
  const rgb = new Uint8Array(side * side * 3);
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      const patch = Math.floor(y / PATCH_SIDE) * 4 + Math.floor(x / PATCH_SIDE);
      rgb.set(PATCHES[patch], (y * side + x) * 3);
    }
  }
  return rgbToI420({ rgb, width: side, height: side, range });
}

/** What `selfTestEncoder` takes. */
export interface SelfTestOptions {
  /** The backend on trial. */
  readonly backend: VideoEncoderBackend;
  /** Codec to try. */
  readonly codec: VideoCodec;
  /** Who decodes; default the backend itself. A backend that is wrong in both directions alike needs another one to be found out. */
  readonly decoder?: VideoEncoderBackend;
  /** Range to try; default `limited`. */
  readonly range?: VideoRange;
}

/** Greatest difference of a channel, of 255, that is put down to compression. A wrong matrix or range is off by 16 and more. */
export const SELF_TEST_TOLERANCE = 8;

/** Pictures that are encoded, so that a frame that needs others is among them. */
const PICTURE_COUNT = 3;
/** Ample for a picture of 64×64, so that what is left is the error of the conversion. */
const BITRATE_BITS_PER_SECOND = 4_000_000;

/**
 * Encodes a known picture, decodes it and compares the colours of its patches, and reads the stream's own tags. Throws `encoder_failed` that
 * names the first wrong value. A backend without a decoder is judged by its tags and frame count only when no other decodes for it.
 */
export async function selfTestEncoder(options: SelfTestOptions): Promise<void> {
  const { backend, codec, range = "limited" } = options;
  const frames: EncodedFrame[] = [];
  const side = TEST_PICTURE_SIDE;
  const encoder = await backend.createEncoder(
    {
      codec,
      width: side,
      height: side,
      framesPerSecond: 30,
      bitrateBitsPerSecond: BITRATE_BITS_PER_SECOND,
      keyFrameIntervalFrames: 30,
      latency: "realtime",
      range,
    },
    { onFrame: (frame) => frames.push(frame) },
  );
  try {
    const picture = testPicture(range);
    for (let index = 0; index < PICTURE_COUNT; index += 1) {
      await encoder.encode(picture, { timestamp: index, keyFrame: index === 0 });
    }
    await encoder.flush();
  } finally {
    await encoder.close();
  }
  const refuse = (what: string): never => {
    throw new DreamloopError(
      ERROR_CODES.encoderFailed,
      `${backend.name} encoder: failed its self-test with ${codec}: ${what}; it is not used, choose another encoder`,
    );
  };
  if (frames.length !== PICTURE_COUNT) refuse(`${PICTURE_COUNT} pictures gave ${frames.length} frames`);
  if (frames[0]?.isKeyFrame !== true) refuse("the first frame is no key frame");
  if (codec === VIDEO_CODECS.h264) checkTags(frames[0], range, refuse);
  const decode = options.decoder?.decode ?? backend.decode;
  if (decode === undefined) return;
  const pictures = await decode({ codec, frames, width: side, height: side });
  if (pictures.length !== PICTURE_COUNT) refuse(`${PICTURE_COUNT} frames gave ${pictures.length} pictures`);
  for (const decoded of pictures) comparePatches(decoded, range, refuse);
}

function checkTags(frame: EncodedFrame, range: VideoRange, refuse: (what: string) => never): void {
  const sps = splitAnnexB(frame.data).find((unit) => nalType(unit) === NAL_TYPES.sps);
  if (sps === undefined) return refuse("its key frame has no parameter set");
  const { color, width, height } = readSps(sps);
  const found = `matrix ${color?.matrix}, primaries ${color?.primaries}, transfer ${color?.transfer}, ${color?.isFullRange === true ? "full" : "limited"} range`;
  const isTagged = color?.matrix === 1 && color.primaries === 1 && color.transfer === 1;
  if (!isTagged || color.isFullRange !== (range === "full")) {
    refuse(`expected BT.709 (1, 1, 1) with ${range} range in the stream, found ${found}`);
  }
  if (width !== TEST_PICTURE_SIDE || height !== TEST_PICTURE_SIDE) {
    refuse(`expected ${TEST_PICTURE_SIDE}×${TEST_PICTURE_SIDE}, found ${width}×${height}`);
  }
}

function comparePatches(picture: I420Picture, range: VideoRange, refuse: (what: string) => never): void {
  const rgb = i420ToRgb({ picture, range });
  for (const { x, y, rgb: painted } of TEST_POINTS) {
    const at = (y * picture.codedWidth + x) * 3;
    const found = [...rgb.subarray(at, at + 3)];
    if (found.some((value, channel) => Math.abs(value - painted[channel]) > SELF_TEST_TOLERANCE)) {
      refuse(`the patch painted ${painted.join(", ")} came back as ${found.join(", ")}`);
    }
  }
}
