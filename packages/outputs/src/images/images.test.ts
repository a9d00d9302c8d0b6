import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { isDreamloopError } from "@dreamloop/core";
import { afterEach, describe, expect, it } from "vitest";
import { fullDisk, refusingDisk } from "../test-support/failing-file-system.ts";
import { LACKS_FFMPEG, ffprobe } from "../test-support/programs.ts";
import { described, movingFrame, writeMovingFrames, rgbResult } from "../test-support/results.ts";
import { temporaryFolders } from "../test-support/temporary-folder.ts";
import { imageFileName, ImagesOutputTarget } from "./images-output-target.ts";

const folder = temporaryFolders(afterEach);
const pixels = (path: string) => sharp(path).raw().toBuffer({ resolveWithObject: true });

describe("ImagesOutputTarget", () => {
  it("E1: writes PNG pictures that come back bit for bit, marked as sRGB", async () => {
    const path = join(folder(), "new/frames");
    const [artifact] = await writeMovingFrames(new ImagesOutputTarget({ path }), { width: 13, height: 9, frames: 3 });
    expect(readdirSync(path)).toEqual(["frame-000000.png", "frame-000001.png", "frame-000002.png"]);
    for (let frame = 0; frame < 3; frame += 1) {
      const file = join(path, imageFileName(frame, "png"));
      const { data, info } = await pixels(file);
      expect(info).toMatchObject({ width: 13, height: 9, channels: 3 });
      expect(data.equals(movingFrame(13, 9, frame))).toBe(true);
      // Right after the header: length 1, type, intent 0, and the checksum that every sRGB chunk of intent 0 has.
      expect(readFileSync(file).toString("latin1", 33, 46)).toBe("\0\0\0\x01sRGB\0\xae\xce\x1c\xe9");
    }
    expect(artifact).toMatchObject({ kind: "image/png", uri: path });
    expect(artifact.metadata).toMatchObject({ frameCount: 3, width: 13, height: 9, pattern: "frame-%06d.png" });
  });

  it.skipIf(LACKS_FFMPEG)("writes PNG that other readers accept with its checksums", async () => {
    const path = folder();
    await writeMovingFrames(new ImagesOutputTarget({ path }), { width: 8, height: 8, frames: 1 });
    expect(await ffprobe(join(path, "frame-000000.png"))).toMatchObject({
      codec_name: "png",
      width: 8,
      pix_fmt: "rgb24",
    });
  });

  it("E1: writes JPEG pictures near the source, with an sRGB profile", async () => {
    const path = folder();
    await writeMovingFrames(new ImagesOutputTarget({ path, format: "jpeg" }), { width: 64, height: 48, frames: 2 });
    expect(readdirSync(path)).toEqual(["frame-000000.jpg", "frame-000001.jpg"]);
    const file = join(path, "frame-000001.jpg");
    const facts = await sharp(file).metadata();
    expect(facts).toMatchObject({ format: "jpeg", space: "srgb", chromaSubsampling: "4:4:4", hasProfile: true });
    const { data } = await pixels(file);
    const source = movingFrame(64, 48, 1);
    expect(Math.max(...data.map((value, at) => Math.abs(value - source[at])))).toBeLessThanOrEqual(8);
  });

  it("E4: keeps every size, from 1×1 on", async () => {
    for (const [width, height] of [
      [1, 1],
      [1, 65],
      [65, 2],
      [359, 641],
    ]) {
      const path = folder();
      await writeMovingFrames(new ImagesOutputTarget({ path }), { width, height, frames: 1 });
      const { data, info } = await pixels(join(path, "frame-000000.png"));
      expect([info.width, info.height]).toEqual([width, height]);
      expect(data.equals(movingFrame(width, height, 0))).toBe(true);
    }
  });

  it("E6: removes the pictures of an earlier run, and nothing else", async () => {
    const path = folder();
    writeFileSync(join(path, "notes.txt"), "mine");
    writeFileSync(join(path, "frame-1.png"), "mine too");
    mkdirSync(join(path, "frame-000009.png"));
    const target = new ImagesOutputTarget({ path });
    await writeMovingFrames(target, { width: 4, height: 4, frames: 5 });
    await writeMovingFrames(target, { width: 4, height: 4, frames: 2 });
    expect(readdirSync(path)).toEqual([
      "frame-000000.png",
      "frame-000001.png",
      "frame-000009.png",
      "frame-1.png",
      "notes.txt",
    ]);
  });

  it("E7: takes frames whose memory is changed as soon as the write has settled", async () => {
    const path = folder();
    const target = new ImagesOutputTarget({ path });
    await target.open(described(32, 32));
    const memory = new Uint8Array(32 * 32 * 3);
    for (let index = 0; index < 6; index += 1) {
      memory.fill(index * 40);
      await target.write(rgbResult({ width: 32, height: 32 }, memory, { stepIndex: index }));
      memory.fill(255);
    }
    await target.close();
    for (let index = 0; index < 6; index += 1) {
      const { data } = await pixels(join(path, imageFileName(index, "png")));
      expect(new Set(data)).toEqual(new Set([index * 40]));
    }
  });

  it("keeps whole pictures when the disk fills up, and removes the one that is not", async () => {
    const path = folder();
    const one = folder();
    await writeMovingFrames(new ImagesOutputTarget({ path: one }), { width: 16, height: 16, frames: 1 });
    const pictureBytes = readFileSync(join(one, "frame-000000.png")).length;
    const target = new ImagesOutputTarget({
      path,
      parallelism: 1,
      fileSystem: fullDisk(Math.round(pictureBytes * 1.5)),
    });
    await expect(writeMovingFrames(target, { width: 16, height: 16, frames: 5 })).rejects.toSatisfy(
      (error) => isDreamloopError(error, "output_failed") && /frame-000001\.png \(ENOSPC\)/.test(error.message),
    );
    expect(await target.close()).toEqual([]);
    expect(readdirSync(path)).toEqual(["frame-000000.png"]);
    expect((await pixels(join(path, "frame-000000.png"))).info.width).toBe(16);
  });

  it("says at once when the folder cannot be written, or is a file", async () => {
    const path = folder();
    const refused = new ImagesOutputTarget({ path, fileSystem: refusingDisk("EACCES") });
    await expect(refused.open(described(4, 4))).rejects.toThrow(/EACCES.*permission is missing/);
    writeFileSync(join(path, "file"), "");
    const onFile = new ImagesOutputTarget({ path: join(path, "file") });
    await expect(onFile.open(described(4, 4))).rejects.toThrow("exists and is not a folder");
  });
});
