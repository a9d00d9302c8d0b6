import {
  BACKENDS,
  inferenceConfig,
  type InferenceConfig,
  type InferenceRuntime,
  type LoadProgress,
  type ModelAdapter,
} from "@dreamloop/core";
import { checkConfigSupport, distributionOf } from "@dreamloop/core/internal";
import { PooledRuntime, type PoolWorker, type StartWorkerOptions } from "@dreamloop/node";
import { inheritedEnvironment } from "../supervisor/inherited-environment.ts";
import { devicesOfWorker } from "./device-environment.ts";

/** Where one worker of a world in Python runs. */
export interface WorkerPlace {
  /** Processes that run it together. */
  readonly ranks: number;
  /** Variables beside the environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** What `startPool` takes. */
export interface StartPoolOptions {
  /** The world, which says what devices it takes. */
  readonly adapter: ModelAdapter;
  /** The configuration of all workers. */
  readonly config: InferenceConfig;
  /** How errors name the world. */
  readonly label: string;
  /** Cancels the load. */
  readonly signal: AbortSignal;
  /** Told about the load. */
  readonly onProgress: (progress: LoadProgress) => void;
  /** Starts one worker. */
  readonly startWorker: (config: InferenceConfig, place: WorkerPlace, how: StartWorkerOptions) => Promise<PoolWorker>;
}

/**
 * Starts a world in Python as its configuration spreads it: `workers` of one process or of several `ranks` each, on `devices`. Throws `unsupported_config`
 * for devices that the world does not take, before anything starts.
 */
export function startPool(options: StartPoolOptions): Promise<InferenceRuntime> {
  const { adapter, config, label, signal, onProgress, startWorker } = options;
  const { workers, ranks, devices } = distributionOf(config.resourceHints);
  const { workers: _workers, ranks: _ranks, devices: _devices, ...resourceHints } = config.resourceHints;
  const visible = inheritedEnvironment().CUDA_VISIBLE_DEVICES;
  const plans = Array.from({ length: workers }, (_, index) => {
    const { device, env } = devicesOfWorker({ devices, ranks, index, config, visible });
    const own = inferenceConfig({
      ...config,
      backend: BACKENDS.local,
      resourceHints,
      ...(device === undefined ? {} : { device }),
    });
    checkConfigSupport(adapter, own);
    return { own, place: { ranks, env } };
  });
  return PooledRuntime.start({
    label,
    workers,
    devices,
    signal,
    onProgress,
    startWorker: (index, how) => {
      const { own, place } = plans[index];
      return startWorker(own, place, how);
    },
  });
}
