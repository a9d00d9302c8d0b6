import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const python = process.env["DREAMLOOP_NUMPY_PYTHON"];
const world = fileURLToPath(new URL("world.py", import.meta.url));
const program = fileURLToPath(new URL("../../packages/dreamloop/bin/dreamloop.js", import.meta.url));

function dreamloop(...args: readonly string[]): { readonly status: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
  return { status, text: stdout + stderr };
}

test("it has fewer than 40 lines", () => {
  expect(readFileSync(world, "utf8").trimEnd().split("\n").length).toBeLessThan(40);
});

test.skipIf(python === undefined)("N1, G3: its recorded run replays bit for bit, and it passes check", () => {
  const folder = mkdtempSync(join(tmpdir(), "dreamloop-numpy-"));
  const trace = join(folder, "ball.trace");
  const options = ["--python", python ?? ""];
  const recorded = dreamloop("run", world, ...options, "--frames", "20", "--record", trace, "--prompt", "sunset");
  expect(recorded.text).toMatch(/^20 frames/m);
  const replayed = dreamloop("replay", trace, "--world", world, ...options);
  expect(replayed.text).toContain("equal: 20 steps, 20 frames compared");
  const checked = dreamloop("check", `${world}:Ball`, ...options);
  rmSync(folder, { recursive: true });
  expect(checked.text).toMatch(/is sound/);
  expect([recorded.status, replayed.status, checked.status]).toEqual([0, 0, 0]);
});
