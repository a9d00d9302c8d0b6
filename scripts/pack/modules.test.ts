import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { ROOT } from "../setup/run.mjs";
import { listWorkspaces } from "../workspace/packages.mjs";

const PACKAGES = listWorkspaces(ROOT).filter(({ path }) => path.startsWith("packages/"));

/** Runs a module's text with Node from the root and returns what it printed as JSON. */
function runModule(text: string): unknown {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--no-warnings", "--input-type=module"], {
    cwd: ROOT,
    input: text,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return JSON.parse(stdout);
}

test.each(PACKAGES.map(({ name }) => name))("H4: import and require of %s both work and give one instance", (name) => {
  const found = runModule(`
    import { createRequire } from "node:module";
    const require = createRequire(${JSON.stringify(join(ROOT, "index.js"))});
    const required = require("${name}");
    const imported = await import("${name}");
    const names = Object.keys(imported);
    console.log(JSON.stringify({ names: names.length > 0, same: names.every((each) => required[each] === imported[each]) }));
  `);
  expect(found).toEqual({ names: true, same: true });
});

test("H4: exports answer every kind of import, so that no condition leads to a second copy", () => {
  for (const { path, manifest } of PACKAGES) {
    for (const target of Object.values(manifest.exports as Record<string, string | Record<string, string>>)) {
      if (typeof target === "string") continue;
      expect(Object.keys(target), path).toContain("default");
      expect(Object.keys(target), path).not.toContain("import");
      expect(Object.keys(target), path).not.toContain("require");
    }
  }
});

test("H4: an error of one copy of core is recognised by another copy", () => {
  const folder = mkdtempSync(join(tmpdir(), "dreamloop-copy-"));
  try {
    cpSync(join(ROOT, "packages/core/dist"), join(folder, "dist"), { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    const found = runModule(`
      import * as one from "@dreamloop/core";
      import * as two from ${JSON.stringify(pathToFileURL(join(folder, "dist/index.js")).href)};
      const error = new two.DreamloopError("internal", "made by the other copy");
      console.log(JSON.stringify([one.DreamloopError === two.DreamloopError, error instanceof one.DreamloopError,
        one.isDreamloopError(error), one.isDreamloopError(new Error("no"))]));
    `);
    expect(found).toEqual([false, false, true, false]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
