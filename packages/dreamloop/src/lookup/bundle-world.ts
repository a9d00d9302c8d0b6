import { isAbsolute, resolve } from "node:path";
import type { ModelAdapter } from "@dreamloop/core";
import { text } from "@dreamloop/core/internal";
import type { DomainRegistry } from "@dreamloop/onnx";
import { driveDomain } from "@dreamloop/worlds/drive";

/** The domains that bundles may name. */
export const WORLD_DOMAINS: DomainRegistry = Object.freeze({ [driveDomain.id]: driveDomain });

/**
 * Makes the adapter of the bundle in a folder. The engine is loaded only when it is needed, since it is large.
 *
 * @public a host loads it by its name; see `bundleReference`
 */
export async function bundleWorld(folder: unknown): Promise<ModelAdapter> {
  const path = text()(folder, "bundleWorld");
  const { loadBundle } = await import("@dreamloop/onnx/node");
  return loadBundle(isAbsolute(path) ? path : resolve(path), { domains: WORLD_DOMAINS });
}
