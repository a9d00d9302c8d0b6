import type { Fault, LoadStatus } from "@dreamloop/onnx";
import type { DeviceState } from "@dreamloop/onnx/node";
import { messageWithPlace } from "../terminal/author-place.ts";

/** One thing that was looked at. */
export interface CheckItem {
  /** What has to hold. */
  readonly name: string;
  /** Whether it does; `skipped` when it could not be looked at, which is no fault. */
  readonly outcome: "passed" | "failed" | "skipped";
  /** What was found instead, why it was skipped, or what is worth knowing of it. */
  readonly message?: string;
}

/** What a check found: what `--json` prints. */
export interface CheckResult {
  /** What this document is. */
  readonly type: "check";
  /** Version of this layout. */
  readonly version: 1;
  /** The world, as it was named. */
  readonly world: string;
  /** Where it comes from. */
  readonly origin: "bundled" | "package" | "module" | "bundle" | "python";
  /** Whether nothing failed and there are no faults. */
  readonly ok: boolean;
  /** Faults of a bundle, each with file, place, what was expected, what was found and how to mend it. */
  readonly faults: readonly Fault[];
  /** What was looked at, in this order. */
  readonly checks: readonly CheckItem[];
  /** Of a bundle: what it can run on here, and why not on the other devices that ONNX Runtime offers on this system. */
  readonly devices?: readonly DeviceState[];
  /** Of a bundle that was loaded: what came of its reference frames, and where what runs is not what was asked for. */
  readonly status?: LoadStatus;
}

/** Looks at one thing: what `look` throws is what was found instead. */
export async function checkItem(name: string, look: () => void | Promise<void>): Promise<CheckItem> {
  try {
    await look();
    return { name, outcome: "passed" };
  } catch (error) {
    return { name, outcome: "failed", message: messageWithPlace(error) };
  }
}
