import { readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isPlainObject } from "@dreamloop/core/internal";
import { BUNDLE_MANIFEST, type ResolvedWorld, type WorldReferenceInput } from "@dreamloop/node";

/** A manifest is read whole only up to this size. */
const MAX_MANIFEST_BYTES = 1_048_576;

/** What a list of worlds shows of a bundle without checking it. */
export interface BundleGlance {
  /** The id; absent when there is none that is text. */
  readonly id?: string;
  /** For people. */
  readonly title?: string;
  /** For people. */
  readonly description?: string;
  /** Pixels a row. */
  readonly width?: number;
  /** Rows. */
  readonly height?: number;
  /** The world's own rate. */
  readonly framesPerSecond?: number;
}

/** The module whose export makes the adapter of a bundle. */
const BUNDLE_MODULE = fileURLToPath(new URL(`./bundle-world${extname(import.meta.url)}`, import.meta.url));

/** How a host loads the bundle in a folder, in this thread or in another. */
export function bundleReference(folder: string): WorldReferenceInput {
  return { module: BUNDLE_MODULE, exportName: "bundleWorld", argument: folder };
}

/** The folder of a world that is a bundle; absent for code. */
export function bundleFolderOf({ reference }: ResolvedWorld): string | undefined {
  return reference.module === BUNDLE_MODULE && typeof reference.argument === "string" ? reference.argument : undefined;
}

/** Reads what a list shows; nothing of it is refused, since `dreamloop check` explains faults far better. */
export function glanceAtBundle(folder: string): BundleGlance {
  const manifest = glanceAtManifest(folder);
  const video = isPlainObject(manifest.video) ? manifest.video : {};
  return {
    ...fieldsOf("string", manifest, ["id", "title", "description"]),
    ...fieldsOf("number", video, ["width", "height", "framesPerSecond"]),
  };
}

/** The manifest as it is written, unchecked; empty where there is none that can be read. */
export function glanceAtManifest(folder: string): Readonly<Record<string, unknown>> {
  try {
    const file = join(folder, BUNDLE_MANIFEST);
    if (statSync(file).size > MAX_MANIFEST_BYTES) return {};
    const manifest: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isPlainObject(manifest) ? manifest : {};
  } catch {
    return {};
  }
}

function fieldsOf(
  type: "string" | "number",
  from: Readonly<Record<string, unknown>>,
  names: readonly string[],
): object {
  return Object.fromEntries(names.filter((name) => typeof from[name] === type).map((name) => [name, from[name]]));
}
