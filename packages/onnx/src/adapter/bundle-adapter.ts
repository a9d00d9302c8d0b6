import {
  chosenModelConfig,
  type Clock,
  type CreateRuntimeOptions,
  type DeviceConverter,
  type InferenceConfig,
  type InputMapping,
  type ModelAdapter,
  type ModelInputSchema,
  modelInputSchema,
  sessionDescription,
  type SessionDescription,
} from "@dreamloop/core";
import { MAX_PROMPT_SUGGESTIONS } from "@dreamloop/core/internal";
import { z } from "zod";
import { memoryFaults, memoryNeed, sessionsThatFit } from "../check/check-memory.ts";
import { bundleError } from "../faults/fault.ts";
import type { Engine } from "../load/engine.ts";
import { type LoadedBundle, loadGraphs } from "../load/loaded-bundle.ts";
import { type ReferenceCheck, ReferenceComparer, skippedCheck } from "../load/reference-check.ts";
import { engineEnvironment } from "../load/reference-environment.ts";
import { SharedLoads } from "../load/shared-loads.ts";
import { bindDomain, type DomainBinding } from "../plan/bind-domain.ts";

import type { Bundle } from "../plan/open-bundle.ts";
import { PromptEncoder } from "../plan/prompt-encoder.ts";
import { BUILT_IN_SAMPLERS } from "../plan/samplers/built-in-samplers.ts";
import type { SamplerRegistry } from "../plan/samplers/sampler.ts";
import { domainRegistry, type DomainSource } from "../plan/world-domain.ts";
import { InitialEncoder } from "../session/initial-encoder.ts";
import type { SessionWorld } from "../session/session-world.ts";

import { actionConverters, bundleMapping } from "./bundle-mapping.ts";
import { BundleRuntime, fallbacksOf } from "./bundle-runtime.ts";
import {
  adapterSupport,
  bundlePrecision,
  type BundleSettings,
  bundleSettings,
  settingsKey,
  whyNotDefault,
} from "./bundle-settings.ts";
import { bundleInputSchema } from "./input-schema.ts";
import { warmUpBundle } from "./warm-up.ts";

/** Sessions that one runtime has at most, unless told otherwise: a bound on memory, as the weights are shared. */
export const DEFAULT_MAX_BUNDLE_SESSIONS = 64;

/** What `bundleAdapter` takes. */
export interface BundleAdapterOptions {
  /** The bundle, opened by `openBundle`. */
  readonly bundle: Bundle;
  /** What runs its graphs. */
  readonly engine: Engine;
  /** Domains, as a list or by their ids; default none. */
  readonly domains?: DomainSource | undefined;
  /** Samplers by name, beside the built-in ones; default none. */
  readonly samplers?: SamplerRegistry | undefined;
  /** Weights that are shared with other adapters; default: shared among the runtimes of this adapter only. */
  readonly loads?: SharedLoads<LoadedBundle> | undefined;
  /** For timings of the graphs; absent: none are taken. */
  readonly clock?: Clock | undefined;
  /** Whether the SHA-256 of every file is compared at each load; default true. */
  readonly verifyHashes?: boolean | undefined;
  /** Steps of the warm-up; default 1, and 2 where the first step is unlike the others. */
  readonly warmUpSteps?: number | undefined;
  /** Told each frame of a warm-up in order as packed RGB8, to be read during the call: what reference frames are written from. */
  readonly onWarmUpFrame?: ((frame: Uint8Array) => void) | undefined;
  /** Memory that weights and states may take, in bytes; default what the engine says. `runtimeOptions.memoryBytes` goes before it. */
  readonly memoryBytes?: number | undefined;
  /** Sessions that one runtime has at most, fewer where no more fit into the memory; default `DEFAULT_MAX_BUNDLE_SESSIONS`. */
  readonly maxSessions?: number | undefined;
}

/** The adapter of a bundle: its runtimes say how their load went. */
export interface BundleModelAdapter extends ModelAdapter {
  /**
   * Loads and warms the world up. Throws `bundle_invalid` with every fault, `load_failed` when the engine refuses a graph or the
   * first frames are not the bundle's reference frames, `bad_frame`, or `cancelled`.
   */
  createRuntime(config: InferenceConfig, options: CreateRuntimeOptions): Promise<BundleRuntime>;
}

/**
 * Makes the adapter of a bundle. Nothing is loaded before `createRuntime`. Throws `bundle_invalid` when the domain is not known
 * or does not fit.
 */
export function bundleAdapter(options: BundleAdapterOptions): BundleModelAdapter {
  const { binding, faults } = bindDomain(options.bundle.manifest, domainRegistry(options.domains));
  if (faults.length > 0) throw bundleError(options.bundle.files.location, faults);
  return new BundleAdapter(options, binding);
}

