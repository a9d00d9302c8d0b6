import { join } from "node:path";
import type { PayloadStore } from "@dreamloop/core";
import { TraceTally } from "@dreamloop/core/internal";
import { PayloadFolder, payloadFolderOf, TraceFileWriter } from "@dreamloop/node";

/** A trace as it was at one moment: the beginning of the session's file and an end of its own, so that nothing is copied. */
export interface TraceView {
  /** The session's file, which grows on. */
  readonly file: string;
  /** Bytes of the file that belong to it. */
  readonly bytes: number;
  /** What follows them. */
  readonly footer: string;
  /** Where its content is that stands in no line. */
  readonly payloads: PayloadStore;
  /** What it needs of that, with the bytes of each; empty when every line holds all that it needs. */
  readonly addresses: ReadonlyMap<string, number>;
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

  /** What was written so far; nothing when the trace was given up or cannot be written. */
  async view(): Promise<TraceView | undefined> {
    const addresses = new Map(this.#payloadBytes);
    const { footer } = this.#tally;
    const bytes = this.#lineBytes;
    try {
      await this.#keeping;
      // Writing nothing waits for what was written before.
      await this.#file?.write("");
    } catch {
      return undefined;
    }
    if (this.#file === undefined) return undefined;
    return { file: this.#file.path, bytes, footer, payloads: this.#payloads, addresses };
  }

  /** Ends it; the file stays. */
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
