import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BUNDLE_MANIFEST, type BundledWorld } from "@dreamloop/node";
import { PROBE_MODEL_ID, probeWorld } from "@dreamloop/worlds/probe";
import { bundleReference, glanceAtBundle } from "./bundle-folder.ts";

/** Name of the root of the repository, in which bundles lie beside the packages and not inside of this one. */
const WORKSPACE_NAME = "dreamloop-workspace";

/** A world that comes with Dreamloop. */
export interface OwnWorld extends BundledWorld {
  /** The folder of a bundle; absent for the probe, which is code. */
  readonly folder?: string;
}

/** The worlds that come with Dreamloop: the probe, and the bundles that travel with the package. */
export function bundledWorlds(): readonly OwnWorld[] {
  const probe: OwnWorld = {
    id: PROBE_MODEL_ID,
    title: probeWorld.title ?? PROBE_MODEL_ID,
    reference: { module: fileURLToPath(import.meta.resolve("@dreamloop/worlds/probe")), exportName: "probeWorld" },
  };
  return [probe, ...bundleFolders().map(bundleWorldOf)];
}

function bundleWorldOf(folder: string): OwnWorld {
  const { id = basename(folder), title } = glanceAtBundle(folder);
  return { id, ...(title === undefined ? {} : { title }), reference: bundleReference(folder), folder };
}

function bundleFolders(): readonly string[] {
  const parent = worldsFolder();
  if (parent === undefined) return [];
  return readdirSync(parent, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(parent, entry.name, BUNDLE_MANIFEST)))
    .map((entry) => join(parent, entry.name))
    .sort();
}

function worldsFolder(): string | undefined {
  const own = fileURLToPath(new URL("../../worlds", import.meta.url));
  if (existsSync(own)) return own;
  const root = fileURLToPath(new URL("../../../../", import.meta.url));
  const shared = join(root, "worlds");
  return isWorkspaceRoot(root) && existsSync(shared) ? shared : undefined;
}

function isWorkspaceRoot(root: string): boolean {
  const manifest = join(root, "package.json");
  if (!existsSync(manifest)) return false;
  return (JSON.parse(readFileSync(manifest, "utf8")) as { readonly name?: unknown }).name === WORKSPACE_NAME;
}
