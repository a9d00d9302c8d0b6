import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { build as buildPage } from "vite";
import { afterAll, beforeAll, expect, test, type TestContext } from "vitest";
import { binPath, npmCommand, ROOT } from "../setup/run.mjs";
import { listWorkspaces, type Workspace } from "../workspace/packages.mjs";
import { bundledWorkspaces, bundleFaults } from "./bundle.mjs";

/** What npm says when there is no registry to ask. */
const NO_REGISTRY = /ENOTFOUND|ENOTCACHED|ECONNREFUSED|ECONNRESET|EAI_AGAIN|ETIMEDOUT/;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "dreamloop-pack-"));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Runs npm and returns what it said. */
function npm(args: string[], cwd: string) {
  const [command, ...first] = npmCommand();
  const { status, stdout, stderr } = spawnSync(command, [...first, ...args], { cwd, encoding: "utf8" });
  return { status, stdout, stderr };
}

/** Copies the repository, so that packing cannot disturb what other tests read, and returns the copy's folder. */
function copyOfRepository(): string {
  const copy = join(folder, "repository");
  for (const path of [
    "package.json",
    "tsconfig.json",
    "tsconfig.base.json",
    "LICENSE",
    "scripts",
    "packages",
    "python",
  ]) {
    cpSync(join(ROOT, path), join(copy, path), {
      recursive: true,
      preserveTimestamps: true,
      filter: (source) => !relative(ROOT, source).split(/[\\/]/).includes("node_modules"),
    });
  }
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"), "junction");
  return copy;
}

/** Packs the command, installs the tarball in an empty project and returns the project's folder. */
function installedProject(context: TestContext): string {
  const copy = copyOfRepository();
  const packed = npm(["pack", "--json", "--pack-destination", folder], join(copy, "packages/dreamloop"));
  expect(packed.status, packed.stderr).toBe(0);
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];

  const project = join(folder, "project");
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "empty", private: true }));
  const tarball = join(folder, filename);
  const installed = npm(["install", "--prefer-offline", "--no-audit", "--no-fund", tarball], project);
  context.skip(installed.status !== 0 && NO_REGISTRY.test(installed.stderr), "the registry cannot be reached");
  expect(installed.status, installed.stderr).toBe(0);
  return project;
}

test("the packed command installs and runs in an empty project, and a page finds the client in it", async (context) => {
  const project = installedProject(context);
  for (const { name } of bundledWorkspaces("dreamloop", listWorkspaces(ROOT))) {
    const manifest = join(project, "node_modules/dreamloop/node_modules", name, "package.json");
    expect(JSON.parse(readFileSync(manifest, "utf8"))).toMatchObject({ name });
  }

  const schema = join(project, "node_modules/dreamloop/node_modules/@dreamloop/onnx/schema/world.schema.json");
  expect(JSON.parse(readFileSync(schema, "utf8"))).toHaveProperty("properties.formatVersion");

  const worlds = npm(["exec", "--offline", "--", "dreamloop", "worlds", "--json"], project);
  expect(worlds.status, worlds.stderr).toBe(0);
  expect(worlds.stdout).toContain('"probe"');
  const args = ["run", "probe", "--frames", "8", "--seed", "7", "--out", "a.mp4"];
  const run = npm(["exec", "--offline", "--", "dreamloop", ...args], project);
  expect(run.status, run.stderr).toBe(0);
  expect(readFileSync(join(project, "a.mp4")).subarray(4, 8).toString("latin1")).toBe("ftyp");

  // The world of the package's own README, whose only import is the package.
  const [, world = ""] =
    /^```ts\n(.*?)^```$/ms.exec(readFileSync(join(ROOT, "packages/dreamloop/README.md"), "utf8")) ?? [];
  writeFileSync(join(project, "dusk.mjs"), world);
  const check = npm(["exec", "--offline", "--", "dreamloop", "check", "./dusk.mjs", "--run"], project);
  expect(check.stdout, check.stderr).toContain("./dusk.mjs is sound");
  writeFileSync(
    join(project, "entries.mjs"),
    ["node", "external", "outputs", "worlds", "onnx", "server", "client", "protocol", "testing"]
      .map((name) => `import "dreamloop/${name}";`)
      .join("\n"),
  );
  const entries = spawnSync(process.execPath, ["entries.mjs"], { cwd: project, encoding: "utf8" });
  expect(entries.status, entries.stderr).toBe(0);

  await expectPage(project);
}, 300_000);

