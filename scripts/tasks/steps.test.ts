import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { check, resolveConfig } from "prettier";
import { expect, test } from "vitest";
import { binPath, ROOT } from "../setup/run.mjs";
import { runSteps } from "./steps.mjs";

/** Runs steps with these exit codes and returns the result with what was said and which steps ran. */
function outcome(codes: Record<string, number>, only: string[] = []) {
  const said: string[] = [];
  const ran: string[] = [];
  const steps = Object.entries(codes).map(([name, code]) => ({
    name,
    run() {
      ran.push(name);
      return code;
    },
  }));
  const code = runSteps(steps, { only, say: (line) => said.push(line), now: () => 0 });
  return { code, said, ran };
}

test("all steps run although one fails, and the failing ones are named", () => {
  expect(outcome({ one: 0, two: 1, three: 0 })).toEqual({
    code: 1,
    said: [
      "passed  one (0.0 s)",
      "FAILED  two (0.0 s)",
      "passed  three (0.0 s)",
      "Failed: two. Run one alone with npm run check -- two",
    ],
    ran: ["one", "two", "three"],
  });
  expect(outcome({ one: 0, two: 0 }).code).toBe(0);
});

test("steps can be chosen by name, and an unknown name runs nothing", () => {
  expect(outcome({ one: 1, two: 0 }, ["two"])).toMatchObject({ code: 0, ran: ["two"] });
  expect(outcome({ one: 0 }, ["won"])).toEqual({
    code: 1,
    said: ["There is no step named won; the steps are one."],
    ran: [],
  });
});

test("the format check refuses what the formatter would write otherwise", async () => {
  const filepath = join(ROOT, "packages/core/src/index.ts");
  const options = { ...(await resolveConfig(filepath)), filepath };
  expect(await check(`export const a = "b";\n`, options)).toBe(true);
  expect(await check(`export const a = 'b'\n`, options)).toBe(false);
});

test("the type check refuses a wrong type, and a type test whose error has gone away", () => {
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(ROOT, ".cache", "types-"));
  try {
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: "../../tsconfig.check.json", include: ["."] }),
    );
    writeFileSync(join(folder, "wrong.ts"), `export const a: number = "b";\n`);
    writeFileSync(
      join(folder, "some.test-d.ts"),
      `// @ts-expect-error a number is fine\nexport const b: number = 1;\n`,
    );
    const { status, stdout } = spawnSync(process.execPath, [binPath("typescript", "tsc"), "-p", folder], {
      encoding: "utf8",
    });
    expect(status).not.toBe(0);
    expect(stdout).toMatch(/wrong\.ts\(1,14\): error TS2322/);
    expect(stdout).toMatch(/some\.test-d\.ts\(1,1\): error TS2578/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
