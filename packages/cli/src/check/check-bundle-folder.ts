import { CHECK_LEVELS, type Fault } from "@dreamloop/onnx";
import { WORLD_DOMAINS } from "../lookup/bundle-world.ts";
import type { CliContext } from "../program/cli-command.ts";
import type { CheckItem } from "./check-result.ts";

/** The phases in their order. */
const PHASES = [
  [CHECK_LEVELS.structure, "manifest, paths, sizes, graph inputs and outputs"],
  [CHECK_LEVELS.hashes, "the hash of every file"],
  [CHECK_LEVELS.run, "every graph loads, and a step runs"],
] as const;

/** Checks a bundle in its phases; a phase with faults is the last. */
export async function checkBundleFolder(
  { host, terminal, interruption }: CliContext,
  folder: string,
  options: { readonly label: string; readonly run: boolean },
): Promise<{ readonly faults: readonly Fault[]; readonly checks: readonly CheckItem[] }> {
  const { checkBundle } = await import("@dreamloop/onnx/node");
  const progress = terminal.startProgress(`check ${options.label}`, "phases");
  const level = options.run ? CHECK_LEVELS.run : CHECK_LEVELS.hashes;
  let lastSeconds = -Infinity;
  const report = await checkBundle(folder, {
    level,
    domains: WORLD_DOMAINS,
    signal: interruption.signal,
    onProgress: ({ stage, fraction }) => {
      const now = host.clock.nowSeconds();
      if (fraction !== undefined && now - lastSeconds < 0.1) return;
      lastSeconds = now;
      progress?.stage(fraction === undefined ? stage : `${stage} ${Math.round(fraction * 100)} %`);
    },
  });
  terminal.endProgress();
  const reached = PHASES.findIndex(([phase]) => phase === report.level);
  const wanted = PHASES.findIndex(([phase]) => phase === level);
  const checks = PHASES.slice(0, wanted + 1).map(([, name], index): CheckItem => {
    if (index > reached) return { name, outcome: "skipped", message: "mend the faults before it" };
    const failed = index === reached && report.faults.length > 0;
    return failed ? { name, outcome: "failed", message: faultCount(report.faults) } : { name, outcome: "passed" };
  });
  return { faults: report.faults, checks };
}

function faultCount(faults: readonly Fault[]): string {
  return faults.length === 1 ? "1 fault" : `${faults.length} faults`;
}
