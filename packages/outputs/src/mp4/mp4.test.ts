import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDreamloopError, type OutputArtifact } from "@dreamloop/core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { selectEncoder } from "../encode/select-encoder.ts";
import type { VideoEncoderBackend } from "../encode/video-encoder.ts";
import { webCodecsBackend } from "../encode/webcodecs/webcodecs-backend.ts";
import { fullDisk, refusingDisk } from "../test-support/failing-file-system.ts";
import { decodeRgb, FFMPEG_PATH, LACKS_FFMPEG, ffprobe, packetTimes } from "../test-support/programs.ts";
import { described, movingFrame, writeMovingFrames, rgbResult } from "../test-support/results.ts";
import { temporaryFolders } from "../test-support/temporary-folder.ts";
import { defaultBitrate } from "./default-bitrate.ts";
import { Mp4OutputTarget } from "./mp4-output-target.ts";

const folder = temporaryFolders(afterEach);
let encoder: VideoEncoderBackend;
beforeAll(async () => {
  encoder = await selectEncoder();
});
afterAll(() => encoder.close());

const encoderOf = (artifact: OutputArtifact) => artifact.metadata["encoder"] as { readonly codecString: string };

describe.skipIf(LACKS_FFMPEG)("Mp4OutputTarget, as ffprobe sees it", () => {
  it("E1: tells BT.709 in limited range in container and stream, with left-sited chroma", async () => {
    const path = join(folder(), "x.mp4");
    const [artifact] = await writeMovingFrames(new Mp4OutputTarget({ path, encoder }), {
      width: 64,
      height: 48,
      frames: 5,
    });
    const told = {
      codec_name: "h264",
      color_range: "tv",
      color_space: "bt709",
      color_transfer: "bt709",
      color_primaries: "bt709",
      chroma_location: "left",
      has_b_frames: 0,
      width: 64,
      height: 48,
    };
    expect(await ffprobe(path)).toMatchObject(told);
    expect(readFileSync(path).includes(Buffer.from("colrnclx\0\x01\0\x01\0\x01\0", "latin1"))).toBe(true);
    expect(encoderOf(artifact).codecString).toMatch(/^avc1\.[0-9a-f]{6}$/);
    expect(artifact).toMatchObject({ kind: "video/mp4", uri: path });
  });

  it("E1: comes back near the source when its tags are followed, in limited and full range", async () => {
    for (const range of ["limited", "full"] as const) {
      const path = join(folder(), "x.mp4");
      await writeMovingFrames(new Mp4OutputTarget({ path, encoder, range }), { width: 128, height: 96, frames: 6 });
      expect((await ffprobe(path))["color_range"]).toBe(range === "full" ? "pc" : "tv");
      const decoded = await decodeRgb(path);
      const source = Buffer.concat(Array.from({ length: 6 }, (_, frame) => movingFrame(128, 96, frame)));
      expect(decoded.length).toBe(source.length);
      const error = decoded.reduce((sum, value, at) => sum + Math.abs(value - source[at]), 0) / source.length;
      expect(error).toBeLessThan(2);
    }
  });

  it("E5: holds every frame, at strictly rising times on a base of 90 kHz, from 0 on", async () => {
    for (const [fps, frames] of [
      [30, 61],
      [29.97, 40],
      [1000, 30],
      [0.5, 3],
    ]) {
      const path = join(folder(), "x.mp4");
      const [artifact] = await writeMovingFrames(new Mp4OutputTarget({ path, encoder }), {
        width: 32,
        height: 32,
        frames,
        fps,
      });
      expect(await ffprobe(path)).toMatchObject({
        nb_frames: String(frames),
        nb_read_frames: String(frames),
        time_base: "1/90000",
      });
      const times = await packetTimes(path);
      expect(times).toEqual(Array.from({ length: frames }, (_, frame) => Math.round((frame * 90_000) / fps)));
      expect(artifact.metadata).toMatchObject({ frameCount: frames, droppedFrames: 0, framesPerSecond: fps });
    }
  });

  it("B5: leaves the gap of frames that were dropped before it, and counts them", async () => {
    const path = join(folder(), "x.mp4");
    const target = new Mp4OutputTarget({ path, encoder });
    const size = { width: 32, height: 32 };
    await target.open(described(32, 32));
    for (const stepIndex of [0, 1, 5, 6]) {
      await target.write(rgbResult(size, movingFrame(32, 32, stepIndex), { stepIndex }));
    }
    const [artifact] = await target.close({ droppedFrames: 3 });
    expect(await packetTimes(path)).toEqual([0, 3000, 15_000, 18_000]);
    expect(artifact.metadata).toMatchObject({ frameCount: 4, droppedFrames: 3 });
  });

  it("E4: the size in its metadata is that of the file, from 1×1 on and for odd sides", async () => {
    for (const [width, height] of [
      [1, 1],
      [1, 65],
      [15, 16],
      [17, 2],
      [33, 63],
      [359, 641],
      [1920, 1080],
    ]) {
      const path = join(folder(), "x.mp4");
      const [artifact] = await writeMovingFrames(new Mp4OutputTarget({ path, encoder }), { width, height, frames: 2 });
      const shown = { width: width + (width % 2), height: height + (height % 2) };
      expect(artifact.metadata).toMatchObject({ ...shown, contentWidth: width, contentHeight: height });
      expect(await ffprobe(path)).toMatchObject({ ...shown, nb_read_frames: "2" });
      expect((await decodeRgb(path)).length).toBe(shown.width * shown.height * 3 * 2);
    }
  });

  it("E6: two recordings in one session are two valid files, also under the same name", async () => {
    const home = folder();
    const target = new Mp4OutputTarget({ path: join(home, "a.mp4"), encoder });
    await writeMovingFrames(target, { width: 32, height: 32, frames: 9 });
    await writeMovingFrames(target, { width: 48, height: 32, frames: 4 });
    await writeMovingFrames(new Mp4OutputTarget({ path: join(home, "b.mp4"), encoder }), {
      width: 32,
      height: 32,
      frames: 7,
    });
    expect(await ffprobe(join(home, "a.mp4"))).toMatchObject({ nb_read_frames: "4", width: 48 });
    expect(await ffprobe(join(home, "b.mp4"))).toMatchObject({ nb_read_frames: "7", width: 32 });
    expect(readdirSync(home)).toEqual(["a.mp4", "b.mp4"]);
  });

  it("E1: is the same with the ffmpeg encoder", async () => {
    const path = join(folder(), "x.mp4");
    const other = await selectEncoder({ prefer: "ffmpeg", ffmpegPath: FFMPEG_PATH });
    const target = new Mp4OutputTarget({ path, encoder: other });
    const [artifact] = await writeMovingFrames(target, { width: 33, height: 48, frames: 20 });
    await other.close();
    expect(await ffprobe(path)).toMatchObject({
      color_range: "tv",
      color_space: "bt709",
      color_transfer: "bt709",
      color_primaries: "bt709",
      width: 34,
      height: 48,
      nb_read_frames: "20",
    });
    expect(artifact.metadata["encoder"]).toMatchObject({ backend: "ffmpeg" });
  });

  it("can be sought to every key frame, two seconds apart unless told otherwise", async () => {
    const path = join(folder(), "x.mp4");
    await writeMovingFrames(new Mp4OutputTarget({ path, encoder }), { width: 32, height: 32, frames: 25, fps: 10 });
    const bytes = readFileSync(path);
    const table = bytes.indexOf("stss");
    const entries = Array.from({ length: bytes.readUInt32BE(table + 8) }, (_, at) =>
      bytes.readUInt32BE(table + 12 + 4 * at),
    );
    expect(entries).toEqual([1, 21]);
  });
});

