import { spawn } from "node:child_process";
import { inferenceConfig, modelInputs, stepResult } from "@dreamloop/core";
import { expect, test } from "vitest";
import { probeWorld } from "../probe-world.ts";
import { readProbeStrip } from "./strip-reader.ts";

const ffmpeg = process.env.DREAMLOOP_FFMPEG;
const FRAMES = 8;

function run(args: readonly string[], input: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn(ffmpeg as string, ["-loglevel", "error", "-threads", "1", ...args]);
    const parts: Buffer[] = [];
    let errors = "";
    child.stdout.on("data", (part: Buffer) => parts.push(part));
    child.stderr.on("data", (part: Buffer) => (errors += part.toString()));
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(Buffer.concat(parts)) : reject(new Error(errors))));
    child.stdin.on("error", reject);
    child.stdin.end(input);
  });
}

async function frames(width: number, height: number): Promise<Buffer> {
  const config = inferenceConfig({
    modelId: "probe",
    runtimeOptions: { width, height, framesPerStep: FRAMES },
  });
  const runtime = await probeWorld.createRuntime(config, {});
  const session = await runtime.startSession(modelInputs(), { seed: 2 });
  const step = { inputSequence: 99, actions: { held: ["left"] }, lookDelta: { deltaX: 7 } };
  const { output } = stepResult(await session.step(modelInputs({ step }), {}));
  return Buffer.from(output?.data as Uint8Array);
}

const CODECS = {
  "JPEG at quantiser 10": ["-c:v", "mjpeg", "-q:v", "10", "-pix_fmt", "yuvj420p", "-f", "avi"],
  "H.264 at a constant rate factor of 35": [
    ...["-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-crf", "35", "-pix_fmt", "yuv420p"],
    ...["-f", "matroska"],
  ],
  "VP8 at its worst quality but one": [
    ...["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "1M", "-qmin", "50", "-qmax", "62"],
    ...["-f", "matroska"],
  ],
};

for (const [name, codec] of Object.entries(CODECS)) {
  test.skipIf(ffmpeg === undefined).each([
    [160, 90],
    [640, 360],
  ])(`the strip is read from every frame of %d×%d after ${name}`, async (width, height) => {
    const raw = ["-f", "rawvideo", "-pix_fmt", "rgb24"];
    const size = ["-s", `${width}x${height}`, "-r", "30"];
    const encoded = await run([...raw, ...size, "-i", "-", ...codec, "-"], await frames(width, height));
    const decoded = await run(["-i", "-", ...raw, "-"], encoded);
    expect(decoded.length).toBe(FRAMES * width * height * 3);
    for (let frame = 0; frame < FRAMES; frame += 1) {
      const data = decoded.subarray(frame * width * height * 3, (frame + 1) * width * height * 3);
      expect(readProbeStrip({ data, width, height })).toMatchObject({
        frameIndex: frame,
        stepIndex: 0,
        inputSequence: 99,
        heldBits: 0b100,
        lookSumX: 7,
      });
    }
  });
}
