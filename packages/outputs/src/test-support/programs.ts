import { execFile } from "node:child_process";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
/* eslint-disable no-restricted-properties -- the test task tells in the environment what this machine has */
const missing = (process.env["DREAMLOOP_TEST_MISSING"] ?? "").split(",");

/** Whether tests that need ffmpeg have to be skipped. */
export const LACKS_FFMPEG = missing.includes("ffmpeg");

/** Whether tests that need Chromium have to be skipped. */
export const LACKS_CHROMIUM = missing.includes("chromium");

/** Path of ffmpeg. */
export const FFMPEG_PATH = process.env["DREAMLOOP_FFMPEG"] ?? "ffmpeg";

/** Path of Chromium. */
export const CHROMIUM_PATH = process.env["DREAMLOOP_CHROMIUM"] ?? "chromium";
/* eslint-enable no-restricted-properties */

/** What ffprobe tells about the only stream of a file. */
export async function ffprobe(path: string): Promise<Record<string, string | number | undefined>> {
  const program = join(dirname(FFMPEG_PATH), basename(FFMPEG_PATH).replace("ffmpeg", "ffprobe"));
  const args = ["-v", "error", "-count_frames", "-show_streams", "-of", "json", path];
  const { stdout } = await run(program, args);
  const { streams } = JSON.parse(stdout) as { streams: Record<string, string | number | undefined>[] };
  return streams[0] ?? {};
}

/** Presentation times of the packets of a file, in its time base. */
export async function packetTimes(path: string): Promise<number[]> {
  const program = join(dirname(FFMPEG_PATH), basename(FFMPEG_PATH).replace("ffmpeg", "ffprobe"));
  const args = ["-v", "error", "-show_entries", "packet=pts", "-of", "csv=p=0", path];
  const { stdout } = await run(program, args);
  return stdout
    .split("\n")
    .map((row) => row.replace(",", "").trim())
    .filter((row) => row !== "")
    .map(Number);
}

/** All frames of a file as packed RGB8, converted by ffmpeg as the file's tags say. */
export async function decodeRgb(path: string, inputOptions: readonly string[] = []): Promise<Buffer> {
  // Without these flags swscale takes shortcuts that cost a few steps of accuracy.
  const filter = "scale=flags=accurate_rnd+full_chroma_int+full_chroma_inp,format=rgb24";
  const args = ["-v", "error", ...inputOptions, "-i", path, "-vf", filter, "-f", "rawvideo", "pipe:1"];
  const { stdout } = await run(FFMPEG_PATH, args, { encoding: "buffer", maxBuffer: 1 << 30 });
  return stdout;
}
