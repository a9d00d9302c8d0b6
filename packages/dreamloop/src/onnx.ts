import { domainRegistry, type CheckOptions, type CheckReport } from "@dreamloop/onnx";
import {
  checkBundle as checkAnyBundle,
  loadBundle as loadAnyBundle,
  type LoadBundleOptions,
} from "@dreamloop/onnx/node";
import type { ModelAdapter } from "@dreamloop/core";
import { WORLD_DOMAINS } from "./lookup/bundle-world.ts";

/** World bundles on ONNX Runtime, in Node: the public interface of `@dreamloop/onnx` and of its Node engine. */
export * from "@dreamloop/onnx";
export * from "@dreamloop/onnx/node";

/**
 * Makes the adapter of the bundle in a folder; its weights are loaded by `createRuntime`. The domains that come with Dreamloop are known
 * beside those in `options`. Throws `bundle_invalid`.
 */
export function loadBundle(folder: string, options: LoadBundleOptions = {}): Promise<ModelAdapter> {
  return loadAnyBundle(folder, { ...options, domains: { ...WORLD_DOMAINS, ...domainRegistry(options.domains) } });
}

/** Checks the bundle in a folder; the domains that come with Dreamloop are known beside those in `options`. */
export function checkBundle(folder: string, options: CheckOptions = {}): Promise<CheckReport> {
  return checkAnyBundle(folder, { ...options, domains: { ...WORLD_DOMAINS, ...domainRegistry(options.domains) } });
}
