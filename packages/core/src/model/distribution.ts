import { finite, listOf, optional, refuse, text, withDefault, type Json } from "../foundation/validate/reader.ts";

/** How one world is spread over workers and devices of this machine. */
export interface WorkerDistribution {
  /** Workers, each with its own weights; sessions are placed on the least loaded. */
  readonly workers: number;
  /** Processes that run one world together, in each worker. */
  readonly ranks: number;
  /** Devices that the workers get in turn, such as `cuda:0`; empty: each chooses by itself. */
  readonly devices: readonly string[];
}

/** Workers that a pool may have. */
export const MAX_WORKERS = 64;

/** Processes that may run one world together. */
export const MAX_RANKS = 64;

/** The names of `InferenceConfig.resourceHints` that spread a world over workers, ranks and devices. */
export const DISTRIBUTION_HINTS = ["workers", "ranks", "devices"] as const;

type Hints = { readonly [key: string]: Json };

/** The first hint that spreads a world; absent when there is none. */
export function distributionHint(hints: Hints): (typeof DISTRIBUTION_HINTS)[number] | undefined {
  return DISTRIBUTION_HINTS.find((name) => Object.hasOwn(hints, name));
}

const readDevices = optional(listOf(text({ maxLength: 200 }), { max: MAX_WORKERS * MAX_RANKS }));

/**
 * What `resourceHints` ask for: `workers` (1 to 64; default one for each device, or for each `ranks` devices), `ranks` (1 to 64; default 1), and `devices`, a
 * list or its names joined by commas. Throws `invalid_value`, also when none of them is given or the devices do not suffice for every rank.
 */
export function distributionOf(hints: Hints): WorkerDistribution {
  if (distributionHint(hints) === undefined) {
    refuse("InferenceConfig.resourceHints", "workers, ranks or devices for the backend local-distributed", hints);
  }
  const path = "InferenceConfig.resourceHints";
  const given = typeof hints.devices === "number" ? String(hints.devices) : hints.devices;
  const listed = typeof given === "string" ? given.split(",").map((name) => name.trim()) : given;
  const devices =
    readDevices(
      Array.isArray(listed) ? listed.map((name: unknown) => (typeof name === "number" ? String(name) : name)) : listed,
      `${path}.devices`,
    ) ?? [];
  const ranks = withDefault(finite({ integer: true, min: 1, max: MAX_RANKS }), 1)(hints.ranks, `${path}.ranks`);
  if (devices.length > 0 && devices.length < ranks) {
    refuse(`${path}.devices`, `at least ${ranks} devices, one for each rank`, devices);
  }
  const usual = Math.min(MAX_WORKERS, Math.max(1, Math.floor(devices.length / ranks)));
  const workers = withDefault(finite({ integer: true, min: 1, max: MAX_WORKERS }), usual)(
    hints.workers,
    `${path}.workers`,
  );
  return { workers, ranks, devices };
}
