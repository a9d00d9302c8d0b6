import { CHECK_LEVELS, FAULT_CODES, type CheckReport, type Fault, type LoadStatus } from "@dreamloop/onnx";
import { WORLD_DOMAINS } from "../lookup/bundle-world.ts";
import type { CliContext } from "../program/cli-command.ts";
import { countOf } from "../terminal/format.ts";
import type { CheckItem } from "./check-result.ts";

/** The phases in their order. */
const PHASES = [
  [CHECK_LEVELS.structure, "manifest, paths, sizes, graph inputs and outputs"],
  [CHECK_LEVELS.hashes, "the hash of every file"],
  [CHECK_LEVELS.run, "every graph loads, and a step runs"],
] as const;

/** What a check of a bundle found. */
export interface FolderCheck {
  /** All faults. */
  readonly faults: readonly Fault[];
  /** What was looked at. */
  readonly checks: readonly CheckItem[];
  /** How the load went; absent when it was not tried or failed. */
  readonly status?: LoadStatus;
}

/** Checks a bundle in its phases; a phase with faults is the last. */
export async function checkBundleFolder(
  { host, terminal, interruption }: CliContext,
  folder: string,
  options: { readonly label: string; readonly run: boolean; readonly memoryBytes?: number | undefined },
): Promise<FolderCheck> {
  const { checkBundle } = await import("@dreamloop/onnx/node");
  const progress = terminal.startProgress(`check ${options.label}`, "phases");
  const level = options.run ? CHECK_LEVELS.run : CHECK_LEVELS.hashes;
  let lastSeconds = -Infinity;
  const report = await checkBundle(folder, {
    level,
    memoryBytes: options.memoryBytes,
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
  const { faults, status } = report;
  const checks = [...phaseItems(report, level), ...(options.run ? referenceItems(report) : [])];
  return { faults, checks, ...(status === undefined ? {} : { status }) };
}

function phaseItems({ level: last, faults, status }: CheckReport, level: CheckReport["level"]): readonly CheckItem[] {
  const reached = PHASES.findIndex(([phase]) => phase === last);
  const wanted = PHASES.findIndex(([phase]) => phase === level);
  const others = faults.filter(({ code }) => code !== FAULT_CODES.referenceFrames);
  return PHASES.slice(0, wanted + 1).map(([phase, name], index): CheckItem => {
    if (index > reached) return { name, outcome: "skipped", message: "mend the faults before it" };
    if (index === reached && others.length > 0)
      return { name, outcome: "failed", message: countOf(others.length, "fault") };
    const fallbacks = phase === CHECK_LEVELS.run ? describeFallbacks(status) : "";
    return fallbacks === "" ? { name, outcome: "passed" } : { name, outcome: "passed", message: fallbacks };
  });
}

/** What came of the reference frames, when the load got as far as that. */
function referenceItems({ faults, status }: CheckReport): readonly CheckItem[] {
  const name = "its first frames are the reference frames";
  if (faults.some(({ code }) => code === FAULT_CODES.referenceFrames)) {
    return [{ name, outcome: "failed", message: countOf(faults.length, "fault") }];
  }
  if (status === undefined) return [];
  const { compared, frames, psnr, reason = "" } = status.referenceCheck;
  if (compared === "skipped") return [{ name, outcome: "skipped", message: reason }];
  const alike = psnr === null ? "equal in every bit" : `at least ${psnr} dB alike`;
  const how = compared === "bits" ? "bit for bit" : `${alike}; compared by PSNR, as ${reason}`;
  return [{ name, outcome: "passed", message: `${countOf(frames, "frame")}, ${how}` }];
}

function describeFallbacks(status: LoadStatus | undefined): string {
  const lines = status?.fallbacks.map(({ setting, asked, used }) =>
    asked === "auto" ? `${setting}: auto chose ${used}` : `${setting}: asked for ${asked}, used is ${used}`,
  );
  return lines?.join("\n") ?? "";
}
