import { DEFAULT_REFERENCE_FRAMES, MAX_REFERENCE_FRAMES } from "@dreamloop/onnx";
import { finite } from "@dreamloop/core/internal";
import type { Command } from "commander";
import { settling } from "../program/exit-code-of.ts";
import { usageError } from "../program/usage-error.ts";
import { asNumber } from "../settings/setting.ts";
import type { ParsedOptions } from "../settings/given-flags.ts";

/** Reference frames that are to be written before a check. */
export interface ReferenceOrder {
  /** How many. */
  readonly frames: number;
  /** Whether the manifest says where they were made. */
  readonly withEnvironment: boolean;
}

/** Adds the options that ask for reference frames. */
export function addReferenceOptions(command: Command): void {
  command
    .option("--write-reference", "first make the frames that every later load of the bundle is compared with")
    .option("--frames <n>", `how many, 1 to ${MAX_REFERENCE_FRAMES}; default ${DEFAULT_REFERENCE_FRAMES}`)
    .option("--with-environment", "ask for them bit for bit where engine, processor and threads are the same");
}

/** What is to be written; absent: nothing. Refuses options that have no effect without `--write-reference`. */
export function referenceOrder(options: ParsedOptions): ReferenceOrder | undefined {
  const { writeReference = false, frames, withEnvironment = false } = options;
  if (writeReference !== true) {
    if (frames !== undefined) throw usageError("--frames: says how many frames --write-reference makes; add that");
    if (withEnvironment === true) {
      throw usageError("--with-environment: is about the frames that --write-reference makes; add that");
    }
    return undefined;
  }
  const count = frames === undefined ? DEFAULT_REFERENCE_FRAMES : asNumber(frames as string);
  return settling(() => ({
    frames: finite({ integer: true, min: 1, max: MAX_REFERENCE_FRAMES })(count, "--frames"),
    withEnvironment: withEnvironment === true,
  }));
}
