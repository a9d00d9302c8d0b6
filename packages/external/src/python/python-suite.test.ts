import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { IS_PYTHON_MISSING, PYTHON } from "../test-support/python-worlds.ts";
import { pythonFolder } from "./python-folder.ts";

const suite = IS_PYTHON_MISSING ? describe.skip : describe;

/** Runs a module of the Python package's own tests. */
function runTests(module: string): { readonly status: number | null; readonly report: string } {
  const args = ["-B", "-m", "unittest", "-v", module];
  const env = { PYTHONPATH: `${pythonFolder()}:${pythonFolder()}/tests`, PATH: process.env.PATH ?? "" };
  const { status, stderr } = spawnSync(PYTHON, args, { cwd: `${pythonFolder()}/tests`, env, encoding: "utf8" });
  return { status, report: stderr };
}

suite("the Python package's own tests", () => {
  test.each([
    ["N9: random numbers have the bits of the golden values", "test_random"],
    ["N10: each of more than thirty kinds of mistakes is told with file, line and what to do", "test_mistakes"],
    ["N11: models of FlashDreams run as they are, in both versions of its names", "test_flashdreams"],
    ["N7, N8, F2, G3: frames, sessions, values and messages are as documented", "test_worlds"],
  ])("%s", (_title, module) => {
    const { status, report } = runTests(module);
    expect(report).toMatch(/\nOK( \(skipped=\d+\))?\n$/);
    expect(status).toBe(0);
  });
});
