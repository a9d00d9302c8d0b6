import type { EngineFacts } from "./engine.ts";
import type { ReferenceEnvironment } from "../manifest/world-manifest.ts";

/** What decides about the bits of a frame, of the engine that runs here. */
export function engineEnvironment(engine: EngineFacts, threads: number): ReferenceEnvironment {
  return { engine: engine.name, engineVersion: engine.version, processor: engine.processor, threads };
}

/** An environment in one line for people. */
export function describeEnvironment({ engine, engineVersion, processor, threads }: ReferenceEnvironment): string {
  return `${engine} ${engineVersion} on ${processor}, ${threads} ${threads === 1 ? "thread" : "threads"}`;
}

/** Why frames made in `recorded` cannot be asked bit for bit of `running`; absent where they can. */
export function whyNotBits(
  recorded: ReferenceEnvironment | undefined,
  running: ReferenceEnvironment,
): string | undefined {
  if (recorded === undefined) return "the manifest does not say where the reference frames were made";
  const names = ["engine", "engineVersion", "processor", "threads"] as const;
  const differences = names
    .filter((name) => recorded[name] !== running[name])
    .map((name) => `${name} ${JSON.stringify(recorded[name])} there, ${JSON.stringify(running[name])} here`);
  if (differences.length === 0) return undefined;
  return `the reference frames were made elsewhere: ${differences.join("; ")}`;
}