/** The files of the smallest project in docs/client.md, in their order: package.json, index.html, main.js. */
function pageFiles(): readonly string[] {
  const [, section = ""] =
    /^## The smallest project$(.*?)^## /ms.exec(readFileSync(join(ROOT, "docs/client.md"), "utf8")) ?? [];
  return [...section.matchAll(/^```(?:json|html|js)\n(.*?)^```$/gms)].map(([, text]) => text ?? "");
}

/** Builds the page of docs/client.md, and one with React, for browsers, and compiles a page in TypeScript. */
async function expectPage(project: string): Promise<void> {
  const [manifest = "", html = "", main = ""] = pageFiles();
  const root = join(project, "page");
  mkdirSync(root);
  writeFileSync(join(root, "package.json"), manifest);
  writeFileSync(join(root, "index.html"), html);
  writeFileSync(join(root, "main.js"), main);
  await buildPage({ root, configFile: false, logLevel: "silent" });
  const [script = ""] = readdirSync(join(root, "dist/assets"));
  const built = readFileSync(join(root, "dist/assets", script), "utf8");
  expect(built).toContain("/api/sessions");
  expect(built).not.toMatch(/from\s*"|__vite-browser-external|node:/);

  const game = 'import { DreamloopProvider } from "dreamloop/client/react";\nconsole.log(DreamloopProvider);\n';
  writeFileSync(join(root, "game.js"), game);
  const bundle = { bundle: true, write: false, format: "esm", platform: "browser", logLevel: "silent" } as const;
  const { outputFiles } = await build({
    ...bundle,
    absWorkingDir: root,
    entryPoints: ["game.js"],
    external: ["react"],
  });
  expect(outputFiles[0]?.text).toMatch(/from "react/);

  const wrong = 'import { connect } from "dreamloop/client";\nawait connect({ url: "/", world: 3 });\n';
  writeFileSync(join(root, "wrong.ts"), wrong);
  const options = ["--module", "esnext", "--moduleResolution", "bundler", "--target", "es2022", "--lib", "es2023,dom"];
  const types = spawnSync(
    process.execPath,
    [binPath("typescript", "tsc"), "--strict", "--noEmit", "--skipLibCheck", ...options, "wrong.ts"],
    { cwd: root, encoding: "utf8" },
  );
  expect(types.stdout).toMatch(/^wrong\.ts\(2,.*'number' is not assignable to type 'string'/);
}

/** A workspace with only what the bundle looks at. */
function workspace(path: string, manifest: Workspace["manifest"]): Workspace {
  return { name: manifest.name ?? path, path, folder: path, manifest };
}

const CORE = workspace("packages/core", { name: "@dreamloop/core" });
const OUTPUTS = workspace("packages/outputs", {
  name: "@dreamloop/outputs",
  dependencies: { "@dreamloop/core": "0.1.0", left: "1.2.3" },
  optionalDependencies: { right: "2.0.0" },
});

test("a tarball that carries everything has no faults", () => {
  const cli = workspace("packages/dreamloop", {
    name: "dreamloop",
    dependencies: { "@dreamloop/core": "0.1.0", "@dreamloop/outputs": "0.1.0", left: "1.2.3", own: "1.0.0" },
    optionalDependencies: { right: "2.0.0" },
    bundleDependencies: ["@dreamloop/core", "@dreamloop/outputs"],
  });
  expect(bundleFaults("dreamloop", [cli, CORE, OUTPUTS])).toEqual([]);
});

test("workspaces that are not carried and dependencies that nobody would install are named", () => {
  const cli = workspace("packages/dreamloop", {
    name: "dreamloop",
    dependencies: { "@dreamloop/outputs": "0.1.0", left: "1.2.4" },
    bundleDependencies: ["@dreamloop/outputs", "@dreamloop/gone"],
  });
  expect(bundleFaults("dreamloop", [cli, CORE, OUTPUTS])).toEqual([
    "packages/dreamloop/package.json: @dreamloop/core is missing from bundleDependencies",
    "packages/dreamloop/package.json: @dreamloop/core is missing from dependencies",
    "packages/dreamloop/package.json: bundleDependencies lists @dreamloop/gone, which nothing needs",
    'packages/dreamloop/package.json: dependencies must list "left": "1.2.3" because @dreamloop/outputs does, found 1.2.4',
    'packages/dreamloop/package.json: optionalDependencies must list "right": "2.0.0" because @dreamloop/outputs does, found nothing',
  ]);
});
