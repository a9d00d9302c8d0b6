// The rate of the MP4 target beside an ffmpeg process that is fed the same raw frames and makes the same kind of file: H.264 at the same bitrate,
// BT.709 limited range tagged, index at the front. Runs take turns, so that whatever else the machine does meets both. The clock runs from the
// first frame to the finished file; start-up is told apart. `--rounds N` (default 7), `--frames N` (default 300), `--size WxH` (repeatable) and
// `--json FILE`, which keeps the raw figures.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { sessionDescription, stepResult } from "@dreamloop/core";
import {
  defaultBitrate,
  i420Bytes,
  measurementEnvironment,
  Mp4OutputTarget,
  rgbToI420,
  selectEncoder,
} from "@dreamloop/outputs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    frames: { type: "string", default: "300" },
    size: { type: "string", multiple: true, default: ["512x288", "1280x720"] },
    json: { type: "string" },
  },
});
const rounds = Number(values.rounds);
const frameCount = Number(values.frames);
const framesPerSecond = 30;
const ffmpegPath = process.env["DREAMLOOP_FFMPEG"] ?? "ffmpeg";
const folder = mkdtempSync(join(tmpdir(), "dreamloop-bench-"));

/** Frames with texture that moves, a little noise, and a part that stands still; made before the clock runs. */
function makeFrames(width, height) {
  const count = Math.min(frameCount, Math.max(8, Math.floor(3e8 / (width * height * 3))));
  let random = 12_345;
  return Array.from({ length: count }, (_, frame) => {
    const rgb = new Uint8Array(width * height * 3);
    for (let y = 0, at = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1, at += 3) {
        random = (Math.imul(random, 1_103_515_245) + 12_345) & 0x7fff_ffff;
        const shift = y < height / 3 ? 0 : frame * 3;
        const texture = ((x + shift) ^ (y + (frame >> 1))) & 63;
        const noise = (random >> 16) & 7;
        rgb[at] = 60 + texture * 2 + noise;
        rgb[at + 1] = 40 + Math.floor((150 * y) / height) + noise;
        rgb[at + 2] = 50 + ((x + shift) & 127) + noise;
      }
    }
    return rgb;
  });
}

/** Frames to and fro, so that a short list gives a long run without a cut. */
function frameAt(frames, index) {
  const period = Math.max(1, 2 * (frames.length - 1));
  const at = index % period;
  return frames[at < frames.length ? at : period - at];
}

async function runTarget(encoder, { width, height, frames, path }) {
  const target = new Mp4OutputTarget({ path, encoder });
  const start = performance.now();
  await target.open(sessionDescription({ worldId: "bench", width, height, framesPerSecond }));
  const first = performance.now();
  for (let stepIndex = 0; stepIndex < frameCount; stepIndex += 1) {
    const data = frameAt(frames, stepIndex);
    const output = { width, height, format: "rgb8", layout: "thwc", colorSpace: "srgb", range: "full", data };
    await target.write(stepResult({ stepIndex, output }));
  }
  await target.close();
  return { startMilliseconds: first - start, milliseconds: performance.now() - first, bytes: statSync(path).size };
}

async function runFfmpeg(preset, { width, height, frames, path }) {
  const tags = ["-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"];
  const args = ["-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-video_size", `${width}x${height}`];
  args.push("-framerate", String(framesPerSecond), "-i", "pipe:0");
  args.push("-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p", ...tags);
  args.push("-c:v", "libx264", "-preset", preset, "-b:v", String(defaultBitrate({ width, height, framesPerSecond })));
  args.push("-g", String(2 * framesPerSecond), "-movflags", "+faststart", path);
  const start = performance.now();
  const child = spawn(ffmpegPath, args, { stdio: ["pipe", "inherit", "inherit"] });
  const ended = new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve() : reject(new Error(`ffmpeg ended with ${code}`))));
  });
  await new Promise((resolve, reject) => child.once("spawn", resolve).once("error", reject));
  const first = performance.now();
  for (let index = 0; index < frameCount; index += 1) {
    await new Promise((resolve, reject) =>
      child.stdin.write(frameAt(frames, index), (error) => (error ? reject(error) : resolve())),
    );
  }
  child.stdin.end();
  await ended;
  return { startMilliseconds: first - start, milliseconds: performance.now() - first, bytes: statSync(path).size };
}

