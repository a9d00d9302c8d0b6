import { mkdir, open, readdir, realpath, rename, stat, unlink } from "node:fs/promises";

/** An open file, as far as the targets use it; Node's `FileHandle` has it all. */
export interface OutputFile {
  /** Writes `length` bytes of `buffer` from `offset`, at `position` of the file or at its end (null); may write fewer. */
  write(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number | null,
  ): Promise<{ readonly bytesWritten: number }>;
  /** Reads `length` bytes at `position` into `buffer` from `offset`; may read fewer, none at the end. */
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
  /** Asks the operating system to bring everything to the disk. */
  sync(): Promise<void>;
  /** Closes the file. */
  close(): Promise<void>;
}

/** What there is under a path. */
export interface PathFacts {
  /** Whether it is a regular file. */
  isFile(): boolean;
  /** Whether it is a folder. */
  isDirectory(): boolean;
  /** Bytes of a file. */
  readonly size: number;
}

/** The part of the file system that the targets use, so that tests can let it fail. */
export interface FileSystem {
  /** Opens a file; `flags` as in Node. */
  open(path: string, flags: string): Promise<OutputFile>;
  /** Makes a folder and those above it. */
  mkdir(path: string, options: { readonly recursive: true }): Promise<unknown>;
  /** Renames a file, replacing what has the new name. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file. */
  unlink(path: string): Promise<void>;
  /** Says what a path is, following links; rejects with `ENOENT` when there is nothing. */
  stat(path: string): Promise<PathFacts>;
  /** Names in a folder. */
  readdir(path: string): Promise<readonly string[]>;
  /** The path without links. */
  realpath(path: string): Promise<string>;
}

/** Node's file system. */
export const NODE_FILE_SYSTEM: FileSystem = {
  open: (path, flags) => open(path, flags),
  mkdir: (path, options) => mkdir(path, options),
  rename,
  unlink,
  stat: (path) => stat(path),
  readdir: (path) => readdir(path),
  realpath: (path) => realpath(path),
};

/** Writes all of `bytes` at `position` (or at the end, when null), however many calls that takes. */
export async function writeFully(file: OutputFile, bytes: Uint8Array, position: number | null): Promise<void> {
  let done = 0;
  while (done < bytes.byteLength) {
    const at = position === null ? null : position + done;
    const { bytesWritten } = await file.write(bytes, done, bytes.byteLength - done, at);
    if (bytesWritten === 0) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    done += bytesWritten;
  }
}
