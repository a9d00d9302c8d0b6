import { existsSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join, posix } from "node:path";
import ts from "typescript";
import { listFiles, listWorkspaces, readPackageManifest } from "../workspace/packages.mjs";
import { findCycles } from "./cycles.mjs";
import { readImports } from "./imports.mjs";
import { layerFault } from "./layers.mjs";
import { FOLDER_ORDER, ruleFor, TEST_WORKSPACES } from "./rules.mjs";

/**
 * @typedef {import("../workspace/packages.mjs").Workspace} Workspace
 * @typedef {import("../workspace/packages.mjs").Manifest} Manifest
 * @typedef {import("./imports.mjs").Import} Import
 * @typedef {import("./rules.mjs").ImportRule} ImportRule
 */

const SOURCE_FILE = /(?<!\.d)\.(ts|tsx|mts|js|mjs|jsx)$/;
const TEST_FILE = /\.(test|test-d|soak)\.tsx?$/;

/**
 * Checks the imports, manifests and project references of every workspace.
 *
 * @param {string} root
 * @returns {string[]} one sentence for each fault, beginning with where it is
 */
export function boundaryFaults(root) {
  const workspaces = listWorkspaces(root);
  const rootManifest = readPackageManifest(join(root, "package.json"));
  return [
    ...workspaces.flatMap((workspace) => workspaceFaults(workspace, workspaces, rootManifest)),
    ...rootReferenceFaults(root, workspaces),
  ];
}

/**
 * @param {Workspace} workspace
 * @param {readonly Workspace[]} workspaces
 * @param {Manifest} rootManifest
 */
function workspaceFaults(workspace, workspaces, rootManifest) {
  const rule = ruleFor(workspace.path);
  if (!rule) return [`${workspace.path}: no rule says what it may import; add it to scripts/boundaries/rules.mjs`];

  const context = { workspace, workspaces, rootManifest, rule, references: projectReferences(workspace.folder) };
  const files = listFiles(workspace.folder).filter((path) => SOURCE_FILE.test(path) && /^(src|bin)\//.test(path));
  const faults = manifestFaults(context);
  /** @type {Map<string, string[]>} */
  const graph = new Map();
  for (const file of files) {
    const imports = readImports(file, readFileSync(join(workspace.folder, file), "utf8"));
    for (const each of imports) {
      const fault = importFault(each, file, context);
      if (fault !== undefined) faults.push(`${workspace.path}/${file}:${each.line}: ${fault}`);
    }
    // A type leaves nothing behind at run time, so a ring that only types close cannot hurt the order of loading.
    const local = imports.filter(({ specifier, typeOnly }) => !typeOnly && specifier.startsWith("."));
    graph.set(
      file,
      local.map(({ specifier }) => posix.join(posix.dirname(file), specifier)),
    );
  }
  const rings = findCycles(graph).map((ring) => [...ring, ring[0]].join(" → "));
  return [...faults, ...rings.map((ring) => `${workspace.path}: files import each other in a ring: ${ring}`)];
}

/**
 * @typedef {object} Context
 * @property {Workspace} workspace
 * @property {readonly Workspace[]} workspaces
 * @property {Manifest} rootManifest
 * @property {ImportRule} rule
 * @property {ReadonlySet<string> | undefined} references folders named by the tsconfig.json
 */

/**
 * @param {Import} each
 * @param {string} file
 * @param {Context} context
 * @returns {string | undefined}
 */
function importFault({ specifier, typeOnly }, file, context) {
  const { workspace, rule } = context;
  const isTest = TEST_FILE.test(file);
  if (specifier.startsWith(".") || specifier.startsWith("/")) {
    const leaves = specifier.startsWith("/") || posix.join(posix.dirname(file), specifier).startsWith("..");
    if (leaves) return `"${specifier}" leaves the package; import other packages by name`;
    return isTest ? undefined : layerFault(specifier, file, FOLDER_ORDER[workspace.path]);
  }
  const name = packageName(specifier);
  if (isBuiltin(specifier)) {
    const open = rule.node || isTest || rule.nodeUnder?.some((folder) => file.startsWith(`src/${folder}/`));
    return open || file.startsWith("bin/")
      ? undefined
      : `"${specifier}" is a Node module, and ${workspace.path} has to run without Node`;
  }
  if (name === workspace.name) return `"${specifier}" is this package itself; import the file by its path`;
  const target = context.workspaces.find((other) => other.name === name);
  if (target) return workspaceImportFault(specifier, target, isTest, context);
  if (!isTest && rule.thirdParty && !(rule.thirdParty.includes(name) && typeOnly)) {
    const allowed = rule.thirdParty.map((each) => `types of ${each}`).join(", ") || "nothing";
    return `"${specifier}" comes from the registry; ${workspace.path} may use ${allowed}`;
  }
  return isDeclared(name, isTest, context)
    ? undefined
    : `"${specifier}" is not declared in ${workspace.path}/package.json`;
}

/**
 * @param {string} specifier
 * @param {Workspace} target
 * @param {boolean} isTest
 * @param {Context} context
 */
function workspaceImportFault(specifier, target, isTest, { workspace, rule, references }) {
  if (!isAllowed(target, rule) && !(isTest && TEST_WORKSPACES.some((name) => target.path === `packages/${name}`))) {
    const allowed = rule.workspaces === "packages" ? "every package" : rule.workspaces.join(", ") || "no other package";
    return `${workspace.path} may not import ${target.name}; it may import ${allowed}`;
  }
  const entry = `.${specifier.slice(target.name.length)}`;
  const exported = /** @type {Record<string, unknown>} */ (target.manifest.exports ?? {});
  if (!(entry in exported)) return `"${specifier}" is not among the exports of ${target.path}/package.json`;
  if (isTest) return undefined;
  const { dependencies, peerDependencies } = workspace.manifest;
  if (!(target.name in { ...dependencies, ...peerDependencies })) {
    return `"${target.name}" is not declared in ${workspace.path}/package.json`;
  }
  if (references && !references.has(target.path))
    return `${target.path} is not among the references of ${workspace.path}/tsconfig.json`;
  return undefined;
}

/** @param {Context} context */
function manifestFaults({ workspace, workspaces, rule }) {
  const file = `${workspace.path}/package.json`;
  const { dependencies = {}, peerDependencies = {}, optionalDependencies = {} } = workspace.manifest;
  return Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies }).flatMap((name) => {
    const target = workspaces.find((other) => other.name === name);
    if (target) return isAllowed(target, rule) ? [] : [`${file}: may not depend on ${name}`];
    return !rule.thirdParty || rule.thirdParty.includes(name) ? [] : [`${file}: may not depend on ${name}`];
  });
}

