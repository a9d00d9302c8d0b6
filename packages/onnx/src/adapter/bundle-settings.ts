import {
  DreamloopError,
  ERROR_CODES,
  modelConfig,
  type AdapterSupport,
  type CachePolicy,
  type InferenceConfig,
  type ModelConfig,
} from "@dreamloop/core";
import type { Bundle } from "../plan/open-bundle.ts";
import type { Engine } from "../load/engine.ts";
import type { WorldManifest } from "../manifest/world-manifest.ts";
import type { PlannedItem, PlannedSample, WorldPlan } from "../plan/world-plan.ts";
import { cacheSpan, type CacheSpan } from "../session/state/cache-span.ts";

/** The settings of a run after the configuration has met the world. */
export interface BundleSettings {
  /** Threads of the engine. */
  readonly threads: number;
  /** Denoising steps of every sample item; absent: each item's default. */
  readonly denoisingSteps: number | undefined;
  /** The policy that was asked for. */
  readonly cachePolicy: CachePolicy;
  /** What each cache keeps. */
  readonly spans: ReadonlyMap<string, CacheSpan>;
}

/** What configurations a bundle supports on an engine. */
export function adapterSupport({ manifest, plan }: Bundle, engine: Engine): AdapterSupport {
  const caches = Object.values(manifest.state).filter((state) => state.update === "append");
  const canKeepAll = caches.length > 0 && caches.every((state) => state.fullLimit !== undefined);
  return {
    backends: ["local"],
    devices: engine.devices,
    precisions: [manifest.precision, "fp16"],
    modelOptions: sampleItems(plan).length > 0 ? ["threads", "denoisingSteps"] : ["threads"],
    cachePolicies: caches.length === 0 ? [] : canKeepAll ? ["rolling", "full"] : ["rolling"],
  };
}

/** What large products compute in. Throws `unsupported_config` with the reason where the weights or the device do not allow what is asked for. */
export function bundlePrecision({ manifest }: Bundle, engine: Engine, config: InferenceConfig): "fp32" | "fp16" {
  if (config.precision !== "fp16") return manifest.precision;
  const device = config.device ?? engine.devices[0] ?? "";
  const kind = device.replace(/:\d+$/, "");
  const refuse = (why: string): never => {
    throw new DreamloopError(ERROR_CODES.unsupportedConfig, `InferenceConfig.precision: fp16: ${why}`);
  };
  if (manifest.weights !== "fp16") {
    return refuse(
      "the weights of this bundle are stored in 32 bits; dreamloop convert BUNDLE --out FOLDER stores them in 16, or leave precision out",
    );
  }
  if (engine.halfPrecisionDevices?.includes(kind) === true) return "fp16";
  const able = engine.halfPrecisionDevices ?? [];
  return refuse(
    `${device} computes in fp32, and weights that are stored in 16 bits are converted as they load; leave precision out${able.length === 0 ? "" : `, or choose a device that computes in 16 bits: ${able.join(", ")}`}`,
  );
}

/** The settings that follow from a configuration. Throws `unsupported_config` where the world cannot do what is asked. */
export function bundleSettings({ manifest, plan }: Bundle, engine: Engine, config: ModelConfig): BundleSettings {
  const { denoisingSteps, cachePolicy } = config;
  if (denoisingSteps !== undefined) checkSteps(plan, denoisingSteps);
  const spans = new Map<string, CacheSpan>();
  const hasValidity = asksForValidity(plan);
  for (const [name, state] of Object.entries(manifest.state)) {
    if (state.update === "append") spans.set(name, cacheSpan(name, state, cachePolicy, hasValidity));
  }
  return { threads: config.threads ?? engine.defaultThreads, denoisingSteps, cachePolicy, spans };
}

/** Why a run shows other frames than one with the defaults; absent where it shows the same. */
export function whyNotDefault(bundle: Bundle, engine: Engine, settings: BundleSettings): string | undefined {
  const { denoisingSteps, spans } = settings;
  const others = sampleItems(bundle.plan).filter(({ defaultSteps }) => defaultSteps !== denoisingSteps);
  if (denoisingSteps !== undefined && others.length > 0) {
    return `denoisingSteps is ${denoisingSteps}, the default is ${others.map((item) => item.defaultSteps).join(", ")}`;
  }
  const usual = bundleSettings(bundle, engine, modelConfig()).spans;
  for (const [name, { window, sink, limit }] of spans) {
    const declared = usual.get(name);
    if (window === declared?.window && sink === declared.sink && limit === declared.limit) continue;
    return `the cache ${JSON.stringify(name)} keeps ${window} + ${sink} entries, not ${declared?.window} + ${declared?.sink}`;
  }
  return undefined;
}

/** Names a world, its weights and the settings that its snapshots depend on. */
export function settingsKey(manifest: WorldManifest, settings: BundleSettings): string {
  const weights = Object.entries(manifest.files).map(([path, { sha256 }]) => `${path}=${sha256.slice(0, 16)}`);
  const steps = settings.denoisingSteps ?? "default";
  const spans = [...settings.spans].map(([name, { window, sink }]) => `${name}=${window}+${sink}`);
  return [manifest.id, ...weights.sort(), `steps=${steps}`, ...spans].join(" ");
}

function checkSteps(plan: WorldPlan, steps: number): void {
  for (const item of sampleItems(plan)) {
    if (item.schedules.has(steps)) continue;
    const allowed = [...item.schedules.keys()].join(", ");
    throw new DreamloopError(
      ERROR_CODES.unsupportedConfig,
      `ModelConfig.denoisingSteps: ${steps} has no schedule in ${item.path}; use one of ${allowed}`,
    );
  }
}

function allItems(plan: WorldPlan): readonly PlannedItem[] {
  return [plan.condition, plan.start, plan.firstStep, plan.firstFinalize, plan.step, plan.finalize].flat();
}

function sampleItems(plan: WorldPlan): readonly PlannedSample[] {
  return allItems(plan).filter((item) => item.type === "sample");
}

/** Whether some graph is told which entries of a cache are valid. */
function asksForValidity(plan: WorldPlan): boolean {
  return allItems(plan)
    .flatMap((item) => (item.type === "graph" || item.type === "sample" ? item.inputs : []))
    .some(
      ({ source }) => source.kind === "state_property" && (source.property === "length" || source.property === "mask"),
    );
}
