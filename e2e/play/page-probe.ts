import { readProbeStrip, probeLayout, type ProbeStripValues } from "@dreamloop/worlds/probe";

/** What a page sees of the probe world. */
export interface Seen extends ProbeStripValues {
  /** Mean colour of the eight patches, each red, green and blue. */
  readonly patches: readonly (readonly number[])[];
}

declare global {
  interface Window {
    /** Reads the picture that is shown; undefined while there is none that holds a strip. */
    readProbe(selector?: string): Seen | undefined;
    /** Waits for a picture that passes; rejects with the last one seen. */
    waitForProbe(test: (seen: Seen) => unknown, timeoutMilliseconds: number, selector?: string): Promise<Seen>;
  }
}

const canvas = document.createElement("canvas");

function read(selector = "[data-dreamloop=picture], .viewer-video, #recording"): Seen | undefined {
  const element = document.querySelector<HTMLVideoElement | HTMLCanvasElement>(selector);
  if (element === null) return undefined;
  const width = "videoWidth" in element ? element.videoWidth : element.width;
  const height = "videoHeight" in element ? element.videoHeight : element.height;
  if (width < 64 || height < 40) return undefined;
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (context === null) return undefined;
  context.drawImage(element, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const values = readProbeStrip({ data, width, height, channels: 4 });
  if (values === undefined) return undefined;
  const patches = probeLayout(width, height).patches.map((patch) => {
    const sums = [0, 0, 0];
    let count = 0;
    for (let y = patch.y + (patch.height >> 2); y < patch.y + ((patch.height * 3) >> 2); y += 1) {
      for (let x = patch.x + (patch.width >> 2); x < patch.x + ((patch.width * 3) >> 2); x += 1) {
        for (let channel = 0; channel < 3; channel += 1) sums[channel] += data[(y * width + x) * 4 + channel];
        count += 1;
      }
    }
    return sums.map((sum) => sum / count);
  });
  return { ...values, patches };
}

window.readProbe = read;
window.waitForProbe = async (test, timeoutMilliseconds, selector) => {
  const end = performance.now() + timeoutMilliseconds;
  let last: Seen | undefined;
  while (performance.now() < end) {
    const seen = read(selector);
    if (seen !== undefined) {
      last = seen;
      if (test(seen)) return seen;
    }
    await new Promise((resolve) => setTimeout(resolve, 8));
  }
  throw new Error(`no picture with ${String(test)}; the last one: ${JSON.stringify(last)}`);
};
