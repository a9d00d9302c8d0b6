import type { LoadProgress } from "@dreamloop/core";
import type { LoadStatus } from "./bundle-runtime.ts";
import { domainRegistry, type DomainSource } from "../plan/world-domain.ts";
import type { Engine } from "../load/engine.ts";
import type { BundleFiles } from "../manifest/bundle-files.ts";
import { BUILT_IN_SAMPLERS } from "../plan/samplers/built-in-samplers.ts";
import type { SamplerRegistry } from "../plan/samplers/sampler.ts";
import { checkHashes } from "../check/check-hashes.ts";
import { checkRun } from "./check-run.ts";
import { checkStructure } from "../check/check-structure.ts";
import type { Fault } from "../faults/fault.ts";

/** How far a check goes; each level includes the ones before. */
export const CHECK_LEVELS = {
  /** Manifest, paths, sizes, graph inputs and outputs; no file is read beyond 1 MiB. */
  structure: "structure",
  /** Also the SHA-256 of every file. */
  hashes: "hashes",
  /** Also loads every graph and runs a step. */
  run: "run",
} as const;

/** One of `CHECK_LEVELS`. */
export type CheckLevel = (typeof CHECK_LEVELS)[keyof typeof CHECK_LEVELS];

/** What `checkBundleFiles` takes. */
export interface CheckOptions {
  /** How far to go; default `hashes`. */
  readonly level?: CheckLevel | undefined;
  /** What runs the graphs; needed for the level `run`. */
  readonly engine?: Engine | undefined;
  /** Domains, as a list or by their ids; default none. */
  readonly domains?: DomainSource | undefined;
  /** Samplers by name, beside the built-in ones; default none. */
  readonly samplers?: SamplerRegistry | undefined;
  /** Memory that the world may take, in bytes; default what the engine says, and nothing is refused where it says nothing. */
  readonly memoryBytes?: number | undefined;
  /** Told about progress. */
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** Cancels the check. */
  readonly signal?: AbortSignal | undefined;
}

/** What a check found. */
export interface CheckReport {
  /** Id of the world; absent when the manifest has faults. */
  readonly worldId?: string;
  /** The last phase that was entered: one with faults keeps the next from running. */
  readonly level: CheckLevel;
  /** All faults of that phase and of those before; none means that the bundle is sound as far as it was looked at. */
  readonly faults: readonly Fault[];
  /** How the load went; only when the level `run` was reached and found nothing wrong. */
  readonly status?: LoadStatus;
}

/** Checks a bundle in up to three phases, each reporting all its faults; a phase with faults is the last. */
export async function checkBundleFiles(files: BundleFiles, options: CheckOptions = {}): Promise<CheckReport> {
  const { level = CHECK_LEVELS.hashes, engine, onProgress, signal } = options;
  const memoryBytes = options.memoryBytes ?? engine?.memoryBytes;
  const lookup = {
    memoryBytes,
    domains: domainRegistry(options.domains),
    samplers: { ...BUILT_IN_SAMPLERS, ...options.samplers },
  };
  onProgress?.({ stage: "structure" });
  const { bundle, faults } = await checkStructure(files, lookup);
  const world = bundle === undefined ? {} : { worldId: bundle.manifest.id };
  if (bundle === undefined || faults.length > 0 || level === CHECK_LEVELS.structure) {
    return { ...world, level: CHECK_LEVELS.structure, faults };
  }
  const tell = onProgress && ((fraction: number): void => onProgress({ stage: "hashes", fraction }));
  const wrong = await checkHashes(files, bundle.manifest, { onProgress: tell, signal });
  if (wrong.length > 0 || level === CHECK_LEVELS.hashes || engine === undefined) {
    return { ...world, level: CHECK_LEVELS.hashes, faults: wrong };
  }
  return { ...world, level: CHECK_LEVELS.run, ...(await checkRun({ ...lookup, bundle, engine, onProgress, signal })) };
}
