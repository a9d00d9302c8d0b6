import { copyFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import { TraceTally } from "@dreamloop/core/internal";
import { appendToTrace, PayloadFolder, payloadFolderOf, TraceFileWriter } from "@dreamloop/node";
import { TraceArchive } from "./trace-archive.ts";

/** A copy of a trace as it was at one moment. */
export interface TraceCopy {
  /** The trace. */
  readonly traceFile: string;
  /** The trace with the content that does not stand in it; absent when everything does. */
  readonly archive?: TraceArchive;
}

/** The exact trace of one session: a file, and beside it the big arrays that no line can hold. Beyond its limit it is given up. */
export class SessionTrace {
  readonly #limitBytes: number;
  readonly #payloads: PayloadFolder;
  readonly #payloadBytes = new Map<string, number>();
  readonly #tally = new TraceTally();
  #lineBytes = 0;
  #file: TraceFileWriter | undefined;
  #payloadSum = 0;
  #keeping: Promise<void> = Promise.resolve();

  private constructor(file: TraceFileWriter, limitBytes: number) {
    this.#file = file;
    this.#limitBytes = limitBytes;
    this.#payloads = new PayloadFolder(payloadFolderOf(file.path));
  }

  /** Creates the file in a folder. */
  static async open(folder: string, limits: { readonly bytes: number }): Promise<SessionTrace> {
    const file = await TraceFileWriter.create(join(folder, "session.trace"), { sync: "never" });
    return new SessionTrace(file, limits.bytes);
  }

  /** Adds lines. */
  write(lines: string): void {
    const file = this.#fileWithRoom(lines.length);
    if (file === undefined) return;
    this.#tally.take(lines);
    this.#lineBytes += Buffer.byteLength(lines);
    file.write(lines).catch(() => this.#giveUp());
  }

  /** Keeps content that the lines that come speak of; each is kept once. */
  keep(address: string, bytes: Uint8Array): void {
    if (this.#payloadBytes.has(address) || this.#fileWithRoom(bytes.byteLength) === undefined) return;
    this.#payloadBytes.set(address, bytes.byteLength);
    this.#payloadSum += bytes.byteLength;
    this.#keeping = this.#keeping.then(() => this.#payloads.put(address, bytes)).catch(() => this.#giveUp());
  }

  /** Copies what was written so far, with an end of its own; nothing when the trace was given up or cannot be copied. */
  async copyTo(traceFile: string): Promise<TraceCopy | undefined> {
    const addresses = new Map(this.#payloadBytes);
    const { footer } = this.#tally;
    const lineBytes = this.#lineBytes;
    try {
      await this.#keeping;
      // Writing nothing waits for what was written before.
      await this.#file?.write("");
      if (this.#file === undefined) return undefined;
      await copyFile(this.#file.path, traceFile);
      // Steps that came meanwhile are no part of this copy.
      await truncate(traceFile, lineBytes);
      await appendToTrace(traceFile, footer);
    } catch {
      return undefined;
    }
    if (addresses.size === 0) return { traceFile };
    return { traceFile, archive: new TraceArchive({ traceFile, payloads: this.#payloads, addresses }) };
  }

  /** Ends it; what was copied stays. */
  async close(): Promise<void> {
    await this.#keeping;
    const file = this.#file;
    this.#file = undefined;
    await file?.close().catch(() => undefined);
  }

  #fileWithRoom(bytes: number): TraceFileWriter | undefined {
    const file = this.#file;
    if (file !== undefined && file.writtenBytes + this.#payloadSum + bytes > this.#limitBytes) this.#giveUp();
    return this.#file;
  }

  #giveUp(): void {
    const file = this.#file;
    this.#file = undefined;
    void file?.close().catch(() => undefined);
  }
}
