import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The file in a folder that names the process which owns it. */
const OWNER_FILE = "owner";
/** Seconds after which a folder without an owner is taken for abandoned: it may just have been made. */
const UNOWNED_SECONDS = 60;

/** Notes in a folder that this process owns it. */
export async function markOwned(folder: string): Promise<void> {
  await writeFile(join(folder, OWNER_FILE), JSON.stringify({ pid: process.pid, started: await startOf(process.pid) }), {
    mode: 0o600,
  });
}

/** Removes the folders with a prefix whose owners are dead; never throws. Folders of other users stay, since they cannot be removed. */
export async function sweepAbandoned(parent: string, prefix: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(prefix)) continue;
    const folder = join(parent, name);
    if (await isAbandoned(folder)) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function isAbandoned(folder: string): Promise<boolean> {
  try {
    const { pid, started } = JSON.parse(await readFile(join(folder, OWNER_FILE), "utf8")) as {
      readonly pid?: unknown;
      readonly started?: unknown;
    };
    if (typeof pid !== "number") return false;
    return !isAlive(pid) || (await startOf(pid)) !== started;
  } catch {
    const made = await stat(folder).catch(() => undefined);
    return made?.isDirectory() === true && Date.now() - made.mtimeMs > UNOWNED_SECONDS * 1000;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** When a process started, so that a number that was given out again is not taken for it; null where the system does not say. */
async function startOf(pid: number): Promise<string | null> {
  const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  // The name of the program, in brackets, may hold anything.
  return line?.slice(line.lastIndexOf(")") + 2).split(" ")[19] ?? null;
}
