import {
  BACKENDS,
  inferenceConfig,
  type CreateRuntimeOptions,
  type InferenceConfig,
  type InferenceRuntime,
  type ModelAdapter,
  type SessionDescription,
} from "@dreamloop/core";
import { checkConfigSupport, distributionOf, refuse, type WorkerDistribution } from "@dreamloop/core/internal";
import { importAdapter, type WorldReference } from "../host/world-reference.ts";
import { PooledRuntime } from "./pooled-runtime.ts";
import { ThreadRuntime } from "./thread/thread-runtime.ts";

/**
 * Imports the module and gives its adapter; throws `not_found`, `load_failed` or `invalid_value` naming the module. The adapter takes the backend
 * `local-distributed` too: `resourceHints.workers` threads load the world once more each, with its weights, and share its sessions.
 */
export async function loadAdapter(reference: WorldReference): Promise<ModelAdapter> {
  const adapter = await importAdapter(reference);
  const { backends = [BACKENDS.local] } = adapter.supports ?? {};
  if (backends.includes(BACKENDS.localDistributed) || !backends.includes(BACKENDS.local)) return adapter;
  const inner = { ...ownFields(adapter) };
  return {
    ...inner,
    supports: { ...adapter.supports, backends: [...backends, BACKENDS.localDistributed] },
    defaultInputMapping: () => adapter.defaultInputMapping(),
    validateConfig: (config) => {
      adapter.validateConfig(localConfig(config));
      if (config.backend === BACKENDS.localDistributed) checkWorkers(adapter, config);
    },
    ...(adapter.describe === undefined ? {} : { describe: (config) => describeLocal(adapter, config) }),
    createRuntime: (config, options) =>
      config.backend === BACKENDS.localDistributed
        ? startPool(adapter, reference, config, options)
        : adapter.createRuntime(config, options),
  };
}

function describeLocal(adapter: ModelAdapter, config: InferenceConfig): SessionDescription {
  return adapter.describe?.(localConfig(config)) as SessionDescription;
}

/** What an adapter declares, also where it is an object of a class. */
function ownFields(adapter: ModelAdapter): ModelAdapter {
  const { modelId, version, title, description, modelInputSchema, userInputSchema, converters } = adapter;
  const { runtimeOptionsSchema, promptVocabulary, promptSuggestions } = adapter;
  const declared = { modelId, version, title, description, modelInputSchema, userInputSchema, converters };
  const all = { ...adapter, ...declared, runtimeOptionsSchema, promptVocabulary, promptSuggestions };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as unknown as ModelAdapter;
}

function startPool(
  adapter: ModelAdapter,
  reference: WorldReference,
  config: InferenceConfig,
  { signal, onProgress }: CreateRuntimeOptions,
): Promise<InferenceRuntime> {
  const { workers, devices } = checkWorkers(adapter, config);
  return PooledRuntime.start({
    label: JSON.stringify(adapter.modelId),
    workers,
    devices,
    startWorker: (index, how) => ThreadRuntime.start({ ...how, reference, config: configOfWorker(config, index) }),
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  });
}

/** Refuses what the workers could not do, before anything loads. */
function checkWorkers(adapter: ModelAdapter, config: InferenceConfig): WorkerDistribution {
  const distribution = distributionOf(config.resourceHints);
  if (distribution.ranks > 1) {
    refuse(
      "InferenceConfig.resourceHints.ranks",
      "1, as only worlds in Python run as several ranks",
      distribution.ranks,
    );
  }
  for (const index of distribution.devices.keys()) checkConfigSupport(adapter, configOfWorker(config, index));
  return distribution;
}

/** The configuration of one worker: its device, and nothing of the pool. */
function configOfWorker(config: InferenceConfig, index: number): InferenceConfig {
  const { devices } = distributionOf(config.resourceHints);
  const chosen = devices.length === 0 ? undefined : devices[index % devices.length];
  // A bare number counts devices of the kind that the configuration names.
  const device =
    chosen !== undefined && /^\d+$/.test(chosen) ? `${config.device?.split(":")[0] ?? "cuda"}:${chosen}` : chosen;
  return inferenceConfig({ ...localConfig(config), ...(device === undefined ? {} : { device }) });
}

function localConfig(config: InferenceConfig): InferenceConfig {
  if (config.backend !== BACKENDS.localDistributed) return config;
  const { workers: _workers, ranks: _ranks, devices: _devices, ...resourceHints } = config.resourceHints;
  return inferenceConfig({ ...config, backend: BACKENDS.local, resourceHints });
}
