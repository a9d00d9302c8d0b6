/** The largest file that is read whole without weights being expected in it: 1 MiB. */
export const SMALL_FILE_BYTES = 1_048_576;

/** What is known of a file without reading it. */
export interface FileFacts {
  /** Size in bytes. */
  readonly bytes: number;
}

/** What stands in the way of reading a path as a file of the bundle. */
export interface PathObstacle {
  /** What is there: `a folder`, `a named pipe`, `a link out of the bundle`, `a link to nothing`. */
  readonly found: string;
  /** Whether it leads out of the bundle. */
  readonly leavesBundle: boolean;
}

/** How a range of a file is read. */
export interface ReadOptions {
  /** First byte; default 0. */
  readonly offset?: number;
  /** Bytes to read; default up to the end. */
  readonly length?: number;
}

/** How a file is hashed. */
export interface HashOptions {
  /** Told how many bytes are done. */
  readonly onProgress?: (doneBytes: number) => void;
  /** Cancels the work. */
  readonly signal?: AbortSignal;
}

/**
 * The files of a bundle, wherever they lie: a folder, an archive, a server. Paths use `/` and are relative to the bundle.
 * Nothing outside of the bundle can be reached through it.
 */
export interface BundleFiles {
  /** What the bundle is called in messages, such as the folder's path; equal for two views of the same bundle. */
  readonly location: string;
  /** Facts about a file; `undefined` when there is none, or when it lies outside of the bundle through a link. */
  stat(path: string): Promise<FileFacts | undefined>;
  /** What keeps a path from being a file of the bundle although something is there, such as `a folder`; else `undefined`. */
  obstacle(path: string): Promise<PathObstacle | undefined>;
  /** Reads a file or a part of it. */
  read(path: string, options?: ReadOptions): Promise<Uint8Array>;
  /** SHA-256 of a file, 64 lower-case hexadecimal digits. */
  sha256(path: string, options?: HashOptions): Promise<string>;
  /** A path that the engine can open itself, when there is one: then weights need not pass through this process's heap. */
  nativePath?(path: string): string;
}

const DRIVE_LETTER = /^[A-Za-z]:/;

/** Why a path within a bundle is refused, or `undefined` when it is fine: relative, `/` as separator, no way out. */
export function unsafePathReason(path: string): string | undefined {
  if (path === "" || path.length > 512) return "it must have 1 to 512 characters";
  if (path.includes("\\")) return "it uses a backslash";
  if (path.startsWith("/") || DRIVE_LETTER.test(path)) return "it is absolute";

  if (/[\u0000-\u001f]/.test(path)) return "it holds a control character";
  const parts = path.split("/");
  if (parts.includes("..")) return 'it leaves the bundle by ".."';
  if (parts.some((part) => part === "" || part === ".")) return "it has an empty part";
  return undefined;
}

/** The path of `relative` seen from the folder of the file `path`: `joinPath("a/b.onnx", "c.bin")` is `a/c.bin`. */
export function besidePath(path: string, relative: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? relative : `${path.slice(0, slash + 1)}${relative}`;
}
