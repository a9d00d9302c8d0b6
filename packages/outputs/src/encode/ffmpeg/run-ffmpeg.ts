import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { writeToStream } from "../../target/write-to-stream.ts";

/** What a program that was run to its end gave. */
export interface FfmpegResult {
  /** Its standard output. */
  readonly output: Buffer;
}

/** Text of standard error that is kept for error messages, in characters. */
const KEPT_OUTPUT = 2000;

/** An `encoder_failed` error of this backend. */
export function ffmpegFailure(what: string, options: { readonly printed?: string; readonly cause?: unknown }) {
  const printed = options.printed
    ?.trim()
    .split("\n")
    .at(-1)
    ?.replace(/\[[^\]]*@ 0x[0-9a-f]+\]\s*/gi, "");
  const detail = printed === undefined || printed === "" ? "" : `; it says: ${printed}`;
  return new DreamloopError(ERROR_CODES.encoderFailed, `ffmpeg encoder: ${what}${detail}`, { cause: options.cause });
}

/** A running ffmpeg. */
export interface FfmpegProcess {
  /** The process. */
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Resolves when it has ended well and all of its output has been seen; rejects with why it did not. */
  readonly ended: Promise<void>;
}

/** Starts ffmpeg in a process group of its own, so that an interrupt from the terminal leaves it to finish; it ends with its input. */
export function startFfmpeg(path: string, args: readonly string[]): FfmpegProcess {
  const isPosix = process.platform !== "win32";
  const child = spawn(path, args, { stdio: ["pipe", "pipe", "pipe"], detached: isPosix, windowsHide: true });
  let printed = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed = `${printed}${text}`.slice(-KEPT_OUTPUT);
  });
  child.stdin.on("error", () => undefined);
  const ended = new Promise<void>((resolve, reject) => {
    child.on("error", (cause) => {
      reject(ffmpegFailure(`${path} could not be started; install ffmpeg or choose another encoder`, { cause }));
    });
    child.on("close", (code, signal) => {
      if (code === 0) resolve();
      else reject(ffmpegFailure(`${path} ended with ${signal ?? `exit code ${code ?? "unknown"}`}`, { printed }));
    });
  });
  // Whoever needs the end waits for it; nobody has to.
  ended.catch(() => undefined);
  return { child, ended };
}

/** Runs ffmpeg to its end with this input and gives its output. */
export async function runFfmpeg(path: string, args: readonly string[], input: Uint8Array): Promise<FfmpegResult> {
  const { child, ended } = startFfmpeg(path, args);
  const pieces: Buffer[] = [];
  child.stdout.on("data", (piece: Buffer) => pieces.push(piece));
  // When it ends before it has read everything, its end says why.
  if (input.byteLength > 0) await writeToStream(child.stdin, input).catch(() => undefined);
  child.stdin.end();
  await ended;
  return { output: Buffer.concat(pieces) };
}
