import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, describe, expect, it } from "vitest";
import { fullDisk } from "../test-support/failing-file-system.ts";
import { LACKS_FFMPEG, ffprobe } from "../test-support/programs.ts";
import { movingFrame, writeMovingFrames } from "../test-support/results.ts";
import { temporaryFolders } from "../test-support/temporary-folder.ts";
import { MJPEG_BOUNDARY, MJPEG_CONTENT_TYPE, mjpegEncoder, multipartFrame } from "./mjpeg-stream.ts";
import { MjpegOutputTarget } from "./mjpeg-output-target.ts";

const folder = temporaryFolders(afterEach);

/** The pictures of a file, cut at each start-of-image marker. */
function pictures(path: string): Buffer[] {
  const bytes = readFileSync(path);
  const starts: number[] = [];
  for (let at = bytes.indexOf("ffd8ff", 0, "hex"); at >= 0; at = bytes.indexOf("ffd8ff", at + 1, "hex"))
    starts.push(at);
  return starts.map((start, index) => bytes.subarray(start, starts[index + 1] ?? bytes.length));
}

describe("MjpegOutputTarget", () => {
  it("E5: writes one picture for each frame, in order", async () => {
    const path = join(folder(), "x.mjpeg");
    const [artifact] = await writeMovingFrames(new MjpegOutputTarget({ path }), { width: 48, height: 32, frames: 7 });
    const found = pictures(path);
    expect(found).toHaveLength(7);
    for (const [frame, picture] of found.entries()) {
      const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true });
      expect([info.width, info.height]).toEqual([48, 32]);
      const source = movingFrame(48, 32, frame);
      const error = data.reduce((sum, value, at) => sum + Math.abs(value - source[at]), 0) / source.length;
      expect(error).toBeLessThan(2);
    }
    expect(artifact.metadata).toMatchObject({ frameCount: 7, framesPerSecond: 30, width: 48, height: 32 });
  });

  it.skipIf(LACKS_FFMPEG)("E5: is read by ffmpeg with all frames", async () => {
    const path = join(folder(), "x.mjpeg");
    await writeMovingFrames(new MjpegOutputTarget({ path }), { width: 33, height: 1, frames: 5 });
    expect(await ffprobe(path)).toMatchObject({ codec_name: "mjpeg", nb_read_frames: "5", width: 33, height: 1 });
  });

  it("leaves nothing when the disk fills up", async () => {
    const home = folder();
    const target = new MjpegOutputTarget({ path: join(home, "x.mjpeg"), fileSystem: fullDisk(1500) });
    const failed = writeMovingFrames(target, { width: 48, height: 32, frames: 40 });
    await expect(failed).rejects.toThrow(/x\.mjpeg \(ENOSPC\)/);
    await target.close();
    expect(readdirSync(home)).toEqual([]);
  });
});

describe("the parts of a live stream", () => {
  it("are pictures with their length between the boundaries that the content type names", async () => {
    const encode = await mjpegEncoder({ width: 8, height: 8 });
    const jpeg = await encode(movingFrame(8, 8, 0));
    const part = Buffer.from(multipartFrame(jpeg));
    const head = part.toString("latin1", 0, part.indexOf("\r\n\r\n"));
    expect(head).toBe(`--${MJPEG_BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: ${jpeg.byteLength}`);
    expect(MJPEG_CONTENT_TYPE).toContain(`boundary=${MJPEG_BOUNDARY}`);
    const body = part.subarray(head.length + 4);
    expect(body.subarray(0, jpeg.byteLength).equals(jpeg)).toBe(true);
    expect(body.toString("latin1", jpeg.byteLength)).toBe("\r\n");
    expect((await sharp(body.subarray(0, jpeg.byteLength)).metadata()).width).toBe(8);
  });
});
