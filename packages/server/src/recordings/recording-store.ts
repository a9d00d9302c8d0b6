import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newSecret } from "../platform/security/secrets.ts";

/** The folder of a server's recordings: made by the server with random names, gone when it closes. */
export class RecordingStore {
  #folder: Promise<string> | undefined;

  /** The folder of one session. */
  async sessionFolder(): Promise<string> {
    this.#folder ??= mkdtemp(join(tmpdir(), "dreamloop-"));
    const folder = join(await this.#folder, newSecret());
    await mkdir(folder, { mode: 0o700 });
    return folder;
  }

  /** Deletes everything; idempotent. */
  async close(): Promise<void> {
    const folder = await this.#folder?.catch(() => undefined);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}
