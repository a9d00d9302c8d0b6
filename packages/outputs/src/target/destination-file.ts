import { randomBytes } from "node:crypto";
import { basename, dirname, join, resolve } from "node:path";
import type { FileSystem, OutputFile } from "./file-system.ts";
import { writeFully } from "./file-system.ts";
import { outputError, refuseOutput, systemErrorCode } from "./output-error.ts";

/** What `DestinationFile.open` takes. */
export interface DestinationFileOptions {
  /** Name of the target, for errors. */
  readonly target: string;
  /** The path under which the finished file is wanted. */
  readonly path: string;
  /** Whether the first bytes of an existing file show it to be of the kind that may be replaced. */
  readonly isOwnKind: (head: Uint8Array) => boolean;
  /** What that kind is called, such as `an MP4 file`. */
  readonly kindName: string;
  /** Where the file is. */
  readonly fileSystem: FileSystem;
  /** Whether `commit` waits for the disk itself, so that the file outlives a power cut; default true. */
  readonly isDurable?: boolean;
}

/** Bytes at the start of an existing file that `isOwnKind` sees. */
const HEAD_BYTES = 64;

/**
 * A file in the making. A regular file grows under a temporary name beside its final one and takes that name only when it is
 * complete, so a run that fails or is killed leaves no broken file there, and a file of an earlier run stays whole until then. What
 * is no regular file (a named pipe, a device) is written directly.
 */
export class DestinationFile {
  readonly #options: DestinationFileOptions;
  readonly #file: OutputFile;
  readonly #finalPath: string;
  /** The name under which the file grows; absent when it is written directly. */
  readonly #partialPath: string | undefined;
  #size = 0;
  #isClosed = false;

  private constructor(
    options: DestinationFileOptions,
    file: OutputFile,
    paths: { readonly finalPath: string; readonly partialPath: string | undefined },
  ) {
    this.#options = options;
    this.#file = file;
    this.#finalPath = paths.finalPath;
    this.#partialPath = paths.partialPath;
  }

  /**
   * Makes the folders above and opens the file. Throws `output_failed` when the path is a folder, when an existing file is of
   * another kind, and when anything on the way is refused by the system.
   */
  static async open(options: DestinationFileOptions): Promise<DestinationFile> {
    const { fileSystem, path, target } = options;
    try {
      await fileSystem.mkdir(dirname(resolve(path)), { recursive: true });
      const existing = await existingFile(options);
      if (existing.isSpecial) {
        const file = await fileSystem.open(existing.path, "w");
        return new DestinationFile(options, file, { finalPath: existing.path, partialPath: undefined });
      }
      const name = `${basename(existing.path)}.part-${randomBytes(4).toString("hex")}`;
      const partialPath = join(dirname(existing.path), name);
      const file = await fileSystem.open(partialPath, "wx+");
      return new DestinationFile(options, file, { finalPath: existing.path, partialPath });
    } catch (cause) {
      throw outputError({ target, path, action: "open", cause });
    }
  }

  /** Bytes from the start to the end of what has been written. */
  get size(): number {
    return this.#size;
  }

  /** Whether the file can be read back and written out of order. */
  get isSeekable(): boolean {
    return this.#partialPath !== undefined;
  }

  /** Writes at the end. */
  async append(bytes: Uint8Array): Promise<void> {
    await this.writeAt(bytes, this.#size);
  }

  /** Writes at a position; only at the end when the file is not seekable. */
  async writeAt(bytes: Uint8Array, position: number): Promise<void> {
    try {
      await writeFully(this.#file, bytes, this.isSeekable ? position : null);
    } catch (cause) {
      throw this.#error("write", cause);
    }
    this.#size = Math.max(this.#size, position + bytes.byteLength);
  }

  /** Fills `into` from a position; throws when the file ends before. */
  async readAt(into: Uint8Array, position: number): Promise<void> {
    let done = 0;
    while (done < into.byteLength) {
      const { bytesRead } = await this.#file.read(into, done, into.byteLength - done, position + done);
      if (bytesRead === 0) throw this.#error("read back", new Error("the file ended early"));
      done += bytesRead;
    }
  }

  /** Completes the file: everything on disk, then its final name. */
  async commit(): Promise<void> {
    try {
      if (this.#partialPath !== undefined && this.#options.isDurable !== false) await this.#file.sync();
      await this.#close();
      if (this.#partialPath !== undefined) {
        await this.#options.fileSystem.rename(this.#partialPath, this.#finalPath);
      }
    } catch (cause) {
      throw this.#error("finish", cause);
    }
  }

  /** Gives up: closes the file and removes it; nothing is thrown, since a fault before was the reason. */
  async discard(): Promise<void> {
    await this.#close().catch(() => undefined);
    if (this.#partialPath === undefined) return;
    await this.#options.fileSystem.unlink(this.#partialPath).catch(() => undefined);
  }

  async #close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#file.close();
  }

  #error(action: string, cause: unknown) {
    return outputError({ target: this.#options.target, path: this.#options.path, action, cause });
  }
}

/** Where the path leads, and whether that is something other than a regular file; refuses what may not be replaced. */
async function existingFile(options: DestinationFileOptions): Promise<{ path: string; isSpecial: boolean }> {
  const { fileSystem, path, target } = options;
  const full = resolve(path);
  const facts = await fileSystem.stat(full).catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  });
  if (facts === undefined) return { path: full, isSpecial: false };
  if (facts.isDirectory()) throw refuseOutput(target, path, "is a folder; name a file in it");
  if (!facts.isFile()) return { path: full, isSpecial: true };
  // A link stays a link: what it points to is replaced.
  const real = await fileSystem.realpath(full);
  if (facts.size > 0) {
    const head = new Uint8Array(Math.min(HEAD_BYTES, facts.size));
    const file = await fileSystem.open(real, "r");
    try {
      await file.read(head, 0, head.byteLength, 0);
    } finally {
      await file.close();
    }
    if (!options.isOwnKind(head)) {
      throw refuseOutput(
        target,
        path,
        `exists and is not ${options.kindName}, so it is not replaced; remove it or choose another name`,
      );
    }
  }
  return { path: real, isSpecial: false };
}
