import { open, type FileHandle } from "node:fs/promises";
import { ERROR_CODES, type DreamloopError, type TraceSink } from "@dreamloop/core";
import { fileError } from "./file-error.ts";

/** When a trace file is brought to the disk itself. */
export const TRACE_SYNC = {
  /** After every step: survives a power cut up to the last step, at the price of the disk's own speed. */
  step: "step",
  /** At the end: survives the end of the process at any time, a power cut only once the run is over. */
  close: "close",
  /** Never: the operating system decides. */
  never: "never",
} as const;

/** One of `TRACE_SYNC`. */
export type TraceSync = (typeof TRACE_SYNC)[keyof typeof TRACE_SYNC];

/** How a trace file is written. */
export interface TraceFileOptions {
  /** Whether a file that is there may be replaced; default false: it is refused. */
  readonly overwrite?: boolean;
  /** When the file is brought to the disk; default `close`. */
  readonly sync?: TraceSync;
  /** Opens the file; for tests that let it fail. Default Node's `open`. */
  readonly openFile?: (path: string, flags: string) => Promise<TraceFileHandle>;
}

/** The part of Node's `FileHandle` that is used. */
export type TraceFileHandle = Pick<FileHandle, "truncate" | "datasync" | "close"> & {
  /** Writes bytes at a position; may write fewer. */
  write(
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesWritten: number }>;
};

/**
 * A trace on disk. What `write` has resolved for has left the process, so that a process which is killed loses none of it. While one
 * write is under way, those that come meanwhile are joined into the next. When a write fails, the file is cut back to the last whole
 * step and every later call fails with the same `output_failed` error, which names the path.
 */
export class TraceFileWriter implements TraceSink {
  /** The file's path. */
  readonly path: string;
  readonly #file: TraceFileHandle;
  readonly #sync: TraceSync;
  #waiting: string[] = [];
  #flushing: Promise<void> | undefined;
  #writtenBytes = 0;
  #failure: DreamloopError | undefined;
  #closing: Promise<void> | undefined;

  private constructor(path: string, file: TraceFileHandle, sync: TraceSync) {
    this.path = path;
    this.#file = file;
    this.#sync = sync;
  }

  /** Creates the file. Throws `output_failed` naming the path when it is there already (unless `overwrite`) or cannot be made. */
  static async create(path: string, options: TraceFileOptions = {}): Promise<TraceFileWriter> {
    const { overwrite = false, sync = TRACE_SYNC.close, openFile = open } = options;
    try {
      return new TraceFileWriter(path, await openFile(path, overwrite ? "w" : "wx"), sync);
    } catch (cause) {
      throw fileError({ code: ERROR_CODES.outputFailed, action: "create the trace", path, cause });
    }
  }

  /** Bytes that have been written. */
  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  /** Appends whole lines; resolves when they have been written. Rejects with `output_failed`. */
  async write(lines: string): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#closing !== undefined) {
      const cause = new Error("it is closed");
      throw fileError({ code: ERROR_CODES.closed, action: "write the trace", path: this.path, cause });
    }
    this.#waiting.push(lines);
    await this.#settle();
  }

  /** Writes what waits, brings the file to the disk as `sync` says and closes it; idempotent. Rejects with `output_failed`. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** The same as `close`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Resolves when nothing waits any more. What comes while a write is under way waits for the same next one. */
  async #settle(): Promise<void> {
    while (this.#flushing !== undefined || this.#waiting.length > 0) {
      this.#flushing ??= this.#flush().finally(() => (this.#flushing = undefined));
      await this.#flushing;
    }
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#waiting.join(""), "utf8");
    this.#waiting = [];
    try {
      await this.#writeAll(bytes);
      this.#writtenBytes += bytes.byteLength;
      if (this.#sync === TRACE_SYNC.step) await this.#file.datasync();
    } catch (cause) {
      this.#waiting = [];
      this.#failure = fileError({ code: ERROR_CODES.outputFailed, action: "write the trace", path: this.path, cause });
      // A part of a step may have been written; without it the trace is whole up to the step before.
      await this.#file.truncate(this.#writtenBytes).catch(() => undefined);
      throw this.#failure;
    }
  }

  async #writeAll(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.byteLength;) {
      const { bytesWritten } = await this.#file.write(bytes, done, bytes.byteLength - done, this.#writtenBytes + done);
      if (bytesWritten === 0) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
      done += bytesWritten;
    }
  }

  async #close(): Promise<void> {
    try {
      await this.#settle().catch(() => undefined);
      if (this.#sync !== TRACE_SYNC.never && this.#failure === undefined) await this.#file.datasync();
    } catch (cause) {
      throw fileError({ code: ERROR_CODES.outputFailed, action: "finish the trace", path: this.path, cause });
    } finally {
      await this.#file.close();
    }
  }
}

/** Appends lines, such as a measured tolerance, to a trace that is there. Throws `output_failed` naming the path. */
export async function appendToTrace(path: string, lines: string): Promise<void> {
  try {
    const file = await open(path, "r+");
    try {
      const { size } = await file.stat();
      const last = Buffer.alloc(1);
      const endsWithLine = size === 0 || ((await file.read(last, 0, 1, size - 1)).bytesRead === 1 && last[0] === 10);
      await file.write(`${endsWithLine ? "" : "\n"}${lines}`, size);
      await file.datasync();
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw fileError({ code: ERROR_CODES.outputFailed, action: "add to the trace", path, cause });
  }
}
