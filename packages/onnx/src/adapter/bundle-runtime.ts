import {
  chosenModelConfig,
  DreamloopError,
  ERROR_CODES,
  type InferenceConfig,
  type InferenceRuntime,
  type Json,
  type ModelInputs,
  type SessionDescription,
  type StartSessionOptions,
} from "@dreamloop/core";
import type { EngineFacts } from "../load/engine.ts";
import type { LoadedBundle } from "../load/loaded-bundle.ts";
import type { ReferenceCheck } from "../load/reference-check.ts";
import type { Lease } from "../load/shared-loads.ts";
import type { SamplerRegistry } from "../plan/samplers/sampler.ts";
import { BundleSession } from "../session/bundle-session.ts";
import type { SessionWorld } from "../session/session-world.ts";
import type { BundleSettings } from "./bundle-settings.ts";

/** How the load of a bundle went. */
export interface LoadStatus {
  /** What came of comparing the first frames with the reference frames. */
  readonly referenceCheck: ReferenceCheck;
  /** Where what runs is not what was asked for; empty where it is. */
  readonly fallbacks: readonly Fallback[];
}

/** What a runtime is made of. */
export interface BundleRuntimeOptions {
  /** A share in the weights, given back by `close`. */
  readonly lease: Lease<LoadedBundle>;
  /** What its sessions share. */
  readonly world: SessionWorld;
  /** The settings in force. */
  readonly settings: BundleSettings;
  /** Sessions at a time. */
  readonly maxSessions: number;
  /** What sessions deliver. */
  readonly description: SessionDescription;
  /** The samplers by name. */
  readonly samplers: SamplerRegistry;
  /** What large products compute in. */
  readonly precision: "fp32" | "fp16";
  /** What the configuration asks to run on; absent: the engine's first device. */
  readonly device?: string | undefined;
  /** Id and version of the domain; absent where there is none. */
  readonly domainVersion: string | undefined;
  /** How the load went. */
  readonly status: LoadStatus;
}

/** A loaded bundle with its settings; its sessions own their state and share the weights. */
export class BundleRuntime implements InferenceRuntime {
  /** How many sessions may be active at a time. */
  readonly maxSessions: number;
  readonly #options: BundleRuntimeOptions;
  readonly #sessions = new Set<BundleSession>();
  #starting = 0;
  #closing: Promise<void> | undefined;

  /** Takes over the lease: `close` gives it back. */
  constructor(options: BundleRuntimeOptions) {
    this.#options = options;
    this.maxSessions = options.maxSessions;
  }

  /** What its sessions deliver. */
  describe(): SessionDescription {
    return this.#options.description;
  }

  /** Starts a rollout. Throws `busy` when all places are taken, `closed`, or what is wrong with the inputs. */
  async startSession(inputs: ModelInputs, { seed, signal }: StartSessionOptions): Promise<BundleSession> {
    this.#refuseClosed();
    if (this.#sessions.size + this.#starting >= this.maxSessions) {
      throw new DreamloopError(
        ERROR_CODES.busy,
        `world ${JSON.stringify(this.#options.description.worldId)}: all ${this.maxSessions} places for sessions are taken`,
        { retryable: true },
      );
    }
    this.#starting += 1;
    try {
      const onClose = (): void => void this.#sessions.delete(session);
      const session: BundleSession = await BundleSession.start(this.#options.world, inputs, { seed, signal, onClose });
      this.#sessions.add(session);
      if (this.#closing !== undefined) session.close();
      this.#refuseClosed();
      return session;
    } finally {
      this.#starting -= 1;
    }
  }

  /** How the load went. */
  get status(): LoadStatus {
    return this.#options.status;
  }

  /** What a trace has to know to be repeated: weights, engine, threads, precision, sampler, cache; and how the load went. */
  facts(): { readonly [key: string]: Json } {
    const { lease, world, settings, samplers, domainVersion, status, device, precision } = this.#options;
    const { engine } = lease.value;
    const used = new Set(sampleNames(world));
    return {
      bundleFormat: world.manifest.formatVersion,
      modelVersion: world.manifest.model.version ?? "",
      weightHashes: Object.fromEntries(
        Object.entries(world.manifest.files).map(([path, { sha256 }]) => [path, sha256]),
      ),
      engine: engine.name,
      engineVersion: engine.version,
      providers: [...engine.providers],
      ...(device === undefined ? {} : { device }),
      processor: engine.processor,
      threads: settings.threads,
      precision,
      ...(world.manifest.weights === "fp16" ? { weights: "fp16" } : {}),
      quantisation: "none",
      denoisingSteps: settings.denoisingSteps ?? "default",
      cachePolicy: settings.cachePolicy.kind,
      caches: Object.fromEntries([...settings.spans].map(([name, { window, sink }]) => [name, { window, sink }])),
      samplers: Object.fromEntries([...used].map((name) => [name, samplers[name]?.version ?? ""])),
      ...(domainVersion === undefined ? {} : { domain: domainVersion }),
      fallbacks: status.fallbacks.map((fallback) => ({ ...fallback })),
      referenceCheck: { ...status.referenceCheck },
    };
  }

  /** Closes all sessions and gives the weights back; idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  /** The same as `close`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #end(): Promise<void> {
    for (const session of [...this.#sessions]) session.close();
    await this.#options.lease.release();
  }

  #refuseClosed(): void {
    if (this.#closing === undefined) return;
    throw new DreamloopError(ERROR_CODES.closed, "InferenceRuntime: used after it was closed; create a new one");
  }
}

function sampleNames({ plan }: SessionWorld): readonly string[] {
  const items = [...plan.start, ...plan.firstStep, ...plan.firstFinalize, ...plan.step, ...plan.finalize];
  return items.flatMap((item) => (item.type === "sample" || item.type === "add_noise" ? [item.sampler] : []));
}

/** Something that was asked for, and what is used in its place. */
export interface Fallback {
  /** The setting, such as `precision`. */
  readonly setting: string;
  /** What was asked for. */
  readonly asked: string;
  /** What is used. */
  readonly used: string;
}

/** Where what runs is not what was asked for: the precision, the engine's providers, the threads. */
export function fallbacksOf(
  config: InferenceConfig,
  { precision, engine }: { readonly precision: string; readonly engine: EngineFacts },
): readonly Fallback[] {
  const { askedProviders, providers, availableThreads } = engine;
  const { threads } = chosenModelConfig(config);
  const found: Fallback[] = [];
  if (config.precision !== precision) found.push({ setting: "precision", asked: config.precision, used: precision });
  if (askedProviders.join() !== providers.join()) {
    found.push({ setting: "providers", asked: askedProviders.join(", "), used: providers.join(", ") });
  }
  if (threads !== undefined && threads > availableThreads) {
    const used = `${threads} that share ${availableThreads} at the same time`;
    found.push({ setting: "threads", asked: String(threads), used });
  }
  return found;
}
