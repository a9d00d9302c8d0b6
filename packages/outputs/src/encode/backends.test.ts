import { isDreamloopError } from "@dreamloop/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { i420ToRgb } from "../color/i420-to-rgb.ts";
import { rgbToI420 } from "../color/rgb-to-i420.ts";
import { FFMPEG_PATH, LACKS_FFMPEG } from "../test-support/programs.ts";
import { movingFrame } from "../test-support/results.ts";
import { ffmpegBackend } from "./ffmpeg/ffmpeg-backend.ts";
import { NAL_TYPES, nalType, splitAnnexB } from "./h264/annex-b.ts";
import { hasBSlice } from "./h264/stream-fixer.ts";
import { avcCodecString, readSps } from "./h264/sps.ts";
import { selfTestEncoder } from "./self-test/self-test.ts";
import { vp8Size } from "./vp8-header.ts";
import type { EncodedFrame, VideoEncoderBackend, VideoEncoderConfig } from "./video-encoder.ts";
import { webCodecsBackend } from "./webcodecs/webcodecs-backend.ts";

const BASE: VideoEncoderConfig = {
  codec: "h264",
  width: 64,
  height: 48,
  framesPerSecond: 30,
  bitrateBitsPerSecond: 1_000_000,
  keyFrameIntervalFrames: 300,
  latency: "realtime",
};

/** Encodes moving frames; `keyFrames` are those that are demanded. */
async function encodeFrames(
  backend: VideoEncoderBackend,
  change: Partial<VideoEncoderConfig>,
  options: { readonly count: number; readonly keyFrames?: readonly number[] },
) {
  const config = { ...BASE, ...change };
  const frames: EncodedFrame[] = [];
  const encoder = await backend.createEncoder(config, { onFrame: (frame) => frames.push(frame) });
  const { width, height } = config;
  const { codedWidth, codedHeight } = encoder.settings;
  const into = new Uint8Array((codedWidth * codedHeight * 3) / 2);
  for (let index = 0; index < options.count; index += 1) {
    // The same memory for every picture, since `encode` says when it is free again.
    const picture = rgbToI420({ rgb: movingFrame(width, height, index), width, height, codedWidth, codedHeight, into });
    await encoder.encode(picture, { timestamp: index * 3000, keyFrame: options.keyFrames?.includes(index) });
    into.fill(0);
  }
  await encoder.flush();
  const { settings } = encoder;
  await encoder.close();
  return { frames, settings };
}

const BACKENDS: readonly [string, boolean, () => Promise<VideoEncoderBackend>][] = [
  ["webcodecs", false, async () => webCodecsBackend()],
  ["ffmpeg", LACKS_FFMPEG, () => ffmpegBackend({ path: FFMPEG_PATH })],
];

