import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const report = fileURLToPath(new URL("../bench/report.mjs", import.meta.url));
const page = readFileSync(new URL("../docs/benchmarks.md", import.meta.url), "utf8");
const compare = (...args: string[]): number | null => spawnSync(process.execPath, [report, "--check", ...args]).status;

test("K4: the tables of docs/benchmarks.md are those of the result files", () => {
  expect(compare()).toBe(0);
});

test("a figure that was changed by hand is noticed", () => {
  const folder = mkdtempSync(join(tmpdir(), "dreamloop-benchmarks-"));
  const changed = join(folder, "benchmarks.md");
  writeFileSync(changed, page.replace(/p50 [\d.]+ µs/, "p50 1.0 µs"));
  expect(compare("--page", changed)).toBe(1);
  rmSync(folder, { recursive: true });
});