/**
 * How near the file is to its frames: peak signal to noise of the luma over every 10th frame, in dB, so that rates are compared at known
 * quality. Chroma is left out, since its smaller planes lose more to any way of shrinking than to the codec.
 */
async function peakSignalToNoise(path, { width, height, frames }) {
  const args = ["-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "yuv420p", "pipe:1"];
  const child = spawn(ffmpegPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const lumaBytes = width * height;
  const frameBytes = i420Bytes(width, height);
  const sources = new Map();
  const sourceOf = (index) => {
    if (!sources.has(index)) sources.set(index, rgbToI420({ rgb: frameAt(frames, index), width, height }).data);
    return sources.get(index);
  };
  let position = 0;
  let squares = 0;
  let values = 0;
  for await (const piece of child.stdout) {
    for (let at = 0; at < piece.length;) {
      const index = Math.floor(position / frameBytes);
      const inside = position % frameBytes;
      const length = Math.min(piece.length - at, frameBytes - inside);
      if (index % 10 === 0) {
        const source = sourceOf(index);
        const end = Math.min(length, Math.max(0, lumaBytes - inside));
        for (let offset = 0; offset < end; offset += 1) squares += (piece[at + offset] - source[inside + offset]) ** 2;
        values += end;
      }
      at += length;
      position += length;
    }
  }
  return 10 * Math.log10((255 * 255 * values) / squares);
}

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
const median = (list) =>
  percentile(
    [...list].sort((a, b) => a - b),
    0.5,
  );
const encoder = await selectEncoder();
const contestants = [
  ["dreamloop mp4", (job) => runTarget(encoder, job)],
  ["ffmpeg x264 veryfast", (job) => runFfmpeg("veryfast", job)],
  ["ffmpeg x264 ultrafast", (job) => runFfmpeg("ultrafast", job)],
];
const report = { environment: measurementEnvironment(), rounds, frameCount, framesPerSecond, sizes: [] };
try {
  for (const size of values.size) {
    const [width, height] = size.split("x").map(Number);
    const frames = makeFrames(width, height);
    const samples = contestants.map(([name]) => ({ name, psnrDecibels: 0, runs: [] }));
    for (let round = -1; round < rounds; round += 1) {
      for (const [index, [, run]] of contestants.entries()) {
        const result = await run({ width, height, frames, path: join(folder, `${index}.mp4`) });
        // The first round warms caches and compilers.
        if (round >= 0) samples[index].runs.push({ ...result, load: loadavg()[0] });
      }
    }
    for (const [index, sample] of samples.entries()) {
      sample.psnrDecibels = await peakSignalToNoise(join(folder, `${index}.mp4`), { width, height, frames });
    }
    report.sizes.push({ width, height, samples });
    const rates = samples.map(({ runs }) => runs.map(({ milliseconds }) => (frameCount * 1000) / milliseconds));
    console.log(`${width}×${height}, ${frameCount} frames, ${rounds} rounds in turns`);
    for (const [index, { name, psnrDecibels, runs }] of samples.entries()) {
      const sorted = [...rates[index]].sort((a, b) => a - b);
      // Rounds are compared with each other, not runs of different times.
      const ratio = median(rates[0].map((rate, round) => rate / rates[index][round]));
      const rate = `${percentile(sorted, 0.5).toFixed(1)} frames/s  (p10 ${percentile(sorted, 0.1).toFixed(1)}, p90 ${percentile(sorted, 0.9).toFixed(1)})`;
      const rest = `start ${median(runs.map(({ startMilliseconds }) => startMilliseconds)).toFixed(0)} ms  ${(median(runs.map(({ bytes }) => bytes)) / 1024).toFixed(0)} KiB  ${psnrDecibels.toFixed(1)} dB`;
      const beside = index === 0 ? "" : `  dreamloop is ${ratio.toFixed(2)} of this`;
      console.log(`  ${name.padEnd(22)} ${rate}  ${rest}${beside}`);
    }
  }
} finally {
  await encoder.close();
  rmSync(folder, { recursive: true, force: true });
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`);
