import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseScript } from "@dreamloop/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { dreamloop } from "../fixtures/command-process.ts";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const hasWeights = existsSync(join(ROOT, "worlds/drive/dynamics.weights"));
const DEMOS = [
  ["drive-lap", 75.5],
  ["drive-slalom", 20],
  ["drive-weather", 40],
  ["drive-offroad", 18],
] as const;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dreamloop-drive-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

test.each(DEMOS)("the demo %s is a script of %d s that the drive world's controls understand", (name, seconds) => {
  const text = readFileSync(join(ROOT, `examples/${name}.script`), "utf8");
  const script = parseScript(text);
  expect(script.endSeconds).toBe(seconds);
  expect(new Set(script.events.map(({ eventType }) => eventType))).toContain("axis_set");
  expect(text).toMatch(new RegExp(`run drive --script examples/${name}\\.script --seed \\d+ --prompt "`));
});

describe.skipIf(!hasWeights)("the drive world", () => {
  test("comes with Dreamloop, is sound in every phase and steps", () => {
    expect(dreamloop(["worlds"], folder).stdout).toMatch(/^drive +bundle +384×224 +20 frames\/s +bundled\n {2}Drive/m);
    const check = dreamloop(["check", "drive", "--run"], folder);
    expect(check.stderr).toBe("");
    expect(check.stdout).toContain("ok    the hash of every file\n");
    expect(check.stdout).toContain("ok    G3: the same inputs and seed give the same frames\n");
    expect(check.status).toBe(0);
  });

  test("G3: a drive with keys and a change of prompt replays bit by bit, and unknown words are told", () => {
    const args = ["run", "drive", "--frames", "8", "--prompt", "a snowy zebra night", "--out", "null:", "--json"];
    const script = join(ROOT, "examples/drive-weather.script");
    const run = dreamloop([...args, "--script", script, "--seed", "24", "--record", "a.trace"], folder);
    expect(run.status).toBe(0);
    expect(run.stderr).toContain('step 0: the world does not know "zebra"');
    expect(JSON.parse(run.stdout)).toMatchObject({
      frameCount: 8,
      width: 384,
      height: 224,
      warnings: { prompt_words: 1 },
    });
    expect(dreamloop(["replay", "a.trace"], folder).stdout).toMatch(/^equal: 8 steps, 8 frames/);
  });

  test("refuses a prompt of which it knows no word", () => {
    const run = dreamloop(["run", "drive", "--frames", "1", "--prompt", "zebra", "--out", "null:"], folder);
    expect(run.status).not.toBe(0);
    expect(run.stderr).toContain("zebra");
  });
});
