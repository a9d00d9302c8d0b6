import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DreamloopError, ERROR_CODES, type PayloadStore } from "@dreamloop/core";
import { CONTENT_ADDRESS, MAX_ARRAY_BYTES } from "@dreamloop/core/internal";
import { fileError, readErrorCode, systemErrorCode } from "./file-error.ts";

/** The folder beside a trace in which its payloads lie: `NAME.inputs` for the trace `NAME`. */
export function payloadFolderOf(tracePath: string): string {
  return `${tracePath}.inputs`;
}

/**
 * A payload store in a folder. Each content is a file whose name is its digest, in a subfolder of the digest's first two digits. It is made
 * when the first content is put, and a content that is there already is not written again, so that runs may share a folder. A content
 * appears whole or not at all. Nothing but digests ever becomes part of a path.
 */
export class PayloadFolder implements PayloadStore {
  /** The folder's path. */
  readonly path: string;
  readonly #known = new Set<string>();

  /** The folder need not be there. */
  constructor(path: string) {
    this.path = path;
  }

  /** Keeps content. Throws `output_failed` naming the path. */
  async put(address: string, bytes: Uint8Array): Promise<void> {
    if (this.#known.has(address)) return;
    const path = this.#pathOf(address);
    try {
      if (!(await hasSize(path, bytes.byteLength))) await writeWhole(path, bytes);
    } catch (cause) {
      throw fileError({ code: ERROR_CODES.outputFailed, action: "keep a payload in", path, cause });
    }
    // Bounded: forgetting only costs another look at the folder.
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.add(address);
  }

  /** The content, or nothing. Throws `load_failed` naming the path, `limit_exceeded` for a file above 1 GiB. */
  async get(address: string): Promise<Uint8Array | undefined> {
    const path = this.#pathOf(address);
    try {
      const file = await open(path, "r");
      try {
        const { size } = await file.stat();
        if (size > MAX_ARRAY_BYTES) throw tooBig(path, size);
        return await file.readFile();
      } finally {
        await file.close();
      }
    } catch (cause) {
      const systemError = systemErrorCode(cause);
      if (systemError === "ENOENT" || systemError === "ENOTDIR") return undefined;
      throw fileError({ code: readErrorCode(cause), action: "read a payload from", path, cause });
    }
  }

  #pathOf(address: string): string {
    if (!CONTENT_ADDRESS.test(address)) {
      throw new DreamloopError(
        ERROR_CODES.invalidValue,
        `PayloadFolder: expected sha256: and 64 hexadecimal digits in lower case, found ${JSON.stringify(address)}`,
      );
    }
    const digest = address.slice("sha256:".length);
    return join(this.path, digest.slice(0, 2), digest.slice(2));
  }
}

const MAX_KNOWN = 100_000;

async function hasSize(path: string, size: number): Promise<boolean> {
  try {
    const facts = await stat(path);
    return facts.isFile() && facts.size === size;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** Writes beside the place and renames, so that a process that is killed leaves no half content under its address. */
async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomUUID()}.part`;
  try {
    const file = await open(temporary, "wx");
    try {
      await file.writeFile(bytes);
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

function tooBig(path: string, size: number): DreamloopError {
  return new DreamloopError(
    ERROR_CODES.limitExceeded,
    `${path}: expected at most ${MAX_ARRAY_BYTES} bytes, found ${size}; it is no payload of a trace`,
  );
}
