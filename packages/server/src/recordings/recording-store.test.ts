import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RecordingStore } from "./recording-store.ts";

let parent: string;
beforeEach(() => (parent = mkdtempSync(join(tmpdir(), "store-"))));
afterEach(() => rmSync(parent, { recursive: true, force: true }));

/** A folder as a server leaves it. */
function left(name: string, owner: unknown): string {
  const folder = join(parent, `dreamloop-recordings-${name}`);
  mkdirSync(join(folder, "session"), { recursive: true });
  if (owner !== undefined) writeFileSync(join(folder, "owner"), JSON.stringify(owner));
  return folder;
}

describe("the folder of recordings", () => {
  it("is made anew for the next session when somebody removed it", async () => {
    const store = new RecordingStore(parent);
    const first = await store.sessionFolder();
    rmSync(dirname(first), { recursive: true });
    expect(existsSync(await store.sessionFolder())).toBe(true);
    await store.close();
    expect(readdirSync(parent)).toEqual([]);
  });

  it("that cannot be made says so without a path, and is tried again for the next session", async () => {
    const missing = join(parent, "missing");
    const store = new RecordingStore(missing);
    const failure: unknown = await store.sessionFolder().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "output_failed", retryable: true });
    expect((failure as Error).message).not.toContain(parent);
    mkdirSync(missing);
    expect(existsSync(await store.sessionFolder())).toBe(true);
    await store.close();
  });

  it("C6: of a dead server is removed by the next one; those of living servers and other folders stay", async () => {
    const dead = spawnSync(process.execPath, ["-e", "0"]).pid;
    const ofDead = left("dead", { pid: dead, started: "1" });
    const reused = left("reused", { pid: process.pid, started: "not when this process started" });
    const old = left("old", undefined);
    utimesSync(old, 0, 0);
    const young = left("young", undefined);
    const other = join(parent, "dreamloop-something-else");
    mkdirSync(other);
    const living = new RecordingStore(parent);
    const ofLiving = await living.sessionFolder();
    const store = new RecordingStore(parent);
    await store.sessionFolder();
    expect([ofDead, old].map((folder) => existsSync(folder))).toEqual([false, false]);
    expect([young, other, ofLiving].map((folder) => existsSync(folder))).toEqual([true, true, true]);
    if (process.platform === "linux") expect(existsSync(reused)).toBe(false);
    await living.close();
    await store.close();
  });
});
