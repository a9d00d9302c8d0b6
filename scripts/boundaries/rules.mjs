/**
 * What the shipped sources of one workspace may import.
 *
 * @typedef {object} ImportRule
 * @property {readonly string[] | "packages"} workspaces folders under `packages/` it may use; "packages" stands for all
 * @property {boolean} node whether Node's built-in modules are open to it
 * @property {readonly string[]} [nodeUnder] folders below `src` that may use built-in modules although the rest may not
 * @property {readonly string[]} [thirdParty] the only registry packages it may use; left out, every declared one is fine
 */

/**
 * The table of docs/architecture.md as data. A workspace that is not listed fails the check, so that its place is decided
 * before it is used.
 *
 * @type {Readonly<Record<string, ImportRule>>}
 */
export const IMPORT_RULES = {
  "packages/core": { workspaces: [], node: false, thirdParty: ["@standard-schema/spec"] },
  "packages/onnx": { workspaces: ["core"], node: false, nodeUnder: ["node"] },
  "packages/worlds": { workspaces: ["core", "onnx"], node: false },
  "packages/node": { workspaces: ["core"], node: true },
  "packages/outputs": { workspaces: ["core", "node"], node: true },
  "packages/external": { workspaces: ["core", "node"], node: true },
  "packages/protocol": { workspaces: ["core"], node: false },
  "packages/server": { workspaces: ["core", "node", "protocol", "outputs"], node: true },
  "packages/cluster": { workspaces: ["core", "protocol", "server"], node: true },
  "packages/client": { workspaces: ["core", "protocol"], node: false },
  "packages/testing": { workspaces: ["core", "protocol"], node: false },
  "packages/dreamloop": { workspaces: "packages", node: true },
  "apps/player": { workspaces: ["client"], node: false },
};

/**
 * Rule for folders that show or measure the packages: they may use all of them, and nothing imports them.
 *
 * @type {ImportRule}
 */
export const OUTSIDE_RULE = { workspaces: "packages", node: true };

/** Workspaces whose tests, in every package, may be fed by them: the suites and fakes, and the probe world. */
export const TEST_WORKSPACES = ["testing", "worlds"];

/**
 * @param {string} path a workspace's path from the root
 * @returns {ImportRule | undefined}
 */
export function ruleFor(path) {
  return IMPORT_RULES[path] ?? (/^(examples|bench|e2e)(\/|$)/.test(path) ? OUTSIDE_RULE : undefined);
}

/**
 * Folders below `src`, from the ground up, for packages whose parts build on each other. A file may import from its own
 * folder and from those before it, types included. Of nested folders the longest match counts. Tests, folders that are
 * not listed and files directly below `src` are free.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const FOLDER_ORDER = {
  "packages/core": [
    "foundation",
    "inputs",
    "canonical",
    "mapping",
    "model",
    "adapter",
    "rollout",
    "snapshot",
    "drivers",
    "trace",
    "report",
  ],
  "packages/client": [
    "browser",
    "wire",
    "link",
    "present",
    "input",
    "session/statistics",
    "session",
    "capture/devices",
    "capture",
    "react",
  ],
  "packages/server": [
    "platform",
    "worlds",
    "media",
    "recordings",
    "transport/outlet",
    "viewers",
    "session",
    "transport",
    "app",
  ],
  "packages/onnx": ["faults", "manifest", "plan", "check", "half", "load", "session", "adapter", "node", "testing"],
};
