import { join } from "node:path";
import { ESLint } from "eslint";
import { expect, test } from "vitest";
import { ROOT } from "../setup/run.mjs";

// Under CI the TypeScript parser takes files as they are on disk; these tests lint texts in their place.
process.env.TSESTREE_SINGLE_RUN = "false";

const eslint = new ESLint({ cwd: ROOT });

/** Lints a text as if it stood in a file that exists, and returns the rules it breaks, in the order of the text. */
async function broken(file: string, lines: string): Promise<string[]> {
  const [result] = await eslint.lintText(lines, { filePath: join(ROOT, file) });
  return (result?.messages ?? []).map(({ ruleId, message }) => ruleId ?? message);
}

/** The severity that the configuration gives a rule in a file, which need not exist. */
async function severity(file: string, rule: string): Promise<number> {
  const config = (await eslint.calculateConfigForFile(join(ROOT, file))) as { rules: Record<string, [number]> };
  return config.rules[rule]?.[0] ?? 0;
}

const CORE = "packages/core/src/index.ts";
const WORLDS = "packages/worlds/src/index.ts";

test("type-aware rules see floating promises, missing cases and imports that are only types", async () => {
  const text = `
import { a, type B } from "./a.ts";
import { T } from "./t.ts";
export async function f(kind: "x" | "y", t: T, b: B): Promise<void> {
  f(kind, t, b);
  switch (kind) {
    case "x":
      a();
  }
}
`;
  const rules = await broken(CORE, text);
  expect(rules).toContain("@typescript-eslint/no-floating-promises");
  expect(rules).toContain("@typescript-eslint/switch-exhaustiveness-check");
  expect(rules).toContain("@typescript-eslint/consistent-type-imports");
  expect(await broken(CORE, `export const x = (y: any): number => (y as { z: number }).z;\n`)).toContain(
    "@typescript-eslint/no-explicit-any",
  );
});

test.each([
  "export const a = window.innerWidth;",
  "export const a = document;",
  "export const a = performance.now();",
  "export const a = setTimeout(() => {}, 1);",
  "export function f(a: HTMLElement): unknown { return a; }",
  "export const a = console;",
  "export const a = Buffer.from([1]);",
  "export const a = process.pid;",
  "export const a = Date.now();",
  "export const a = globalThis.performance.now();",
])("core may not use what only one environment has, or its clock: %s", async (line) => {
  expect(await broken(CORE, `${line}\n`)).toContain("dreamloop/universal-globals");
});

test("core may use what every engine has", async () => {
  const text = `export function f(signal: AbortSignal): unknown {
  return [signal, new AbortController(), new TextEncoder(), new TextDecoder(), new Map(), Math.sin(1), new URL("a:b")];
}
export const performance = { now: (): number => 1 };
export const time = performance.now();
`;
  expect(await broken(CORE, text)).toEqual([]);
});

test.each([
  ["Math.sin(1)", "dreamloop/exact-maths"],
  ['Math["pow"](2, 3)', "dreamloop/exact-maths"],
  ["2 ** a", "dreamloop/exact-maths"],
  ["[Math]", "dreamloop/exact-maths"],
  ["Math.random()", "dreamloop/exact-maths"],
])("G2: world dynamics may not use %s", async (expression, rule) => {
  expect(await broken(WORLDS, `export const a: unknown = 1;\nexport const b: unknown = ${expression};\n`)).toContain(
    rule,
  );
});

test("G2: exact functions of Math stay open to world dynamics, and the rule covers random streams and maths in core", async () => {
  expect(await broken(WORLDS, `export const a = Math.sqrt(Math.max(1, Math.PI, Math.imul(2, 3)));\n`)).toEqual([]);
  const rule = "dreamloop/exact-maths";
  expect(await severity("packages/core/src/foundation/random/some.ts", rule)).toBe(2);
  expect(await severity("packages/core/src/foundation/maths/some.ts", rule)).toBe(2);
  expect(await severity("packages/worlds/src/probe/some.ts", rule)).toBe(2);
  expect(await severity("packages/worlds/src/probe/some.test.ts", rule)).toBe(0);
});

test("environment variables are read in the command line and the server's configuration only", async () => {
  const file = "packages/node/src/index.ts";
  expect(await broken(file, `export const a = process.env;\n`)).toEqual(["no-restricted-properties"]);
  expect(await broken(file, `import { env } from "node:process";\nexport const a = env;\n`)).toEqual([
    "no-restricted-imports",
  ]);
  expect(await severity("packages/dreamloop/src/some.ts", "no-restricted-properties")).toBe(0);
  expect(await severity("packages/server/src/platform/config/some.ts", "no-restricted-properties")).toBe(0);
  expect(await severity("packages/server/src/some.ts", "no-restricted-properties")).toBe(2);
});

test("H4: instanceof with a class of another package is refused, with a class of this one it is not", async () => {
  const text = (from: string) =>
    `import { E } from "${from}";\nexport const f = (x: unknown): boolean => x instanceof E;\n`;
  expect(await broken("packages/node/src/index.ts", text("@dreamloop/core"))).toEqual([
    "dreamloop/no-foreign-instanceof",
  ]);
  expect(await broken("packages/node/src/index.ts", text("./e.ts"))).not.toContain("dreamloop/no-foreign-instanceof");
});

test("entry scripts keep to syntax that old releases of Node parse", async () => {
  expect(await broken("scripts/test.mjs", `export const a = process.argv?.[2] ?? "";\n`)).toEqual([
    "no-restricted-syntax",
    "no-restricted-syntax",
  ]);
  expect(await broken("scripts/test.mjs", `import "node:fs";\n`)).toEqual(["no-restricted-syntax"]);
});
