import { DreamloopError, ERROR_CODES, inferenceConfig, type LoadProgress, type ModelAdapter } from "@dreamloop/core";
import { finite, isPlainObject } from "@dreamloop/core/internal";
import { bundleAdapter } from "./bundle-adapter.ts";
import { openBundle, type Bundle } from "../plan/open-bundle.ts";
import { CHECK_LEVELS, checkBundleFiles } from "./check-bundle.ts";
import { bundleError } from "../faults/fault.ts";
import type { DomainSource } from "../plan/world-domain.ts";
import type { Engine } from "../load/engine.ts";
import type { BundleFiles } from "../manifest/bundle-files.ts";
import { MAX_REFERENCE_FRAMES } from "../manifest/reference-schema.ts";
import type { ReferenceEnvironment } from "../manifest/world-manifest.ts";
import type { SamplerRegistry } from "../plan/samplers/sampler.ts";
import { stepsForFrames } from "../load/reference-check.ts";
import { engineEnvironment } from "../load/reference-environment.ts";
import { withManifest, withoutReference, type RawManifest } from "../manifest/reference-manifest.ts";

/** Frames of a reference unless told otherwise: with one, nothing that a step hands on to the next would be looked at. */
export const DEFAULT_REFERENCE_FRAMES = 2;

/** How reference frames are made. */
export interface RecordReferenceOptions {
  /** What runs the graphs. */
  readonly engine: Engine;
  /** Frames to keep, 1 to `MAX_REFERENCE_FRAMES`; default `DEFAULT_REFERENCE_FRAMES`. */
  readonly frames?: number | undefined;
  /** Domains, as a list or by their ids; default none. */
  readonly domains?: DomainSource | undefined;
  /** Samplers by name, beside the built-in ones; default none. */
  readonly samplers?: SamplerRegistry | undefined;
  /** Told about progress. */
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** Cancels the work. */
  readonly signal?: AbortSignal | undefined;
}

/** The first frames of a world. */
export interface RecordedReference {
  /** The manifest as it is now, the old reference included. */
  readonly raw: RawManifest;
  /** The frames, one after the other, packed RGB8. */
  readonly pixels: Uint8Array;
  /** How many they are. */
  readonly count: number;
  /** Where they were made. */
  readonly environment: ReferenceEnvironment;
}

/**
 * Loads a bundle and keeps its first frames with seed 0, the neutral action, default inputs and default configuration. A reference
 * that it has already is overlooked. Throws `bundle_invalid` with every fault, or what goes wrong in the load.
 */
export async function recordReference(files: BundleFiles, options: RecordReferenceOptions): Promise<RecordedReference> {
  const { engine, domains, samplers, onProgress, signal } = options;
  const count = finite({ integer: true, min: 1, max: MAX_REFERENCE_FRAMES })(
    options.frames ?? DEFAULT_REFERENCE_FRAMES,
    "frames",
  );
  const { raw, faults } = await openBundle(files);
  if (!isPlainObject(raw)) throw bundleError(files.location, faults);
  const bundle = await soundBundle(withManifest(files, withoutReference(raw)), options);
  const kept: Uint8Array[] = [];
  const adapter: ModelAdapter = bundleAdapter({
    bundle,
    engine,
    domains,
    samplers,
    verifyHashes: false,
    warmUpSteps: stepsForFrames(bundle.manifest, count),
    onWarmUpFrame: (frame) => void (kept.length < count && kept.push(frame.slice())),
  });
  const runtime = await adapter.createRuntime(inferenceConfig({ modelId: adapter.modelId }), {
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  await runtime.close();
  if (kept.length < count) {
    throw new DreamloopError(
      ERROR_CODES.loadFailed,
      `world ${JSON.stringify(adapter.modelId)}: expected ${count} frames for a reference, found ${kept.length}; ask for fewer`,
    );
  }
  const environment = engineEnvironment(await engine.facts(), engine.defaultThreads);
  return { raw, pixels: joined(kept), count, environment };
}

async function soundBundle(files: BundleFiles, options: RecordReferenceOptions): Promise<Bundle> {
  const { domains, samplers, onProgress, signal } = options;
  const level = CHECK_LEVELS.hashes;
  const { faults } = await checkBundleFiles(files, { level, domains, samplers, onProgress, signal });
  if (faults.length > 0) throw bundleError(files.location, faults);
  const opening = await openBundle(files);
  if (opening.bundle === undefined) throw bundleError(files.location, opening.faults);
  return opening.bundle;
}

function joined(frames: readonly Uint8Array[]): Uint8Array {
  const pixels = new Uint8Array(frames.reduce((sum, frame) => sum + frame.length, 0));
  let at = 0;
  for (const frame of frames) {
    pixels.set(frame, at);
    at += frame.length;
  }
  return pixels;
}
