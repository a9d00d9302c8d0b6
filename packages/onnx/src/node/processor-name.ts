import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { arch, cpus, platform } from "node:os";

/** Where Linux describes its processors. */
const CPU_INFO_FILE = "/proc/cpuinfo";

/** Lines of that file that say what kernels a library chooses: instruction sets on x86 and ARM, and ARM's names of the core. */
const DECISIVE_LINE = /^(flags|Features|CPU implementer|CPU part)\s*:\s*(.*)$/gm;

/** Where the parts of the name are read from; for tests. */
export interface ProcessorNameOptions {
  /** The text of `/proc/cpuinfo`; default the file, or nothing where there is none. */
  readonly cpuInfo?: string;
  /** The processor's name; default what the system tells. */
  readonly model?: string;
}

/**
 * System, architecture, processor and a short hash of its instruction sets in one text, such as
 * `linux x64, AMD EPYC 7B13, features 0f3c2a9b51de`: where it is the same, the same version of a library computes the same bits.
 * Empty where the system tells neither name nor instruction sets.
 */
export async function processorName(options: ProcessorNameOptions = {}): Promise<string> {
  const model = (options.model ?? cpus()[0]?.model ?? "").trim();
  const cpuInfo = options.cpuInfo ?? (await readFile(CPU_INFO_FILE, "utf8").catch(() => ""));
  const features = featureHash(cpuInfo);
  if (model === "" && features === undefined) return "";
  return [
    `${platform()} ${arch()}`,
    model === "" ? "an unnamed processor" : model,
    ...(features === undefined ? [] : [`features ${features}`]),
  ].join(", ");
}

/** A hash over what the first processor can do, whatever order it is listed in; absent where the system does not tell. */
function featureHash(cpuInfo: string): string | undefined {
  const facts = new Map<string, string>();
  for (const [, name = "", values = ""] of cpuInfo.matchAll(DECISIVE_LINE)) {
    if (!facts.has(name)) facts.set(name, values.split(/\s+/).filter(Boolean).sort().join(" "));
  }
  if (facts.size === 0) return undefined;
  const text = [...facts].map(([name, values]) => `${name}: ${values}`).sort();
  return createHash("sha256").update(text.join("\n")).digest("hex").slice(0, 12);
}
