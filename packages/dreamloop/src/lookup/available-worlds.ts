import { inferenceConfig, type ModelAdapter } from "@dreamloop/core";
import { installedWorlds } from "@dreamloop/node";
import { PROBE_MODEL_ID, probeWorld } from "@dreamloop/worlds/probe";
import { bundledWorlds } from "./bundled-worlds.ts";
import { glanceAtBundle } from "./bundle-folder.ts";

/** A world as a list shows it; nothing of it has been loaded. */
export interface ListedWorld {
  /** The id by which people ask for it. */
  readonly id: string;
  /** For people. */
  readonly title?: string;
  /** For people. */
  readonly description?: string;
  /** Whether it comes with Dreamloop or with an installed package. */
  readonly origin: "bundled" | "package";
  /** Whether it is code or a bundle of weights. */
  readonly kind: "module" | "bundle";
  /** Name and version of the package that declares it. */
  readonly package?: string;
  /** Pixels a row, where that is known without loading. */
  readonly width?: number;
  /** Rows. */
  readonly height?: number;
  /** The world's own rate. */
  readonly framesPerSecond?: number;
}

/** What a list of worlds holds. */
export interface WorldList {
  /** The worlds: bundled ones first. */
  readonly worlds: readonly ListedWorld[];
  /** Declarations of installed packages that cannot be used. */
  readonly problems: readonly string[];
}

/** Lists the worlds that come with Dreamloop and those that packages declare, seen from a folder. */
export function availableWorlds(cwd: string): WorldList {
  const bundled = bundledWorlds().map(({ id, title, folder }): ListedWorld => {
    if (id === PROBE_MODEL_ID && folder === undefined) {
      return { id, origin: "bundled", kind: "module", ...glanceAtAdapter(probeWorld) };
    }
    const glance = folder === undefined ? {} : glanceAtBundle(folder);
    return { ...glance, id, ...(title === undefined ? {} : { title }), origin: "bundled", kind: "bundle" };
  });
  const { worlds, problems, truncated } = installedWorlds(cwd);
  const installed = worlds.map(({ id, title, kind, location, packageName, packageVersion }): ListedWorld => ({
    ...(kind === "bundle" ? glanceAtBundle(location) : {}),
    id,
    ...(title === undefined ? {} : { title }),
    origin: "package",
    kind,
    package: packageVersion === undefined ? packageName : `${packageName}@${packageVersion}`,
  }));
  return {
    worlds: [...bundled, ...installed],
    problems: [
      ...problems.map(({ packageName, message }) => `${packageName}: ${message}`),
      ...(truncated ? ["too many packages are installed; the list is not complete"] : []),
    ],
  };
}

/** What an adapter that is here already says of itself. */
function glanceAtAdapter(adapter: ModelAdapter): Partial<ListedWorld> {
  const { title, description } = adapter;
  const video = adapter.describe?.(inferenceConfig({ modelId: adapter.modelId }));
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(video === undefined
      ? {}
      : { width: video.width, height: video.height, framesPerSecond: video.framesPerSecond }),
  };
}
