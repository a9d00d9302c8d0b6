import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import type { BundleFiles } from "./bundle-files.ts";

/** Gives the SHA-256 of bytes as 64 lower-case hexadecimal digits. */
export type Digest = (bytes: Uint8Array) => string;

/** The files of a bundle by path, `world.json` among them. */
export type BundleContents = Record<string, Uint8Array>;

/** What `memoryFiles` takes. */
export interface MemoryFilesOptions {
  /** What the bundle is called in messages. */
  readonly location: string;
  /** Contents by path. */
  readonly contents: Readonly<Record<string, Uint8Array>>;
  /** Gives the SHA-256 of bytes as 64 lower-case hexadecimal digits. */
  readonly digest: (bytes: Uint8Array) => string | Promise<string>;
}

/** A bundle held in memory: fetched, unpacked, or made by a program. */
export function memoryFiles(options: MemoryFilesOptions): BundleFiles {
  const contents = new Map(Object.entries(options.contents));
  const find = (path: string): Uint8Array => {
    const bytes = contents.get(path);
    if (bytes !== undefined) return bytes;
    throw new DreamloopError(
      ERROR_CODES.notFound,
      `${options.location}: expected a file ${JSON.stringify(path)}, found none`,
    );
  };
  return {
    location: options.location,
    stat: async (path) => {
      const bytes = contents.get(path);
      return bytes === undefined ? undefined : { bytes: bytes.length };
    },
    obstacle: async () => undefined,
    read: async (path, { offset = 0, length } = {}) => {
      const bytes = find(path);
      return bytes.slice(offset, length === undefined ? undefined : offset + length);
    },
    sha256: async (path, { onProgress } = {}) => {
      const bytes = find(path);
      const digest = await options.digest(bytes);
      onProgress?.(bytes.length);
      return digest;
    },
  };
}
