import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { newSecret } from "../platform/security/secrets.ts";
import { markOwned, sweepAbandoned } from "./abandoned-folders.ts";

/** How the folders of recordings begin; the process that owns one is named in it. */
const PREFIX = "dreamloop-recordings-";

/**
 * The folder of a server's recordings: made by the server with random names, gone when it closes. One that cannot be made, or that somebody removed, is made
 * anew for the next session. Folders that dead servers left are removed when this one makes its own.
 */
export class RecordingStore {
  readonly #parent: string;
  #folder: Promise<string> | undefined;

  /** Below the system's folder for temporary files, unless told otherwise. */
  constructor(parent: string = tmpdir()) {
    this.#parent = parent;
  }

  /** The folder of one session. Throws `output_failed` when there can be none, which the next session tries again. */
  async sessionFolder(): Promise<string> {
    try {
      return await this.#newFolder();
    } catch {
      // Somebody may have removed it, as cleaners of temporary files do.
      this.#folder = undefined;
    }
    try {
      return await this.#newFolder();
    } catch (cause) {
      this.#folder = undefined;
      const reason = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
      throw new DreamloopError(
        ERROR_CODES.outputFailed,
        `the server cannot keep recordings${reason}: there is no room for temporary files, or no right to write them`,
        { cause, retryable: true },
      );
    }
  }

  /** Deletes everything; idempotent. */
  async close(): Promise<void> {
    const folder = await this.#folder?.catch(() => undefined);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }

  async #newFolder(): Promise<string> {
    this.#folder ??= this.#make();
    const folder = join(await this.#folder, newSecret());
    await mkdir(folder, { mode: 0o700 });
    return folder;
  }

  async #make(): Promise<string> {
    await sweepAbandoned(this.#parent, PREFIX);
    const folder = await mkdtemp(join(this.#parent, PREFIX));
    await markOwned(folder);
    return folder;
  }
}
