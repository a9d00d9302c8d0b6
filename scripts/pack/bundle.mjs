/** @typedef {import("../workspace/packages.mjs").Workspace} Workspace */

/**
 * The workspaces that a package needs at run time, its own aside, directly or through others.
 *
 * @param {string} name
 * @param {readonly Workspace[]} workspaces
 * @returns {Workspace[]} in alphabetical order
 */
export function bundledWorkspaces(name, workspaces) {
  const byName = new Map(workspaces.map((workspace) => [workspace.name, workspace]));
  /** @type {Set<Workspace>} */
  const bundled = new Set();
  /** @param {Workspace | undefined} workspace */
  const visit = (workspace) => {
    for (const dependency of Object.keys(workspace?.manifest.dependencies ?? {})) {
      const found = byName.get(dependency);
      if (!found || found.name === name || bundled.has(found)) continue;
      bundled.add(found);
      visit(found);
    }
  };
  visit(byName.get(name));
  return [...bundled].sort((a, b) => a.name.localeCompare(b.name));
}

/**
 * Finds what would break a package whose workspaces travel inside its tarball: a workspace that is not listed as bundled,
 * or a dependency of a bundled workspace that the package itself does not ask the registry for.
 *
 * @param {string} name
 * @param {readonly Workspace[]} workspaces
 * @returns {string[]} one sentence for each fault
 */
export function bundleFaults(name, workspaces) {
  const main = workspaces.find((workspace) => workspace.name === name);
  if (!main) return [];
  const file = `${main.path}/package.json`;
  const bundled = bundledWorkspaces(name, workspaces);
  const names = new Set(bundled.map((workspace) => workspace.name));
  const listed = main.manifest.bundleDependencies ?? [];
  const faults = [
    ...[...names].filter((each) => !listed.includes(each)).map((each) => `${each} is missing from bundleDependencies`),
    ...[...names]
      .filter((each) => !main.manifest.dependencies?.[each])
      .map((each) => `${each} is missing from dependencies`),
    ...listed.filter((each) => !names.has(each)).map((each) => `bundleDependencies lists ${each}, which nothing needs`),
  ];
  for (const { name: from, manifest } of bundled) {
    for (const field of /** @type {const} */ (["dependencies", "optionalDependencies"])) {
      for (const [dependency, version] of Object.entries(manifest[field] ?? {})) {
        const isWorkspace = workspaces.some((workspace) => workspace.name === dependency);
        if (isWorkspace || main.manifest[field]?.[dependency] === version) continue;
        const found = main.manifest[field]?.[dependency] ?? "nothing";
        faults.push(`${field} must list "${dependency}": "${version}" because ${from} does, found ${found}`);
      }
    }
  }
  return faults.map((fault) => `${file}: ${fault}`);
}
