import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { installDifference, relinkWorkspaces } from "./install.mjs";
import { nodeVersionComplaint } from "./node-version.mjs";
import { findSystemPackages, planSystemPackages, SYSTEM_PACKAGES, testEnvironment } from "./system-packages.mjs";

test("a Node that is too old is told so in one sentence, a newer one is not", () => {
  expect(nodeVersionComplaint("v18.20.4")).toMatch(
    /^Dreamloop needs Node 20\.19 or newer, and this is Node 18\.20\.4: [^\n]*\.$/,
  );
  expect(nodeVersionComplaint("20.18.3")).toBeDefined();
  expect(nodeVersionComplaint("20.19.0")).toBeUndefined();
  expect(nodeVersionComplaint("22.1.0")).toBeUndefined();
});

const LOCK = {
  packages: {
    "": { version: "0.0.0" },
    "packages/core": { version: "0.1.0" },
    "node_modules/@dreamloop/core": { link: true, resolved: "packages/core" },
    "node_modules/left": { version: "1.0.0" },
    "node_modules/for-another-system": { version: "1.0.0", optional: true },
  },
};
const INSTALLED = {
  packages: { "node_modules/@dreamloop/core": { link: true }, "node_modules/left": { version: "1.0.0" } },
};

test("what is installed is compared with the lock file, without what is meant for other systems", () => {
  expect(installDifference(LOCK, INSTALLED)).toBeUndefined();
  expect(installDifference(LOCK, undefined)).toBe("nothing is installed yet");
  const older = { packages: { ...INSTALLED.packages, "node_modules/left": { version: "0.9.0" } } };
  expect(installDifference(LOCK, older)).toBe("node_modules/left is 0.9.0 and should be 1.0.0");
  const { "node_modules/left": _, ...rest } = INSTALLED.packages;
  expect(installDifference(LOCK, { packages: rest })).toBe("node_modules/left is not installed");
});

test("links to workspaces that a pull moved or added are renewed, and take the place of packages", () => {
  const root = mkdtempSync(join(tmpdir(), "links-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of ["packages/new", "packages/other", "node_modules"])
    mkdirSync(join(root, folder), { recursive: true });
  symlinkSync(join(root, "packages/old"), join(root, "node_modules/moved"));
  const packages = {
    "node_modules/moved": { link: true, resolved: "packages/new" },
    "node_modules/@scope/other": { link: true, resolved: "packages/other" },
  };
  expect(relinkWorkspaces({ packages }, root)).toEqual(["node_modules/moved", "node_modules/@scope/other"]);
  expect(realpathSync(join(root, "node_modules/moved"))).toBe(realpathSync(join(root, "packages/new")));
  expect(realpathSync(join(root, "node_modules/@scope/other"))).toBe(realpathSync(join(root, "packages/other")));
  expect(relinkWorkspaces({ packages }, root)).toEqual([]);

  mkdirSync(join(root, "node_modules/real"));
  writeFileSync(join(root, "node_modules/real/index.js"), "");
  const real = { "node_modules/real": { link: true, resolved: "packages/new" } };
  expect(relinkWorkspaces({ packages: real }, root)).toEqual(["node_modules/real"]);
  expect(realpathSync(join(root, "node_modules/real"))).toBe(realpathSync(join(root, "packages/new")));
});

test("onnxruntime-node finds its download switched off, unless somebody chose otherwise", () => {
  const standIn = createRequire(import.meta.url)("global-agent") as { bootstrap: () => void };
  const before = process.env.ONNXRUNTIME_NODE_INSTALL;
  onTestFinished(() => {
    if (before === undefined) delete process.env.ONNXRUNTIME_NODE_INSTALL;
    else process.env.ONNXRUNTIME_NODE_INSTALL = before;
  });
  delete process.env.ONNXRUNTIME_NODE_INSTALL;
  standIn.bootstrap();
  expect(process.env.ONNXRUNTIME_NODE_INSTALL).toBe("skip");
  process.env.ONNXRUNTIME_NODE_INSTALL = "cuda12";
  standIn.bootstrap();
  expect(process.env.ONNXRUNTIME_NODE_INSTALL).toBe("cuda12");
});

/** A machine that has just the named programs. */
function machine(programs: string[], env: Record<string, string> = {}, files: string[] = []) {
  return {
    env: { PATH: "bin", ...env },
    platform: "linux" as const,
    isProgram: (path: string) => programs.includes(path.replaceAll("\\", "/")),
    isFile: (path: string) => files.includes(path),
  };
}

test("programs are found on the PATH, in their usual places, or where their variable points", () => {
  const place = "/Applications/Chromium.app/Contents/MacOS/Chromium";
  expect(testEnvironment(machine(["bin/ffmpeg", place]))).toEqual({
    DREAMLOOP_TEST_MISSING: "aiortc,numpy,torch",
    DREAMLOOP_CHROMIUM: place,
    DREAMLOOP_FFMPEG: "bin/ffmpeg",
  });
  const given = { DREAMLOOP_FFMPEG: "/my/ffmpeg" };
  expect(findSystemPackages(machine(["/my/ffmpeg", "bin/ffmpeg"], given)).found.get("ffmpeg")).toBe("/my/ffmpeg");
  expect(testEnvironment(machine(["bin/ffmpeg"], given))).toEqual({
    DREAMLOOP_TEST_MISSING: "chromium,ffmpeg,aiortc,numpy,torch",
  });
  const python = "/usr/bin/python3";
  const module = "/usr/lib/python3/dist-packages/aiortc/__init__.py";
  expect(findSystemPackages(machine([python], {}, [module])).found.get("aiortc")).toBe(python);
  expect(findSystemPackages(machine([python])).found.has("aiortc")).toBe(false);
});

const DEBIAN_PACKAGES = ["chromium", "ffmpeg", "python3-aiortc", "python3-numpy", "python3-torch"];

test("missing packages are installed only as root on Debian and its kin, and named elsewhere", () => {
  const debian = 'PRETTY_NAME="Debian GNU/Linux 12"\nID=debian\n';
  const mint = "ID=linuxmint\nID_LIKE=ubuntu\n";
  const fedora = "ID=fedora\n";
  const plan = (osRelease: string | undefined, isRoot: boolean) =>
    planSystemPackages(SYSTEM_PACKAGES, { osRelease, isRoot });
  expect(plan(debian, true)).toEqual({ install: DEBIAN_PACKAGES, advice: [] });
  expect(plan(mint, true).install).toEqual(DEBIAN_PACKAGES);
  for (const { install, advice } of [plan(debian, false), plan(fedora, true), plan(undefined, true)]) {
    expect(install).toEqual([]);
    expect(advice).toHaveLength(SYSTEM_PACKAGES.length);
  }
  expect(plan(debian, false).advice[0]).toContain(
    "sudo apt-get install chromium ffmpeg python3-aiortc python3-numpy python3-torch",
  );
  expect(planSystemPackages([], { osRelease: debian, isRoot: true })).toEqual({ install: [], advice: [] });
});
