import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM_PATH, LACKS_CHROMIUM } from "../test-support/programs.ts";
import { movingFrame, writeMovingFrames } from "../test-support/results.ts";
import { temporaryFolders } from "../test-support/temporary-folder.ts";
import { Mp4OutputTarget } from "./mp4-output-target.ts";

const folder = temporaryFolders(afterEach);
let browser: Browser;
beforeAll(async () => {
  if (LACKS_CHROMIUM) return;
  browser = await chromium.launch({ executablePath: CHROMIUM_PATH, args: ["--no-sandbox"] });
});
afterAll(() => browser?.close());

/** What a page shows of a file at a time: its size, its duration and the pixels. */
async function show(path: string, seconds: number) {
  const page = await browser.newPage();
  const source = `data:video/mp4;base64,${readFileSync(path).toString("base64")}`;
  const shown = await page.evaluate(
    async ({ source, seconds }) => {
      const video = document.createElement("video");
      video.muted = true;
      const loaded = new Promise((resolve, reject) => {
        video.onloadeddata = resolve;
        video.onerror = () => reject(new Error(video.error?.message));
      });
      video.src = source;
      await loaded;
      const sought = new Promise((resolve) => {
        video.onseeked = resolve;
      });
      video.currentTime = seconds;
      await sought;
      const { videoWidth: width, videoHeight: height, duration } = video;
      const context = new OffscreenCanvas(width, height).getContext("2d");
      context?.drawImage(video, 0, 0);
      const rgba = [...(context?.getImageData(0, 0, width, height).data ?? [])];
      return { width, height, duration, rgba };
    },
    { source, seconds },
  );
  await page.close();
  return shown;
}

describe.skipIf(LACKS_CHROMIUM)("an MP4 in Chromium", () => {
  it("E1: is shown in the colours of its frames, in limited and full range", async () => {
    for (const range of ["limited", "full"] as const) {
      const path = join(folder(), "x.mp4");
      await writeMovingFrames(new Mp4OutputTarget({ path, range }), { width: 64, height: 48, frames: 20, fps: 10 });
      const { rgba, width, height, duration } = await show(path, 1.25);
      expect({ width, height, duration }).toEqual({ width: 64, height: 48, duration: 2 });
      const source = movingFrame(64, 48, 12);
      const errors = source.map((value, at) => Math.abs(value - rgba[Math.floor(at / 3) * 4 + (at % 3)]));
      expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThan(3);
    }
  });

  it("E4: is shown at the size that its metadata tells", async () => {
    for (const [width, height] of [
      [1, 1],
      [33, 63],
      [50, 14],
    ]) {
      const path = join(folder(), "x.mp4");
      const [artifact] = await writeMovingFrames(new Mp4OutputTarget({ path }), { width, height, frames: 3 });
      const shown = await show(path, 0.04);
      expect(artifact.metadata).toMatchObject({ width: shown.width, height: shown.height });
    }
  });
});
