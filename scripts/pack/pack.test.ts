import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, expect, test, type TestContext } from "vitest";
import { npmCommand, ROOT } from "../setup/run.mjs";
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
  for (const path of ["package.json", "tsconfig.json", "tsconfig.base.json", "LICENSE", "scripts", "packages"]) {
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
  const packed = npm(["pack", "--json", "--pack-destination", folder], join(copy, "packages/cli"));
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

test("the packed command installs and runs in an empty project", (context) => {
  const project = installedProject(context);
  for (const { name } of bundledWorkspaces("dreamloop", listWorkspaces(ROOT))) {
    const manifest = join(project, "node_modules/dreamloop/node_modules", name, "package.json");
    expect(JSON.parse(readFileSync(manifest, "utf8"))).toMatchObject({ name });
  }

  const worlds = npm(["exec", "--offline", "--", "dreamloop", "worlds", "--json"], project);
  expect(worlds.status, worlds.stderr).toBe(0);
  expect(worlds.stdout).toContain('"probe"');
  const args = ["run", "probe", "--frames", "8", "--seed", "7", "--out", "a.mp4"];
  const run = npm(["exec", "--offline", "--", "dreamloop", ...args], project);
  expect(run.status, run.stderr).toBe(0);
  expect(readFileSync(join(project, "a.mp4")).subarray(4, 8).toString("latin1")).toBe("ftyp");

  // The world of the package's own README, whose only import is the package.
  const [, world = ""] = /^```ts\n(.*?)^```$/ms.exec(readFileSync(join(ROOT, "packages/cli/README.md"), "utf8")) ?? [];
  writeFileSync(join(project, "dusk.mjs"), world);
  const check = npm(["exec", "--offline", "--", "dreamloop", "check", "./dusk.mjs", "--run"], project);
  expect(check.stdout, check.stderr).toContain("./dusk.mjs is sound");
  writeFileSync(
    join(project, "entries.mjs"),
    ["node", "outputs", "worlds", "onnx", "testing"].map((name) => `import "dreamloop/${name}";`).join("\n"),
  );
  const entries = spawnSync(process.execPath, ["entries.mjs"], { cwd: project, encoding: "utf8" });
  expect(entries.status, entries.stderr).toBe(0);
}, 300_000);

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
  const cli = workspace("packages/cli", {
    name: "dreamloop",
    dependencies: { "@dreamloop/core": "0.1.0", "@dreamloop/outputs": "0.1.0", left: "1.2.3", own: "1.0.0" },
    optionalDependencies: { right: "2.0.0" },
    bundleDependencies: ["@dreamloop/core", "@dreamloop/outputs"],
  });
  expect(bundleFaults("dreamloop", [cli, CORE, OUTPUTS])).toEqual([]);
});

test("workspaces that are not carried and dependencies that nobody would install are named", () => {
  const cli = workspace("packages/cli", {
    name: "dreamloop",
    dependencies: { "@dreamloop/outputs": "0.1.0", left: "1.2.4" },
    bundleDependencies: ["@dreamloop/outputs", "@dreamloop/gone"],
  });
  expect(bundleFaults("dreamloop", [cli, CORE, OUTPUTS])).toEqual([
    "packages/cli/package.json: @dreamloop/core is missing from bundleDependencies",
    "packages/cli/package.json: @dreamloop/core is missing from dependencies",
    "packages/cli/package.json: bundleDependencies lists @dreamloop/gone, which nothing needs",
    'packages/cli/package.json: dependencies must list "left": "1.2.3" because @dreamloop/outputs does, found 1.2.4',
    'packages/cli/package.json: optionalDependencies must list "right": "2.0.0" because @dreamloop/outputs does, found nothing',
  ]);
});
