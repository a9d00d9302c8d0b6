import type { ModelAdapter } from "@dreamloop/core";
import { bundleAdapter, type BundleAdapterOptions } from "../adapter/bundle-adapter.ts";
import { openBundle } from "../plan/open-bundle.ts";
import { checkBundleFiles, type CheckOptions, type CheckReport } from "../adapter/check-bundle.ts";
import { bundleError } from "../faults/fault.ts";
import { folderFiles } from "./folder-files.ts";
import { nodeEngine } from "./node-engine.ts";

/** What `loadBundle` takes beside the folder. */
export type LoadBundleOptions = Partial<Omit<BundleAdapterOptions, "bundle">>;

/** Makes the adapter of the bundle in a folder; its weights are loaded by `createRuntime`. Throws `bundle_invalid`. */
export async function loadBundle(folder: string, options: LoadBundleOptions = {}): Promise<ModelAdapter> {
  const files = folderFiles(folder);
  const { bundle, faults } = await openBundle(files);
  if (bundle === undefined) throw bundleError(files.location, faults);
  return bundleAdapter({ ...options, bundle, engine: options.engine ?? nodeEngine() });
}

/** Checks the bundle in a folder; see `checkBundleFiles`. */
export function checkBundle(folder: string, options: CheckOptions = {}): Promise<CheckReport> {
  return checkBundleFiles(folderFiles(folder), { ...options, engine: options.engine ?? nodeEngine() });
}
