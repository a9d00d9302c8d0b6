import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { isDreamloopError } from "@dreamloop/core";
import { afterEach, describe, expect, it } from "vitest";
import { rgbToI420 } from "../color/rgb-to-i420.ts";
import { fullDisk } from "../test-support/failing-file-system.ts";
import { decodeRgb, LACKS_FFMPEG, ffprobe } from "../test-support/programs.ts";
import { described, movingFrame, writeMovingFrames, rgbResult } from "../test-support/results.ts";
import { temporaryFolders } from "../test-support/temporary-folder.ts";
import { fraction } from "./raw-format.ts";
import { RawOutputTarget } from "./raw-output-target.ts";
import { StreamOutputTarget } from "./stream-output-target.ts";

const folder = temporaryFolders(afterEach);

describe("RawOutputTarget", () => {
  it("E5: writes the very bytes of the frames to .rgb", async () => {
    const path = join(folder(), "x.rgb");
    const [artifact] = await writeMovingFrames(new RawOutputTarget({ path }), { width: 5, height: 3, frames: 4 });
    expect(readFileSync(path)).toEqual(Buffer.concat([0, 1, 2, 3].map((frame) => movingFrame(5, 3, frame))));
    expect(artifact).toMatchObject({ kind: "video/x-raw", uri: path });
    expect(artifact.metadata).toMatchObject({ frameCount: 4, droppedFrames: 0, width: 5, height: 3, bytes: 180 });
  });

  it("E1: writes a Y4M header that tells size, rate, siting, range and matrix", async () => {
    const path = join(folder(), "x.y4m");
    await writeMovingFrames(new RawOutputTarget({ path }), { width: 4, height: 2, frames: 2, fps: 29.97 });
    const bytes = readFileSync(path);
    const end = bytes.indexOf(10) + 1;
    expect(bytes.toString("latin1", 0, end)).toBe(
      "YUV4MPEG2 W4 H2 F30000:1001 Ip A1:1 C420mpeg2 XYSCSS=420MPEG2 XCOLORRANGE=LIMITED XMATRIX=BT709\n",
    );
    expect(bytes.length - end).toBe(2 * (6 + 12));
    const first = rgbToI420({ rgb: movingFrame(4, 2, 0), width: 4, height: 2 });
    expect(Uint8Array.from(bytes.subarray(end + 6, end + 18))).toEqual(first.data);
  });

  it.skipIf(LACKS_FFMPEG)("E4: odd sizes of Y4M are read by ffmpeg at their size, with the right colours", async () => {
    for (const [width, height] of [
      [1, 1],
      [3, 2],
      [2, 5],
      [65, 33],
      [359, 641],
    ]) {
      const path = join(folder(), "x.y4m");
      const [artifact] = await writeMovingFrames(new RawOutputTarget({ path }), { width, height, frames: 2 });
      expect(await ffprobe(path)).toMatchObject({ width, height, nb_read_frames: "2", pix_fmt: "yuv420p" });
      expect(artifact.metadata).toMatchObject({ width, height });
      // Its reader knows no matrix of Y4M, so it is told.
      const decoded = await decodeRgb(path, ["-colorspace", "bt709", "-color_range", "tv"]);
      const source = Buffer.concat([0, 1].map((frame) => movingFrame(width, height, frame)));
      expect(decoded.length).toBe(source.length);
      // In the others the colour changes from column to column, which half as many chroma samples cannot follow.
      if (width > 1 && width < 65) continue;
      const error = decoded.reduce((sum, value, at) => sum + Math.abs(value - source[at]), 0) / source.length;
      expect(error).toBeLessThan(3);
    }
  });

  it("B5: counts the frames that were dropped before it", async () => {
    const target = new RawOutputTarget({ path: join(folder(), "x.rgb") });
    await target.open(described(2, 1));
    const [artifact] = await target.close({ droppedFrames: 9 });
    expect(artifact.metadata).toMatchObject({ frameCount: 0, droppedFrames: 9 });
  });

  it("leaves nothing when the disk fills up, and says so", async () => {
    const home = folder();
    const target = new RawOutputTarget({ path: join(home, "x.rgb"), fileSystem: fullDisk(25) });
    const failed = writeMovingFrames(target, { width: 2, height: 2, frames: 4 });
    await expect(failed).rejects.toSatisfy(
      (error) => isDreamloopError(error, "output_failed") && /raw target: .*x\.rgb \(ENOSPC\)/.test(error.message),
    );
    expect(await target.close()).toEqual([]);
    expect(readdirSync(home)).toEqual([]);
  });

  it.skipIf(process.platform !== "linux")("meets a full device with a named error", async () => {
    const target = new RawOutputTarget({ path: "/dev/full" });
    await expect(writeMovingFrames(target, { width: 2, height: 2, frames: 1 })).rejects.toThrow(
      /\/dev\/full \(ENOSPC\)/,
    );
    await target.close();
  });
});

describe("StreamOutputTarget", () => {
  it("writes Y4M or bare frames, and leaves the stream open", async () => {
    for (const format of ["y4m", "rgb"] as const) {
      const stream = new PassThrough();
      const [artifact] = await writeMovingFrames(new StreamOutputTarget({ stream, format }), {
        width: 4,
        height: 2,
        frames: 2,
      });
      const bytes = stream.read() as Buffer;
      expect(bytes.length).toBe(artifact.metadata["bytes"]);
      if (format === "rgb") expect(bytes).toEqual(Buffer.concat([movingFrame(4, 2, 0), movingFrame(4, 2, 1)]));
      else expect(bytes.toString("latin1", 0, 9)).toBe("YUV4MPEG2");
      expect(stream.writableEnded).toBe(false);
      expect(stream.listenerCount("error")).toBe(0);
    }
  });

  it("waits for a slow reader", async () => {
    const taken: (() => void)[] = [];
    const stream = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void taken.push(done) });
    const target = new StreamOutputTarget({ stream, format: "rgb" });
    await target.open(described(2, 1));
    let isWritten = false;
    const written = target.write(rgbResult({ width: 2, height: 1 }, new Uint8Array(6))).then(() => (isWritten = true));
    while (taken.length === 0) await Promise.resolve();
    await Promise.resolve();
    expect(isWritten).toBe(false);
    taken[0]();
    await written;
    await target.close();
  });

  it("turns a reader that goes away into a named error, not the end of the process", async () => {
    const stream = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" })),
    });
    const target = new StreamOutputTarget({ stream });
    await target.open(described(2, 1));
    const result = rgbResult({ width: 2, height: 1 }, new Uint8Array(6));
    const isGone = (error: unknown) =>
      isDreamloopError(error, "output_failed") && /EPIPE.*the reader of the pipe has gone/.test(error.message);
    await expect(target.write(result)).rejects.toSatisfy(isGone);
    await expect(target.write(result)).rejects.toSatisfy(isGone);
    expect(await target.close()).toEqual([]);
    if (!stream.closed) await once(stream, "close");
    const again = new StreamOutputTarget({ stream });
    await again.open(described(2, 1));
    await expect(again.write(result)).rejects.toSatisfy(isGone);
    await again.close();
  });
});

describe("fraction", () => {
  it.each([
    [30, [30, 1]],
    [29.97, [30_000, 1001]],
    [23.976, [24_000, 1001]],
    [59.94, [60_000, 1001]],
    [12.5, [25, 2]],
    [0.5, [1, 2]],
    [1000 / 3, [333_333, 1000]],
  ])("gives %d frames each second as a fraction", (rate, expected) => {
    expect(fraction(rate)).toEqual(expected);
  });
});
