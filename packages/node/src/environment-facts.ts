import { readFileSync } from "node:fs";
import { arch, availableParallelism, cpus, endianness, platform, release, totalmem } from "node:os";
import type { Json } from "@dreamloop/core";

/** Where Linux describes its processors. */
const CPU_INFO_FILE = "/proc/cpuinfo";

/** Where facts are read from; for tests. */
export interface EnvironmentFactsOptions {
  /** The text of `/proc/cpuinfo`; default the file, or nothing where there is none. */
  readonly cpuInfo?: string;
}

/**
 * What decides whether two machines give the same frames, and how fast: processor with its instruction sets, cores, memory, operating
 * system, versions of Node and its engine. Plain JSON for traces, statistics and benchmarks. Nothing in it names the machine or its user.
 */
export function environmentFacts(options: EnvironmentFactsOptions = {}): { readonly [key: string]: Json } {
  const processors = cpus();
  const { node, v8, uv } = process.versions;
  return {
    cpuModel: processors[0]?.model.trim() ?? "unknown",
    cpuCores: processors.length,
    cpuAvailable: availableParallelism(),
    cpuFlags: cpuFlags(options.cpuInfo ?? readCpuInfo()),
    arch: arch(),
    endianness: endianness(),
    memoryBytes: totalmem(),
    platform: platform(),
    osRelease: release(),
    nodeVersion: node,
    v8Version: v8,
    uvVersion: uv,
  };
}

/** Instruction sets of the first processor, sorted: `flags` on x86, `Features` on ARM; empty where the system does not tell. */
function cpuFlags(cpuInfo: string): readonly string[] {
  const line = /^(?:flags|Features)\s*:\s*(.*)$/m.exec(cpuInfo);
  return line?.[1]?.split(/\s+/).filter(Boolean).sort() ?? [];
}

function readCpuInfo(): string {
  try {
    return readFileSync(CPU_INFO_FILE, "utf8");
  } catch {
    return "";
  }
}
