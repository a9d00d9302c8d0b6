import { join } from "node:path";
import { compareTestCard, testCard, TEST_CARD_LIMITS } from "@dreamloop/testing";
import sharp from "sharp";
import { afterEach, describe, expect, it } from "vitest";
import { ImagesOutputTarget } from "./images/images-output-target.ts";
import { MjpegOutputTarget } from "./mjpeg/mjpeg-output-target.ts";
import { Mp4OutputTarget } from "./mp4/mp4-output-target.ts";
import { RawOutputTarget } from "./raw/raw-output-target.ts";
import { decodeRgb, LACKS_FFMPEG, ffprobe } from "./test-support/programs.ts";
import { described, rgbResult } from "./test-support/results.ts";
import { temporaryFolders } from "./test-support/temporary-folder.ts";
import type { FrameTarget } from "./target/frame-target.ts";

const folder = temporaryFolders(afterEach);
const FRAMES = 8;

/** Sends the cards of the first frames through a target. */
async function sendCards(target: FrameTarget, size: { readonly width: number; readonly height: number }) {
  await target.open(described(size.width, size.height));
  for (let frameIndex = 0; frameIndex < FRAMES; frameIndex += 1) {
    await target.write(rgbResult(size, testCard({ ...size, frameIndex }).data, { stepIndex: frameIndex }));
  }
  await target.close();
}

/** Judges packed RGB frames of `shown` size, of which the upper left `size` is the card. */
function judge(
  bytes: Uint8Array,
  size: { readonly width: number; readonly height: number },
  shown: { readonly width: number; readonly height: number } = size,
) {
  const frameBytes = shown.width * shown.height * 3;
  expect(bytes.length).toBe(frameBytes * FRAMES);
  return Array.from({ length: FRAMES }, (_, frame) => {
    const card = new Uint8Array(size.width * size.height * 3);
    for (let row = 0; row < size.height; row += 1) {
      const from = frame * frameBytes + row * shown.width * 3;
      card.set(bytes.subarray(from, from + size.width * 3), row * size.width * 3);
    }
    return compareTestCard({ ...size, data: card });
  });
}

/** What E1 asks of lossy paths. */
function expectLossyLimits(comparisons: ReturnType<typeof judge>) {
  for (const [frame, { maxPatchDeltaE, ramp, checker, frameIndex }] of comparisons.entries()) {
    expect(maxPatchDeltaE).toBeLessThanOrEqual(TEST_CARD_LIMITS.lossyDeltaE);
    expect(ramp?.isMonotonic).toBe(true);
    expect(checker?.isAligned).toBe(true);
    expect(frameIndex).toBe(frame);
  }
}

async function readPictures(path: string, extension: string): Promise<Buffer> {
  const frames = Array.from({ length: FRAMES }, (_, frame) => {
    const name = `frame-${String(frame).padStart(6, "0")}.${extension}`;
    return sharp(join(path, name)).raw().toBuffer();
  });
  return Buffer.concat(await Promise.all(frames));
}

const SIZES = [
  { width: 512, height: 288 },
  { width: 359, height: 641 },
];

describe.each(SIZES)("the test card at $width×$height", (size) => {
  const even = { width: size.width + (size.width % 2), height: size.height + (size.height % 2) };

  it("E1: comes back bit for bit through PNG", async () => {
    const path = folder();
    await sendCards(new ImagesOutputTarget({ path }), size);
    for (const [frame, comparison] of judge(await readPictures(path, "png"), size).entries()) {
      expect(comparison).toMatchObject({ maxPatchDeltaE: 0, checker: { isExact: true }, frameIndex: frame });
      expect(comparison.ramp).toMatchObject({ largestError: 0, largestTint: 0 });
    }
  });

  it("E1: comes back within the limits through JPEG", async () => {
    const path = folder();
    await sendCards(new ImagesOutputTarget({ path, format: "jpeg" }), size);
    expectLossyLimits(judge(await readPictures(path, "jpg"), size));
  });

  it.skipIf(LACKS_FFMPEG)("E1: comes back within the limits through Motion JPEG", async () => {
    const path = join(folder(), "x.mjpeg");
    await sendCards(new MjpegOutputTarget({ path }), size);
    expectLossyLimits(judge(await decodeRgb(path), size));
  });

  it.skipIf(LACKS_FFMPEG)("E1: comes back within the limits through Y4M", async () => {
    const path = join(folder(), "x.y4m");
    await sendCards(new RawOutputTarget({ path }), size);
    expectLossyLimits(judge(await decodeRgb(path, ["-colorspace", "bt709", "-color_range", "tv"]), size));
  });

  it.skipIf(LACKS_FFMPEG).each(["webcodecs", "ffmpeg"] as const)(
    "E1: comes back within the limits through MP4 by %s, tagged as intended",
    async (encoder) => {
      const path = join(folder(), "x.mp4");
      await sendCards(new Mp4OutputTarget({ path, encoder }), size);
      expect(await ffprobe(path)).toMatchObject({
        color_space: "bt709",
        color_primaries: "bt709",
        color_transfer: "bt709",
        color_range: "tv",
        ...even,
      });
      expectLossyLimits(judge(await decodeRgb(path), size, even));
    },
  );
});
