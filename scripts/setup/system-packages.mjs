import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { run, TaskError } from "./run.mjs";

/**
 * A program that some tests need and npm cannot bring.
 *
 * @typedef {object} SystemPackage
 * @property {string} name how tests and messages call it
 * @property {string} usedFor what is not tested without it
 * @property {string} variable environment variable with the path of the program; overrides the search
 * @property {readonly string[]} programs names looked for on the PATH; one is enough
 * @property {readonly string[]} places full paths looked at besides
 * @property {readonly string[]} debianPackages what apt-get installs to get it
 * @property {string} [withFile] a file without which the program is of no use, such as a module that it loads
 */

/** @type {readonly SystemPackage[]} */
export const SYSTEM_PACKAGES = [
  {
    name: "chromium",
    usedFor: "tests that run in a real browser",
    variable: "DREAMLOOP_CHROMIUM",
    programs: ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"],
    places: [
      "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
      "/Applications/Chromium.app/Contents/MacOS/Chromium",
      "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
      "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe",
    ],
    debianPackages: ["chromium"],
  },
  {
    name: "ffmpeg",
    usedFor: "tests that decode what Dreamloop encoded",
    variable: "DREAMLOOP_FFMPEG",
    programs: ["ffmpeg"],
    places: [],
    debianPackages: ["ffmpeg"],
  },
  {
    name: "aiortc",
    usedFor: "tests with a WebRTC client that is not ours",
    variable: "DREAMLOOP_AIORTC_PYTHON",
    programs: [],
    places: ["/usr/bin/python3"],
    debianPackages: ["python3-aiortc"],
    withFile: "/usr/lib/python3/dist-packages/aiortc/__init__.py",
  },
  {
    name: "numpy",
    usedFor: "tests of worlds in Python",
    variable: "DREAMLOOP_NUMPY_PYTHON",
    programs: [],
    places: ["/usr/bin/python3"],
    debianPackages: ["python3-numpy"],
    withFile: "/usr/lib/python3/dist-packages/numpy/__init__.py",
  },
  {
    name: "torch",
    usedFor: "tests of worlds in PyTorch",
    variable: "DREAMLOOP_TORCH_PYTHON",
    programs: [],
    places: ["/usr/bin/python3"],
    debianPackages: ["python3-torch"],
    withFile: "/usr/lib/python3/dist-packages/torch/__init__.py",
  },
];

/**
 * Where the search for programs looks; tests hand in their own.
 *
 * @typedef {object} Machine
 * @property {NodeJS.ProcessEnv} env
 * @property {NodeJS.Platform} platform
 * @property {(path: string) => boolean} isProgram
 * @property {(path: string) => boolean} [isFile] default: whether it exists
 */

/** @type {Machine} */
const THIS_MACHINE = { env: process.env, platform: process.platform, isProgram };

/**
 * Looks for every system package.
 *
 * @param {Machine} [machine]
 * @returns {{ found: Map<string, string>, missing: SystemPackage[] }} paths by name, and what has none
 */
export function findSystemPackages(machine = THIS_MACHINE) {
  /** @type {Map<string, string>} */
  const found = new Map();
  const missing = [];
  for (const wanted of SYSTEM_PACKAGES) {
    const path = findProgram(wanted, machine);
    if (path === undefined) missing.push(wanted);
    else found.set(wanted.name, path);
  }
  return { found, missing };
}

/**
 * The environment through which tests learn what this machine has: `DREAMLOOP_TEST_MISSING` is a comma-separated list of
 * names, and each package that was found has its path in its own variable.
 *
 * @param {Machine} [machine]
 * @returns {Record<string, string>}
 */
export function testEnvironment(machine = THIS_MACHINE) {
  const { found, missing } = findSystemPackages(machine);
  /** @type {Record<string, string>} */
  const environment = { DREAMLOOP_TEST_MISSING: missing.map(({ name }) => name).join(",") };
  for (const { name, variable } of SYSTEM_PACKAGES) {
    const path = found.get(name);
    if (path !== undefined) environment[variable] = path;
  }
  return environment;
}

/**
 * Decides what to do about missing packages, without doing it.
 *
 * @param {readonly SystemPackage[]} missing
 * @param {{ osRelease: string | undefined, isRoot: boolean }} system
 * @returns {{ install: string[], advice: string[] }} Debian packages to install now, and what to tell the person
 */
export function planSystemPackages(missing, { osRelease, isRoot }) {
  const packages = missing.flatMap(({ debianPackages }) => debianPackages);
  const isDebian = /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(osRelease ?? "");
  if (packages.length === 0) return { install: [], advice: [] };
  if (isDebian && isRoot) return { install: packages, advice: [] };
  const how = isDebian ? `Install with: sudo apt-get install ${packages.join(" ")}` : "Install it to run them.";
  return {
    install: [],
    advice: missing.map(({ name, usedFor, variable }) => {
      return `${name} was not found, so ${usedFor} are skipped. ${how} (or set ${variable} to its path)`;
    }),
  };
}

/**
 * Installs what tests need where that is customary (root on Debian or Ubuntu, as in a container), and says elsewhere what
 * is missing. In continuous integration a failed installation is an error, so that a green run cannot hide it.
 *
 * @param {{ say?: (line: string) => void }} [options]
 */
export function ensureSystemPackages({ say = console.log } = {}) {
  const { missing } = findSystemPackages();
  const osRelease = existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : undefined;
  const { install, advice } = planSystemPackages(missing, { osRelease, isRoot: process.getuid?.() === 0 });
  advice.forEach((line) => say(line));
  if (install.length === 0) return;

  say(`Installing system packages that tests need: apt-get install ${install.join(" ")}`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  run("apt-get", ["update", "-qq"], { env });
  const code = run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...install], { env });
  const still = findSystemPackages().missing.map(({ name }) => name);
  if (code === 0 && still.length === 0) return;
  const complaint = `apt-get ended with exit code ${code}, and ${still.join(", ") || "nothing"} is still missing`;
  if (process.env["CI"]) throw new TaskError(complaint);
  say(`${complaint}; the tests that need it are skipped.`);
}

/**
 * @param {SystemPackage} wanted
 * @param {Machine} machine
 */
function findProgram({ variable, programs, places, withFile }, { env, platform, isProgram, isFile = existsSync }) {
  const given = env[variable];
  if (given) return isProgram(given) ? given : undefined;
  if (withFile !== undefined && !isFile(withFile)) return undefined;
  const extension = platform === "win32" ? ".exe" : "";
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter(Boolean);
  const onPath = programs.flatMap((program) => folders.map((folder) => join(folder, program + extension)));
  return [...onPath, ...places].find((path) => isProgram(path));
}

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
