import { ERROR_CODES, isDreamloopError } from "@dreamloop/core";
import type { Fault } from "@dreamloop/onnx";
import { WORLD_DOMAINS } from "../lookup/bundle-world.ts";
import type { CliContext } from "../program/cli-command.ts";
import { countOf } from "../terminal/format.ts";
import type { CheckItem } from "./check-result.ts";
import type { ReferenceOrder } from "./reference-order.ts";

/** Writes the reference frames of a bundle; faults that keep it from being loaded are reported as those of a check are. */
export async function writeBundleReference(
  { terminal, interruption }: CliContext,
  folder: string,
  { label, frames, withEnvironment }: ReferenceOrder & { readonly label: string },
): Promise<{ readonly faults: readonly Fault[]; readonly checks: readonly CheckItem[] }> {
  const { writeReference } = await import("@dreamloop/onnx/node");
  const progress = terminal.startProgress(`check ${label}`, "phases");
  const name = "its reference frames are written";
  try {
    const { file, count, environment } = await writeReference(folder, {
      frames,
      withEnvironment,
      domains: WORLD_DOMAINS,
      signal: interruption.signal,
      onProgress: ({ stage }) => progress?.stage(stage),
    });
    const where = environment === undefined ? "" : `, made on ${environment.processor}`;
    return {
      faults: [],
      checks: [{ name, outcome: "passed", message: `${countOf(count, "frame")} in ${file}${where}` }],
    };
  } catch (error) {
    if (!isDreamloopError(error) || error.code === ERROR_CODES.cancelled) throw error;
    const faults = error.code === ERROR_CODES.bundleInvalid ? (error.details.faults as readonly Fault[]) : [];
    const message = faults.length === 0 ? error.message : "mend the faults before it";
    return { faults, checks: [{ name, outcome: "failed", message }] };
  } finally {
    terminal.endProgress();
  }
}
