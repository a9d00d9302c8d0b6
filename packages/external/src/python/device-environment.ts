import type { InferenceConfig } from "@dreamloop/core";

/** What a worker runs on. */
export interface WorkerDevices {
  /** What its configuration says; absent: what the configuration of all says. */
  readonly device?: string;
  /** Variables that keep the other devices out of its sight. */
  readonly env: Readonly<Record<string, string>>;
}

/** The variable that limits a process to some of the devices of CUDA or ROCm. */
const VISIBLE = "CUDA_VISIBLE_DEVICES";

/**
 * The devices of one worker of a pool: `devices` are given out in turn, `ranks` to each. `cuda:1` and `1` make the second device the only one that it
 * sees, as `cuda:0`; others, such as `cpu` and `mps`, only stand in its configuration. Where this program sees only some devices itself, numbers count those.
 */
export function devicesOfWorker(given: {
  /** All devices of the pool. */
  readonly devices: readonly string[];
  /** Devices that each worker gets. */
  readonly ranks: number;
  /** Which worker it is. */
  readonly index: number;
  /** The configuration of all. */
  readonly config: Pick<InferenceConfig, "device">;
  /** What `CUDA_VISIBLE_DEVICES` says to this program. */
  readonly visible?: string | undefined;
}): WorkerDevices {
  const { devices, ranks, index, config, visible } = given;
  if (devices.length === 0) return { env: {} };
  const own = Array.from({ length: ranks }, (_, rank) => devices[(index * ranks + rank) % devices.length]);
  const numbered = own.map((name) => /^(?:([a-z]\w*):)?(\d+)$/.exec(name));
  const [, kind] = numbered[0] ?? [];
  if (numbered.some((match) => match === null)) return { device: own[0], env: {} };
  const known = visible === undefined || visible === "" ? undefined : visible.split(",");
  const numbers = numbered.map((match) => {
    const number = match?.[2] ?? "";
    return known?.[Number(number)] ?? number;
  });
  return { device: kind ?? kindOf(config.device) ?? "cuda", env: { [VISIBLE]: numbers.join(",") } };
}

function kindOf(device: string | undefined): string | undefined {
  return device?.split(":")[0];
}