/**
 * @param {string} root
 * @param {readonly Workspace[]} workspaces
 */
function rootReferenceFaults(root, workspaces) {
  const references = projectReferences(root);
  return workspaces
    .filter(({ folder, path }) => path.startsWith("packages/") && existsSync(join(folder, "tsconfig.json")))
    .filter(({ path }) => !references?.has(path))
    .map(({ path }) => `tsconfig.json: ${path} is missing from the references, so it is never built`);
}

/**
 * @param {Workspace} target
 * @param {ImportRule} rule
 */
function isAllowed(target, rule) {
  if (!target.path.startsWith("packages/")) return false;
  return rule.workspaces === "packages" || rule.workspaces.some((name) => target.path === `packages/${name}`);
}

/**
 * @param {string} name
 * @param {boolean} isTest
 * @param {Context} context
 */
function isDeclared(name, isTest, { workspace, rootManifest }) {
  const { dependencies, peerDependencies, optionalDependencies, devDependencies } = workspace.manifest;
  const shipped = { ...dependencies, ...peerDependencies, ...optionalDependencies };
  const forTests = { ...devDependencies, ...rootManifest.devDependencies };
  return name in shipped || (isTest && name in forTests);
}

/** @param {string} specifier */
function isBuiltin(specifier) {
  return specifier.startsWith("node:") || builtinModules.includes(specifier);
}

/** @param {string} specifier */
function packageName(specifier) {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

/**
 * @param {string} folder
 * @returns {ReadonlySet<string> | undefined} folders from the root, undefined without a tsconfig.json
 */
function projectReferences(folder) {
  const file = join(folder, "tsconfig.json");
  if (!existsSync(file)) return undefined;
  const { config } = ts.readConfigFile(file, (path) => ts.sys.readFile(path));
  const references = /** @type {{ references?: { path: string }[] }} */ (config).references ?? [];
  return new Set(references.map(({ path }) => `packages/${posix.basename(path.replaceAll("\\", "/"))}`));
}