/** What `InferenceConfig.runtimeOptions` may hold for a bundle. */
const runtimeOptionsSchema = z
  .looseObject({ memoryBytes: z.int().min(1).optional() })
  .superRefine((options, context) => {
    for (const key of Object.keys(options)) {
      if (key === "memoryBytes") continue;
      context.addIssue({
        code: "custom",
        path: [key],
        message: "expected no such option; a bundle has memoryBytes only",
      });
    }
  });

class BundleAdapter implements BundleModelAdapter {
  readonly modelId: string;
  readonly version: string;
  readonly title: string;
  readonly description: string;
  readonly modelInputSchema: ModelInputSchema;
  readonly supports: NonNullable<ModelAdapter["supports"]>;
  readonly runtimeOptionsSchema = runtimeOptionsSchema;
  readonly converters?: readonly DeviceConverter[];
  readonly promptVocabulary?: readonly string[];
  readonly promptSuggestions?: readonly string[];
  readonly #options: BundleAdapterOptions;
  readonly #samplers: SamplerRegistry;
  readonly #loads: SharedLoads<LoadedBundle>;
  readonly #prompts: ReadonlyMap<string, PromptEncoder>;
  readonly #mapping: InputMapping;
  readonly #domain: DomainBinding | undefined;

  constructor(options: BundleAdapterOptions, domain: DomainBinding | undefined) {
    const { bundle, engine } = options;
    const { manifest } = bundle;
    this.#options = options;
    this.#domain = domain;
    this.#samplers = { ...BUILT_IN_SAMPLERS, ...options.samplers };
    this.#loads = options.loads ?? new SharedLoads();
    this.#prompts = promptEncoders(bundle);
    this.#mapping = bundleMapping(bundle, domain, this.#prompts);
    this.modelId = manifest.id;
    this.version = manifest.model.version ?? "1";
    this.title = manifest.title;
    this.description = manifest.description;
    this.modelInputSchema = modelInputSchema(bundleInputSchema(manifest));
    this.supports = adapterSupport(bundle, engine);
    const converters = domain?.domain.converters ?? actionConverters(manifest, this.#mapping);
    if (converters !== undefined) this.converters = converters;
    const words = promptWords(bundle);
    if (words.length > 0) this.promptVocabulary = words;
    const suggestions = promptSuggestions(bundle);
    if (suggestions.length > 0) this.promptSuggestions = suggestions;
  }

  defaultInputMapping(): InputMapping {
    return this.#mapping;
  }

  validateConfig(config: InferenceConfig): void {
    this.#settings(config);
  }

  describe(config?: InferenceConfig): SessionDescription {
    const { bundle, engine } = this.#options;
    return describeBundle(bundle, config?.device === undefined || config.device === engine.devices[0]);
  }

  async createRuntime(config: InferenceConfig, { signal, onProgress }: CreateRuntimeOptions): Promise<BundleRuntime> {
    const { bundle, engine, verifyHashes = true, domains, maxSessions = DEFAULT_MAX_BUNDLE_SESSIONS } = this.#options;
    const settings = this.#settings(config);
    const { threads } = settings;
    const { device } = config;
    const precision = bundlePrecision(bundle, engine, config);
    const { memoryBytes = this.#options.memoryBytes ?? engine.memoryBytes ?? Infinity } = runtimeOptionsSchema.parse(
      config.runtimeOptions,
    );
    const need = memoryNeed(bundle.manifest, settings.spans);
    const tooLarge = memoryFaults(need, memoryBytes);
    if (tooLarge.length > 0) throw bundleError(bundle.files.location, tooLarge);
    const lease = await this.#loads.acquire({
      key: JSON.stringify([
        bundle.files.location,
        engine.name,
        device ?? engine.devices[0],
        precision,
        threads,
        bundle.manifest.files,
        bundle.manifest.graphs,
      ]),
      load: (loadSignal, tell) =>
        loadGraphs(
          {
            bundle,
            engine,
            threads,
            device,
            precision,
            verifyHashes,
            domains: domainRegistry(domains),
            samplers: this.#samplers,
          },
          loadSignal,
          tell,
        ),
      signal,
      onProgress,
    });
    try {
      const world = this.#world(lease.value, settings);
      const referenceCheck = await this.#warmUpOnce(lease.value, world, settings, { signal, onProgress });
      return new BundleRuntime({
        lease,
        world,
        settings,
        maxSessions: Math.min(maxSessions, sessionsThatFit(need, memoryBytes)),
        description: this.describe(config),
        samplers: this.#samplers,
        device,
        precision,
        status: {
          referenceCheck,
          fallbacks: fallbacksOf(config, { precision, engine: lease.value.engine }),
        },
        domainVersion:
          this.#domain === undefined ? undefined : `${this.#domain.domain.id} ${this.#domain.domain.version}`,
      });
    } catch (error) {
      await lease.release();
      throw error;
    }
  }

  async #warmUpOnce(
    loaded: LoadedBundle,
    world: SessionWorld,
    settings: BundleSettings,
    { signal, onProgress }: CreateRuntimeOptions,
  ): Promise<ReferenceCheck> {
    const { pipeline, referenceFrames } = this.#options.bundle.manifest;
    const key = JSON.stringify([world.identity, referenceFrames ?? null]);
    const known = loaded.warmedUp.get(key);
    if (known !== undefined) return known;
    onProgress?.({ stage: "warm-up" });
    const least = pipeline.firstStep === undefined && pipeline.firstFinalize === undefined ? 1 : 2;
    const { warmUpSteps = least, onWarmUpFrame } = this.#options;
    const reference = this.#reference(loaded, settings);
    const comparer = reference instanceof ReferenceComparer ? reference : undefined;
    await warmUpBundle({
      world,
      mapping: this.#mapping,
      exampleWords: this.#exampleWords(),
      steps: Math.max(warmUpSteps, comparer?.steps ?? 0),
      onFrame: async (frame) => {
        onWarmUpFrame?.(frame);
        await comparer?.take(frame);
      },
      signal,
    });
    const check = reference instanceof ReferenceComparer ? reference.finish() : reference;
    loaded.warmedUp.set(key, check);
    return check;
  }

  /** What the first frames are compared with, or why they are not. */
  #reference({ engine }: LoadedBundle, settings: BundleSettings): ReferenceComparer | ReferenceCheck {
    const { bundle } = this.#options;
    const { files, manifest } = bundle;
    const { referenceFrames: reference } = manifest;
    if (reference === undefined) return skippedCheck("the bundle has no reference frames");
    const other = whyNotDefault(bundle, this.#options.engine, settings);
    if (other !== undefined) return skippedCheck(`reference frames are for the defaults: ${other}`);
    const environment = engineEnvironment(engine, settings.threads);
    return new ReferenceComparer({ files, manifest, reference, environment });
  }

  #exampleWords(): ReadonlyMap<string, string> {
    return new Map([...this.#prompts].map(([name, encoder]) => [name, encoder.words[0] ?? ""]));
  }

  #world(loaded: LoadedBundle, settings: BundleSettings): SessionWorld {
    const { bundle, clock } = this.#options;
    return {
      manifest: bundle.manifest,
      plan: bundle.plan,
      graphs: loaded.graphs,
      constants: loaded.constants,
      samplers: this.#samplers,
      encoder: new InitialEncoder(bundle.manifest.inputs.initial, this.#prompts),
      spans: settings.spans,
      denoisingSteps: settings.denoisingSteps,
      identity: settingsKey(bundle.manifest, settings),
      clock,
    };
  }

  #settings(config: InferenceConfig): BundleSettings {
    bundlePrecision(this.#options.bundle, this.#options.engine, config);
    return bundleSettings(this.#options.bundle, this.#options.engine, chosenModelConfig(config));
  }
}

/** What sessions deliver. Only the engine's first device, the processor, promises the same bits again. */
function describeBundle({ manifest }: Bundle, deterministic: boolean): SessionDescription {
  const { width, height, framesPerSecond, framesPerStep, firstStepFrames = framesPerStep } = manifest.video;
  const { layout, range, colorSpace, inputLatencySteps } = manifest.video;
  return sessionDescription({
    worldId: manifest.id,
    width,
    height,
    framesPerSecond,
    framesPerStep,
    firstStepFrames,
    format: range === "full" ? "rgb8" : "rgbf32",
    layout,
    colorSpace,
    range,
    inputLatencySteps,
    deterministic,
  });
}

function promptEncoders({ manifest, vocabularies }: Bundle): ReadonlyMap<string, PromptEncoder> {
  const encoders = new Map<string, PromptEncoder>();
  for (const [name, input] of Object.entries(manifest.inputs.initial)) {
    if (input.type === "prompt") encoders.set(name, new PromptEncoder(input, vocabularies.get(name) ?? new Map()));
  }
  return encoders;
}

function promptWords({ manifest, vocabularies }: Bundle): readonly string[] {
  const choices = Object.values(manifest.inputs.initial).flatMap((input) =>
    input.type === "choice" ? Object.keys(input.choices) : [],
  );
  return [...new Set([...[...vocabularies.values()].flatMap((words) => [...words.keys()]), ...choices])];
}

function promptSuggestions({ manifest }: Bundle): readonly string[] {
  const offered = Object.values(manifest.inputs.initial).flatMap((input) =>
    input.type === "prompt" ? (input.suggestions ?? []) : [],
  );
  return [...new Set(offered)].slice(0, MAX_PROMPT_SUGGESTIONS);
}
