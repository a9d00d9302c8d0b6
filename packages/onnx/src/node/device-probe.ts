import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { isPlainObject } from "@dreamloop/core/internal";
import { offeredDevices } from "./node-devices.ts";

/** Whether worlds in ONNX can run on a device of this machine. */
export interface DeviceState {
  /** Its name, as `InferenceConfig.device` takes it. */
  readonly device: string;
  /** Whether a small model ran on it. */
  readonly isThere: boolean;
  /** Why not, and what to do; absent where it is there. */
  readonly reason?: string;
}

/** Seconds that a device gets for a small model. */
const PROBE_SECONDS = 60;

/** Tries the devices that ONNX Runtime offers on this system with a small model, each in a process of its own, and says which are there. */
export function probeDevices(): Promise<readonly DeviceState[]> {
  return Promise.all(offeredDevices(process.platform, process.arch).map((device) => probeDevice(device)));
}

function probeDevice(device: string): Promise<DeviceState> {
  const program = createRequire(import.meta.url).resolve("@dreamloop/onnx/device-probe");
  return new Promise((resolve) => {
    execFile(process.execPath, [program, device], { timeout: PROBE_SECONDS * 1000 }, (error, stdout) => {
      const reason = reasonIn(stdout) ?? (error === null ? null : `the process that tried it ended: ${endOf(error)}`);
      resolve(reason === null ? { device, isThere: true } : { device, isThere: false, reason });
    });
  });
}

/** What the program wrote: a reason, null where there is none; absent where it wrote nothing of the kind. */
function reasonIn(stdout: string): string | null | undefined {
  try {
    const read: unknown = JSON.parse(stdout);
    if (!isPlainObject(read)) return undefined;
    return typeof read.reason === "string" || read.reason === null ? read.reason : undefined;
  } catch {
    return undefined;
  }
}

function endOf({
  killed,
  signal,
  code,
}: {
  killed?: boolean;
  signal?: NodeJS.Signals | null;
  code?: string | number | null;
}): string {
  if (killed === true) return `nothing came back within ${PROBE_SECONDS} s`;
  return signal ?? `code ${String(code)}`;
}
