import { inferenceConfig, modelInputs, randomStream, stepResult } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { probeLayout } from "../layout.ts";
import { probeWorld } from "../probe-world.ts";
import { promptHash } from "./check-codes.ts";
import { readProbeStrip, type StripPicture } from "./strip-reader.ts";

const INPUTS = {
  inputSequence: 4711,
  driverCommand: { throttle: 1, steer: -1 },
  actions: { held: ["forward", "use"], pressed: { jump: 2 } },
  lookDelta: { deltaX: 12.25, deltaY: -3.5 },
};
const EXPECTED = {
  frameIndex: 0,
  stepIndex: 0,
  generation: 0,
  inputSequence: 4711,
  heldBits: 0b1000000001,
  pressedBits: 0b1000000,
  pressCount: 2,
  lookSumX: 12.25,
  lookSumY: -3.5,
  driverCommand: { throttle: 1, brake: 0, steer: -1, reverse: false, stop: false },
  promptHash: promptHash("a red house"),
};

/** One probe frame of this size. */
async function frame(width: number, height: number): Promise<StripPicture & { readonly data: Uint8Array }> {
  const config = inferenceConfig({ modelId: "probe", runtimeOptions: { width, height } });
  const runtime = await probeWorld.createRuntime(config, {});
  const session = await runtime.startSession(modelInputs({ initial: { prompt: "a red house" } }), { seed: 1 });
  const result = stepResult(await session.step(modelInputs({ step: INPUTS }), {}));
  await runtime.close();
  return { data: result.output?.data as Uint8Array, width, height };
}

/** Mean of the neighbourhood within `radius` pixels. */
function blur({ data, width, height }: StripPicture, radius: number): Uint8Array {
  return Uint8Array.from({ length: width * height * 3 }, (_, at) => {
    const x = Math.floor(at / 3) % width;
    const y = Math.floor(at / 3 / width);
    let sum = 0;
    let count = 0;
    for (let row = Math.max(0, y - radius); row <= Math.min(height - 1, y + radius); row += 1) {
      for (let column = Math.max(0, x - radius); column <= Math.min(width - 1, x + radius); column += 1) {
        sum += data[(row * width + column) * 3 + (at % 3)];
        count += 1;
      }
    }
    return Math.round(sum / count);
  });
}

/** The picture in another size; each new pixel is the mean of the area that it covers. */
function scale(picture: StripPicture, width: number, height: number): StripPicture {
  const data = new Float64Array(width * height * 3);
  const factorX = picture.width / width;
  const factorY = picture.height / height;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      let weights = 0;
      for (let row = Math.floor(y * factorY); row < Math.min(picture.height, (y + 1) * factorY); row += 1) {
        const high = Math.min(row + 1, (y + 1) * factorY) - Math.max(row, y * factorY);
        for (let column = Math.floor(x * factorX); column < Math.min(picture.width, (x + 1) * factorX); column += 1) {
          const weight = high * (Math.min(column + 1, (x + 1) * factorX) - Math.max(column, x * factorX));
          weights += weight;
          for (let channel = 0; channel < 3; channel += 1)
            data[(y * width + x) * 3 + channel] += weight * picture.data[(row * picture.width + column) * 3 + channel];
        }
      }
      for (let channel = 0; channel < 3; channel += 1) data[(y * width + x) * 3 + channel] /= weights;
    }
  }
  return { data: Uint8Array.from(data, Math.round), width, height };
}

describe("readProbeStrip", () => {
  test("reads every size that has a strip, odd ones too, and finds nothing in the others", async () => {
    const sizes = "1x1 16x16 33x65 65x33 64x64 97x55 160x90 320x180 359x641 641x359 640x360 1920x40 1920x1080"
      .split(" ")
      .map((size) => size.split("x").map(Number) as [number, number]);
    const withStrip: string[] = [];
    for (const [width, height] of sizes) {
      const picture = await frame(width, height);
      const values = readProbeStrip(picture);
      expect(values !== undefined).toBe(probeLayout(width, height).strip !== undefined);
      if (values === undefined) continue;
      expect(values).toEqual(EXPECTED);
      withStrip.push(`${width}x${height}`);
    }
    expect(withStrip.join(" ")).toBe("64x64 97x55 160x90 320x180 359x641 641x359 640x360 1920x40 1920x1080");
  });

  test("reads RGBA, luma alone and floats", async () => {
    const { data, width, height } = await frame(160, 90);
    const rgba = new Uint8ClampedArray(width * height * 4).fill(255);
    const luma = new Uint8Array(width * height);
    for (let pixel = 0; pixel < luma.length; pixel += 1) {
      rgba.set(data.subarray(pixel * 3, pixel * 3 + 3), pixel * 4);
      luma[pixel] = data[pixel * 3 + 1];
    }
    expect(readProbeStrip({ data: rgba, width, height, channels: 4 })).toEqual(EXPECTED);
    expect(readProbeStrip({ data: luma, width, height, channels: 1 })).toEqual(EXPECTED);
    expect(readProbeStrip({ data: Float32Array.from(data, (value) => value / 255), width, height })).toEqual(EXPECTED);
  });

  test.each([
    [640, 360, 3],
    [320, 180, 2],
    [160, 90, 1],
  ])("reads %d×%d after blur and strong noise", async (width, height, radius) => {
    const picture = await frame(width, height);
    const blurred = blur(picture, radius);
    const noise = randomStream({ seed: 5, step: 0, stream: "noise" });
    const noisy = Uint8ClampedArray.from(blurred, (value) => value * 0.8 + 20 + noise.nextNormal() * 25);
    expect(readProbeStrip({ data: noisy, width, height })).toEqual(EXPECTED);
  });

  test.each([
    [640, 360, 320, 180],
    [640, 360, 427, 240],
    [640, 360, 960, 540],
    [1920, 1080, 480, 270],
    [359, 641, 269, 480],
  ])("reads %d×%d scaled to %d×%d", async (sourceWidth, sourceHeight, width, height) => {
    const scaled = scale(await frame(sourceWidth, sourceHeight), width, height);
    expect(readProbeStrip(scaled, { sourceWidth, sourceHeight })).toEqual(EXPECTED);
  });

  test("finds nothing in a picture without a strip, or in one that is inverted or shifted by a cell", async () => {
    const { data, width, height } = await frame(640, 360);
    expect(readProbeStrip({ data: new Uint8Array(data.length), width, height })).toBeUndefined();
    expect(readProbeStrip({ data: data.map((value) => 255 - value), width, height })).toBeUndefined();
    const shifted = data.copyWithin(0, 10 * 3);
    expect(readProbeStrip({ data: shifted, width, height })).toBeUndefined();
  });

  test("data that is too short for the size is refused", () => {
    expect(() => readProbeStrip({ data: new Uint8Array(10), width: 2, height: 2 })).toThrow(
      /StripPicture\.data: expected 12 values/,
    );
  });
});
