import { cpus, release, totalmem } from "node:os";

/** The machine and the versions that a measurement was made on. */
export interface MeasurementEnvironment {
  /** Operating system and its version. */
  readonly system: string;
  /** Kind of processor instructions, such as `x64`. */
  readonly architecture: string;
  /** Name of the processor. */
  readonly processor: string;
  /** Its logical cores. */
  readonly logicalCores: number;
  /** Memory of the machine, in bytes. */
  readonly memoryBytes: number;
  /** Versions of Node and the engine below it. */
  readonly versions: { readonly node: string; readonly v8: string };
}

/** Reads what the operating system tells. */
export function measurementEnvironment(): MeasurementEnvironment {
  const processors = cpus();
  return {
    system: `${process.platform} ${release()}`,
    architecture: process.arch,
    processor: processors[0]?.model.trim() ?? "unknown",
    logicalCores: processors.length,
    memoryBytes: totalmem(),
    versions: { node: process.versions.node, v8: process.versions.v8 },
  };
}
