import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { boundaryFaults } from "./check.mjs";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "dreamloop-boundaries-"));
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

const ROOT_FILES = {
  "package.json": { workspaces: ["packages/*", "examples/*"], devDependencies: { vitest: "1.0.0" } },
  "tsconfig.json": { references: [{ path: "packages/core" }, { path: "packages/node" }, { path: "packages/testing" }] },
};

/** A package.json and tsconfig.json for a package that depends on the given ones. */
function manifest(name: string, dependencies: Record<string, string> = {}, references: string[] = []) {
  return {
    [`packages/${name}/package.json`]: {
      name: `@dreamloop/${name}`,
      exports: { ".": "./dist/index.js" },
      dependencies,
    },
    [`packages/${name}/tsconfig.json`]: { references: references.map((each) => ({ path: `../${each}` })) },
  };
}

/** Writes a small repository and returns its faults. */
function faults(files: Record<string, string | object>): string[] {
  for (const [name, content] of Object.entries({ ...ROOT_FILES, ...files })) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return boundaryFaults(root);
}

test("a repository that keeps the rules has no faults", () => {
  const found = faults({
    ...manifest("core"),
    ...manifest("node", { "@dreamloop/core": "0.1.0", left: "1.0.0" }, ["core"]),
    ...manifest("testing", { "@dreamloop/core": "0.1.0" }, ["core"]),
    "packages/core/src/index.ts": `export { a } from "./a.ts";\n`,
    "packages/core/src/a.ts": `import type { b } from "./b.ts";\nexport const a = 1;\n`,
    "packages/core/src/b.ts": `import { a } from "./a.ts";\nexport const b = a;\n`,
    "packages/core/src/a.test.ts": `import "node:fs";\nimport "vitest";\nimport "@dreamloop/testing";\n`,
    "packages/node/src/index.ts": `import "node:fs";\nimport "left";\nimport "@dreamloop/core";\n`,
    "examples/one/package.json": { name: "example-one", dependencies: { "@dreamloop/core": "0.1.0" } },
    "examples/one/src/main.ts": `import "@dreamloop/core";\nimport "node:fs";\n`,
  });
  expect(found).toEqual([]);
});

test.each([
  [`import "node:fs";`, `"node:fs" is a Node module, and packages/core has to run without Node`],
  [
    `const fs = await import("fs/promises");`,
    `"fs/promises" is a Node module, and packages/core has to run without Node`,
  ],
  [
    `type T = import("@dreamloop/node").T;`,
    `packages/core may not import @dreamloop/node; it may import no other package`,
  ],
  [
    `import x = require("left");`,
    `"left" comes from the registry; packages/core may use types of @standard-schema/spec`,
  ],
  [
    `export * from "../../node/src/index.ts";`,
    `"../../node/src/index.ts" leaves the package; import other packages by name`,
  ],
  [`import "@dreamloop/core";`, `"@dreamloop/core" is this package itself; import the file by its path`],
])("core with %s is refused", (line, message) => {
  const found = faults({ ...manifest("core"), ...manifest("node"), "packages/core/src/index.ts": `\n${line}\n` });
  expect(found).toEqual([`packages/core/src/index.ts:2: ${message}`]);
});

test("a registry package that the package.json does not name is refused", () => {
  const found = faults({
    ...manifest("node"),
    "packages/node/src/index.ts": `import "left/deep";\nimport "vitest";\n`,
  });
  expect(found).toEqual([
    `packages/node/src/index.ts:1: "left/deep" is not declared in packages/node/package.json`,
    `packages/node/src/index.ts:2: "vitest" is not declared in packages/node/package.json`,
  ]);
});

test("another package has to be declared, referenced and asked for by an exported name", () => {
  const text = `import "@dreamloop/core";\nimport "@dreamloop/core/dist/a.js";\n`;
  const inner = `"@dreamloop/core/dist/a.js" is not among the exports of packages/core/package.json`;
  const at = "packages/node/src/index.ts";
  expect(faults({ ...manifest("core"), ...manifest("node"), [at]: text })).toEqual([
    `${at}:1: "@dreamloop/core" is not declared in packages/node/package.json`,
    `${at}:2: ${inner}`,
  ]);
  expect(faults({ ...manifest("node", { "@dreamloop/core": "0.1.0" }) })).toEqual([
    `${at}:1: packages/core is not among the references of packages/node/tsconfig.json`,
    `${at}:2: ${inner}`,
  ]);
});

test("a package.json may not ask for what its sources may not import", () => {
  const found = faults({ ...manifest("core", { zod: "4.0.0", "@dreamloop/node": "0.1.0" }), ...manifest("node") });
  expect(found).toEqual([
    "packages/core/package.json: may not depend on zod",
    "packages/core/package.json: may not depend on @dreamloop/node",
  ]);
});

test("files that import each other in a ring are named with the way round", () => {
  const found = faults({
    ...manifest("core"),
    "packages/core/src/a.ts": `import { b } from "./in/b.ts";\n`,
    "packages/core/src/in/b.ts": `export { c } from "../c.ts";\n`,
    "packages/core/src/c.ts": `import "./a.ts";\n`,
  });
  expect(found).toEqual([
    "packages/core: files import each other in a ring: src/a.ts → src/in/b.ts → src/c.ts → src/a.ts",
  ]);
});

test("a workspace without a rule, and a package that the build does not know, are faults", () => {
  const found = faults({ ...manifest("core"), ...manifest("shiny"), ...manifest("server") });
  expect(found).toEqual([
    "packages/shiny: no rule says what it may import; add it to scripts/boundaries/rules.mjs",
    "tsconfig.json: packages/server is missing from the references, so it is never built",
    "tsconfig.json: packages/shiny is missing from the references, so it is never built",
  ]);
});

test("nothing imports an example", () => {
  const found = faults({
    ...manifest("node", { "example-one": "0.1.0" }),
    "examples/one/package.json": { name: "example-one" },
    "packages/node/src/index.ts": `import "example-one";\n`,
  });
  expect(found).toContain("packages/node/src/index.ts:1: packages/node may not import example-one; it may import core");
});

test("a file imports from folders below its own only, where a package orders them", () => {
  const found = faults({
    ...manifest("client"),
    "packages/client/src/link/link.ts": `import type { Session } from "../session/session.ts";\nimport "../wire/api.ts";\n`,
    "packages/client/src/capture/devices/pad.ts": `import "../capture.ts";\n`,
    "packages/client/src/capture/capture.ts": `import "./devices/pad.ts";\nimport "../other/free.ts";\n`,
    "packages/client/src/link/link.test.ts": `import "../session/session.ts";\n`,
  });
  const order = "browser, wire, link, present, input, session/statistics, session, capture/devices, capture, react";
  expect(found.filter((fault) => fault.includes("builds on it"))).toEqual([
    `packages/client/src/capture/devices/pad.ts:1: src/capture/devices may not import from src/capture, which builds on it; the order is ${order}`,
    `packages/client/src/link/link.ts:1: src/link may not import from src/session, which builds on it; the order is ${order}`,
  ]);
});
