import { createHash } from "node:crypto";
import { createReadStream, type Stats } from "node:fs";
import { lstat, open, realpath, stat } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { DreamloopError, ERROR_CODES, throwIfCancelled } from "@dreamloop/core";
import { unsafePathReason, type BundleFiles } from "../manifest/bundle-files.ts";

/** The files of a bundle in a folder. Paths that lead out of it, by `..` or by a link, are refused. */
export function folderFiles(folder: string): BundleFiles {
  const root = resolve(folder);
  const locate = (path: string): string => {
    const reason = unsafePathReason(path);
    if (reason === undefined) return join(root, ...path.split("/"));
    throw new DreamloopError(ERROR_CODES.invalidValue, `path ${JSON.stringify(path)} in ${root}: ${reason}`);
  };
  const inside = async (path: string): Promise<string | undefined> => {
    const real = await realpath(locate(path)).catch(() => undefined);
    return real !== undefined && isInside(await realpath(root), real) ? real : undefined;
  };
  const existing = async (path: string): Promise<string> => {
    const real = await inside(path);
    if (real !== undefined) return real;
    throw new DreamloopError(ERROR_CODES.notFound, `${root}: expected a file ${JSON.stringify(path)}, found none`);
  };
  return {
    location: root,
    stat: async (path) => {
      const real = await inside(path);
      const facts = real === undefined ? undefined : await stat(real);
      return facts?.isFile() === true ? { bytes: facts.size } : undefined;
    },
    obstacle: async (path) => {
      const located = locate(path);
      const real = await realpath(located).catch(() => undefined);
      if (real === undefined) {
        const isLink = await lstat(located).then(
          (facts) => facts.isSymbolicLink(),
          () => false,
        );
        return isLink ? { found: "a link to nothing", leavesBundle: false } : undefined;
      }
      if (!isInside(await realpath(root), real)) return { found: "a link out of the bundle", leavesBundle: true };
      const kind = kindOf(await stat(real));
      return kind === undefined ? undefined : { found: kind, leavesBundle: false };
    },
    read: async (path, { offset = 0, length } = {}) => readRange(await existing(path), offset, length),
    sha256: async (path, { onProgress, signal } = {}) => {
      const hash = createHash("sha256");
      let done = 0;
      for await (const chunk of createReadStream(await existing(path), { highWaterMark: 1 << 20 })) {
        throwIfCancelled(signal, `the hash of ${path}`);
        hash.update(chunk as Uint8Array);
        done += (chunk as Uint8Array).length;
        onProgress?.(done);
      }
      return hash.digest("hex");
    },
    nativePath: locate,
  };
}

/** What something is that is no file; `undefined` for a file. */
function kindOf(facts: Stats): string | undefined {
  if (facts.isFile()) return undefined;
  if (facts.isDirectory()) return "a folder";
  if (facts.isFIFO()) return "a named pipe";
  return facts.isSocket() ? "a socket" : "a device";
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !/^[A-Za-z]:/.test(way);
}

async function readRange(path: string, offset: number, length: number | undefined): Promise<Uint8Array> {
  const file = await open(path, "r");
  try {
    const wanted = length ?? (await file.stat()).size - offset;
    const bytes = new Uint8Array(Math.max(0, wanted));
    let done = 0;
    while (done < bytes.length) {
      const { bytesRead } = await file.read(bytes, done, bytes.length - done, offset + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return bytes.subarray(0, done);
  } finally {
    await file.close();
  }
}