describe.each(BACKENDS)("the encoder %s", (_name, isMissing, make) => {
  let backend: VideoEncoderBackend;
  beforeAll(async () => {
    if (!isMissing) backend = await make();
  });
  afterAll(() => backend?.close());

  it.skipIf(isMissing).each(["h264", "vp8"] as const)("E2: passes the self-test with %s", async (codec) => {
    await selfTestEncoder({ backend, codec });
  });

  it.skipIf(isMissing)("E2: passes the self-test with full range", async () => {
    await selfTestEncoder({ backend, codec: "h264", range: "full" });
  });

  it.skipIf(isMissing)("gives one frame for each picture, in order, with its timestamp", async () => {
    const { frames } = await encodeFrames(backend, {}, { count: 40 });
    expect(frames.map(({ timestamp }) => timestamp)).toEqual(Array.from({ length: 40 }, (_, index) => index * 3000));
    expect(frames.map(({ isKeyFrame }) => isKeyFrame).lastIndexOf(true)).toBe(0);
  });

  it.skipIf(isMissing)("E1: keeps the pictures' colours, with memory that is used again", async () => {
    const { frames } = await encodeFrames(backend, {}, { count: 12 });
    const pictures = (await backend.decode?.({ codec: "h264", frames, width: 64, height: 48 })) ?? [];
    expect(pictures).toHaveLength(12);
    for (const [index, picture] of pictures.entries()) {
      const source = movingFrame(64, 48, index);
      const error = i420ToRgb({ picture }).reduce((sum, value, at) => sum + Math.abs(value - source[at]), 0);
      expect(error / source.length).toBeLessThan(3);
    }
  });

  it.skipIf(isMissing)("makes a key frame on demand, with parameter sets that tell BT.709", async () => {
    const { frames } = await encodeFrames(backend, {}, { count: 12, keyFrames: [0, 7] });
    expect(frames.flatMap(({ isKeyFrame }, index) => (isKeyFrame ? [index] : []))).toEqual([0, 7]);
    for (const index of [0, 7]) {
      const [sps] = splitAnnexB(frames[index].data);
      expect(nalType(sps)).toBe(NAL_TYPES.sps);
      expect(readSps(sps)).toMatchObject({
        color: { primaries: 1, transfer: 1, matrix: 1, isFullRange: false },
        reorderFrames: 0,
      });
    }
  });

  it.skipIf(isMissing)("keeps the order of pictures that are handed in without waiting", async () => {
    const frames: EncodedFrame[] = [];
    const encoder = await backend.createEncoder(BASE, { onFrame: (frame) => frames.push(frame) });
    const picture = rgbToI420({ rgb: movingFrame(64, 48, 0), width: 64, height: 48 });
    const encoded = [0, 1, 2, 3, 4, 5].map((timestamp) =>
      encoder.encode(picture, { timestamp, keyFrame: timestamp === 3 }),
    );
    await Promise.all([...encoded, encoder.flush()]);
    expect(frames.map(({ timestamp, isKeyFrame }) => [timestamp, isKeyFrame])).toEqual([
      [0, true],
      [1, false],
      [2, false],
      [3, true],
      [4, false],
      [5, false],
    ]);
    await encoder.close();
  });

  it.skipIf(isMissing)("keeps the distance between key frames, and reports it", async () => {
    const { frames, settings } = await encodeFrames(backend, { keyFrameIntervalFrames: 9 }, { count: 20 });
    const keys = frames.flatMap(({ isKeyFrame }, index) => (isKeyFrame ? [index] : []));
    expect(keys).toEqual([0, 9, 18]);
    expect(settings).toMatchObject({ keyFrameIntervalFrames: 9, isHardware: false });
    expect(settings.implementation).toMatch(/FFmpeg/);
  });

  it.skipIf(isMissing).each(["realtime", "quality"] as const)(
    "D4: reports the settings in force for %s, and the stream has no frame out of order",
    async (latency) => {
      const { frames, settings } = await encodeFrames(backend, { latency }, { count: 30 });
      expect(settings).toMatchObject({ latency, lookAheadFrames: 0, bFrames: 0, bitrateBitsPerSecond: 1_000_000 });
      expect(settings.speed).toMatch(/realtime|quality|fast/);
      const [sps] = splitAnnexB(frames[0].data);
      expect(settings.codecString).toBe(avcCodecString(readSps(sps)));
      expect(frames.map(({ data }) => hasBSlice(splitAnnexB(data)))).toEqual(frames.map(() => false));
    },
  );

  it.skipIf(isMissing)("follows the bitrate within a third, whatever the distance between key frames", async () => {
    const size = { width: 320, height: 192 };
    for (const [bitrateBitsPerSecond, keyFrameIntervalFrames] of [
      [400_000, 300],
      [1_200_000, 20],
    ]) {
      const frames: EncodedFrame[] = [];
      const config = { ...BASE, ...size, bitrateBitsPerSecond, keyFrameIntervalFrames };
      const encoder = await backend.createEncoder(config, { onFrame: (frame) => frames.push(frame) });
      let random = 1;
      for (let index = 0; index < 60; index += 1) {
        const picture = rgbToI420({ rgb: movingFrame(size.width, size.height, index), ...size });
        // Fine noise, so that there is something to spend bits on.
        for (let at = 0; at < picture.data.length; at += 3) {
          random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
          picture.data[at] = picture.data[at] + ((random >> 16) % 24);
        }
        await encoder.encode(picture, { timestamp: index });
      }
      await encoder.flush();
      await encoder.close();
      const bits = frames.reduce((sum, { data }) => sum + data.byteLength * 8, 0) / 2;
      expect(bits / bitrateBitsPerSecond).toBeGreaterThan(2 / 3);
      expect(bits / bitrateBitsPerSecond).toBeLessThan(4 / 3);
    }
  });

  it.skipIf(isMissing)("E4: shows the declared size, from 1×1 on and for odd sides", async () => {
    for (const [width, height] of [
      [1, 1],
      [2, 15],
      [17, 16],
      [33, 65],
      [359, 641],
    ]) {
      const h264 = await encodeFrames(backend, { width, height }, { count: 2 });
      const [sps] = splitAnnexB(h264.frames[0].data);
      const shown = { width: width + (width % 2), height: height + (height % 2) };
      expect(readSps(sps)).toMatchObject(shown);
      expect(h264.settings).toMatchObject(shown);
      const vp8 = await encodeFrames(backend, { width, height, codec: "vp8" }, { count: 2 });
      expect(vp8Size(vp8.frames[0].data)).toEqual({ width, height });
      expect(vp8.settings).toMatchObject({ width, height });
    }
  });

  it.skipIf(isMissing)("E7: takes pictures that lie in a larger buffer", async () => {
    const frames: EncodedFrame[] = [];
    const encoder = await backend.createEncoder(BASE, { onFrame: (frame) => frames.push(frame) });
    const pool = Buffer.alloc(6000, 0xff);
    const into = pool.subarray(37, 37 + 64 * 48 * 1.5);
    const picture = rgbToI420({ rgb: new Uint8Array(64 * 48 * 3).fill(90), width: 64, height: 48, into });
    await encoder.encode(picture, { timestamp: 0 });
    await encoder.flush();
    await encoder.close();
    const [decoded] = (await backend.decode?.({ codec: "h264", frames, width: 64, height: 48 })) ?? [];
    const rgb = i420ToRgb({ picture: decoded });
    expect(Math.max(...rgb.map((value) => Math.abs(value - 90)))).toBeLessThanOrEqual(3);
    // Memory of their own: nothing else can change them.
    expect(frames[0].data.byteOffset).toBe(0);
    expect(frames[0].data.buffer.byteLength).toBe(frames[0].data.byteLength);
  });

  it.skipIf(isMissing)("serves several encoders at once, each with its own frames", async () => {
    const runs = await Promise.all(
      [16, 32, 64].map((width) => encodeFrames(backend, { width, height: 32 }, { count: 10 })),
    );
    expect(runs.map(({ frames }) => frames.length)).toEqual([10, 10, 10]);
    expect(runs.map(({ settings }) => settings.width)).toEqual([16, 32, 64]);
  });

  it.skipIf(isMissing)("refuses pictures after close, and what was pending", async () => {
    const encoder = await backend.createEncoder(BASE, { onFrame: () => undefined });
    const picture = rgbToI420({ rgb: movingFrame(64, 48, 0), width: 64, height: 48 });
    await encoder.encode(picture, { timestamp: 0 });
    await encoder.close();
    await encoder.close();
    await expect(encoder.encode(picture, { timestamp: 1 })).rejects.toSatisfy((error) =>
      isDreamloopError(error, "closed"),
    );
  });

  it.skipIf(isMissing)("refuses settings that make no sense, naming the field", async () => {
    for (const [change, field] of [
      [{ width: 0 }, "VideoEncoderConfig.width"],
      [{ framesPerSecond: 0 }, "VideoEncoderConfig.framesPerSecond"],
      [{ bitrateBitsPerSecond: 10 }, "VideoEncoderConfig.bitrateBitsPerSecond"],
      [{ codec: "h265" as "h264" }, "VideoEncoderConfig.codec"],
    ] as const) {
      const made = backend.createEncoder({ ...BASE, ...change }, { onFrame: () => undefined });
      await expect(made).rejects.toThrow(field);
    }
  });
});