describe("Mp4OutputTarget", () => {
  it("has its index before the media data, and the same frames make the same file", async () => {
    const home = folder();
    for (const name of ["a.mp4", "b.mp4"]) {
      await writeMovingFrames(new Mp4OutputTarget({ path: join(home, name), encoder }), {
        width: 64,
        height: 64,
        frames: 20,
      });
    }
    const a = readFileSync(join(home, "a.mp4"));
    expect(a.indexOf("moov")).toBeGreaterThan(0);
    expect(a.indexOf("moov")).toBeLessThan(a.indexOf("mdat"));
    expect(a.equals(readFileSync(join(home, "b.mp4")))).toBe(true);
  });

  it("makes no file of a run without frames", async () => {
    const home = folder();
    expect(
      await writeMovingFrames(new Mp4OutputTarget({ path: join(home, "x.mp4"), encoder }), {
        width: 8,
        height: 8,
        frames: 0,
      }),
    ).toEqual([]);
    expect(readdirSync(home)).toEqual([]);
  });

  it.each([40, 3000, 100_000])("leaves nothing when the disk is full after %d bytes, and says so", async (capacity) => {
    const home = folder();
    const target = new Mp4OutputTarget({ path: join(home, "x.mp4"), encoder, fileSystem: fullDisk(capacity) });
    const recorded = (async () => {
      await target.open(described(320, 192));
      for (let stepIndex = 0; stepIndex < 60; stepIndex += 1) {
        const noise = movingFrame(320, 192, stepIndex).map((value, at) => value + (((at * 2_654_435_761) >>> 20) & 31));
        await target.write(rgbResult({ width: 320, height: 192 }, noise, { stepIndex }));
      }
      await target.close();
    })();
    await expect(recorded).rejects.toSatisfy(
      (error) =>
        isDreamloopError(error, "output_failed") &&
        /mp4 target: could not write .*x\.mp4 \(ENOSPC\)/.test(error.message),
    );
    await target.close().catch(() => undefined);
    expect(readdirSync(home)).toEqual([]);
  });

  it("says at once when the folder is not writable, or the name is taken by something else", async () => {
    const path = join(folder(), "x.mp4");
    const refused = new Mp4OutputTarget({ path, encoder, fileSystem: refusingDisk("EACCES") });
    await expect(refused.open(described(8, 8))).rejects.toThrow(/EACCES.*permission is missing/);
    writeFileSync(path, "a letter, not a film");
    const taken = new Mp4OutputTarget({ path, encoder });
    await expect(taken.open(described(8, 8))).rejects.toThrow("exists and is not an MP4 file, so it is not replaced");
    expect(readFileSync(path, "utf8")).toBe("a letter, not a film");
  });

  it.skipIf(process.platform !== "linux")("refuses a device, which cannot hold an MP4", async () => {
    await expect(new Mp4OutputTarget({ path: "/dev/null", encoder }).open(described(8, 8))).rejects.toThrow(
      "an MP4 needs a regular file; write .y4m to a pipe",
    );
  });

  it("reports an encoder that fails in the middle, and leaves nothing", async () => {
    const home = folder();
    const inner = webCodecsBackend();
    const failing: VideoEncoderBackend = {
      ...inner,
      createEncoder: async (config, events) => {
        const real = await inner.createEncoder(config, events);
        let count = 0;
        return {
          settings: real.settings,
          pendingFrames: 0,
          encode: (picture, options) => {
            count += 1;
            return count > 3 ? Promise.reject(new Error("encoder broke")) : real.encode(picture, options);
          },
          flush: () => real.flush(),
          close: () => real.close(),
        };
      },
    };
    const target = new Mp4OutputTarget({ path: join(home, "x.mp4"), encoder: failing });
    await expect(writeMovingFrames(target, { width: 32, height: 32, frames: 9 })).rejects.toThrow("encoder broke");
    expect(await target.close()).toEqual([]);
    await inner.close();
    expect(readdirSync(home)).toEqual([]);
  });

  it("leaves nothing under its name when the process is killed, and an older file as it was", async () => {
    const path = join(folder(), "x.mp4");
    await writeMovingFrames(new Mp4OutputTarget({ path, encoder }), { width: 32, height: 32, frames: 3 });
    const before = readFileSync(path);
    const url = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
    const program = `
      const { Mp4OutputTarget } = await import(${url("./mp4-output-target.ts")});
      const { described, movingFrame, rgbResult } = await import(${url("../test-support/results.ts")});
      const target = new Mp4OutputTarget({ path: ${JSON.stringify(path)}, encoder: "webcodecs" });
      await target.open(described(64, 64));
      for (let step = 0; ; step += 1) {
        await target.write(rgbResult({ width: 64, height: 64 }, movingFrame(64, 64, step), { stepIndex: step }));
        if (step === 20) console.log("writing");
      }`;
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(existsSync(path)).toBe(true);
  });

  const childrenFile = `/proc/self/task/${process.pid}/children`;
  it.skipIf(!existsSync(childrenFile))("ends an encoder that it has made itself", async () => {
    const children = () => readFileSync(childrenFile, "utf8").trim().split(" ");
    const before = children();
    const target = new Mp4OutputTarget({ path: join(folder(), "x.mp4"), encoder: "webcodecs" });
    await target.open(described(16, 16));
    expect(children().length).toBe(before.length + 1);
    await target.write(rgbResult({ width: 16, height: 16 }, movingFrame(16, 16, 0)));
    await target.close();
    expect(children()).toEqual(before);
  });
});

describe("defaultBitrate", () => {
  it("gives usual rates for usual sizes", () => {
    expect(defaultBitrate({ width: 512, height: 288, framesPerSecond: 30 })).toBe(1_105_920);
    expect(defaultBitrate({ width: 1920, height: 1080, framesPerSecond: 30 }) / 1e6).toBeCloseTo(8, 0);
    expect(defaultBitrate({ width: 1, height: 1, framesPerSecond: 30 })).toBe(200_000);
  });
});
