import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { DreamloopError, ERROR_CODES, TraceEncoder, type FrameHasher, type RunObserver } from "@dreamloop/core";
import { DREAMLOOP_VERSION, TRACE_FORMAT } from "@dreamloop/core/internal";
import { environmentFacts, PayloadFolder, payloadFolderOf, sha256FrameHasher, TraceFileWriter } from "@dreamloop/node";

/** Bytes at the start of an existing file in which the name of the format must stand. */
const HEAD_BYTES = 256;

/** Where and how a trace is recorded. */
export interface TraceRecorderOptions {
  /** The file as given. */
  readonly path: string;
  /** The current folder. */
  readonly cwd: string;
  /** Whether the payloads of the model inputs are kept in the folder beside it. */
  readonly recordInputs: boolean;
}

/** Records a run into a trace file. */
export class TraceRecorder {
  /** Hashes frames for the trace. */
  readonly hasher: FrameHasher = sha256FrameHasher;
  /** The observer for the run. */
  readonly observer: RunObserver;
  readonly #file: TraceFileWriter;

  private constructor(file: TraceFileWriter, recordInputs: boolean) {
    this.#file = file;
    this.observer = new TraceEncoder({
      sink: file,
      hasher: sha256FrameHasher,
      dreamloopVersion: DREAMLOOP_VERSION,
      recordedAt: new Date().toISOString(),
      environment: environmentFacts(),
      payloads: new PayloadFolder(payloadFolderOf(file.path)),
      recordModelInputs: recordInputs,
    });
  }

  /** Creates the file. An existing trace is replaced, any other file is refused with `output_failed`. */
  static async open({ path, cwd, recordInputs }: TraceRecorderOptions): Promise<TraceRecorder> {
    const full = resolve(cwd, path);
    refuseForeignFile(path, full);
    return new TraceRecorder(await TraceFileWriter.create(full, { overwrite: true }), recordInputs);
  }

  /** Completes the file. */
  close(): Promise<void> {
    return this.#file.close();
  }
}

function refuseForeignFile(path: string, full: string): void {
  const facts = statSync(full, { throwIfNoEntry: false });
  if (facts === undefined || !facts.isFile() || facts.size === 0) return;
  if (readFileSync(full).subarray(0, HEAD_BYTES).includes(TRACE_FORMAT)) return;
  throw new DreamloopError(
    ERROR_CODES.outputFailed,
    `--record: ${path} exists and is no trace, so it is not replaced; remove it or choose another name`,
  );
}
