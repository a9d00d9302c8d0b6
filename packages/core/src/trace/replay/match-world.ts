import { DreamloopError, ERROR_CODES, isDreamloopError } from "../../foundation/dreamloop-error.ts";
import type { RunStart } from "../../rollout/run-observer.ts";
import { planRun, type RunPlan, type RunPlanOptions } from "../../rollout/run-plan.ts";
import type { Json } from "../../foundation/validate/reader.ts";
import { DREAMLOOP_VERSION } from "../../foundation/version.ts";
import type { TraceHeader } from "../format/trace-records.ts";
import { REPLAY_LEVELS, type ReplayLevel } from "./replay-options.ts";

/**
 * Runtime facts whose names end in `Hash` say which weights run, so that they must be the same. All others tell of the machine and the
 * engine: when they differ, frames may too, and the replay names them.
 */
const IDENTITY_FACT = /hash$/i;

/** Plans the replay before anything loads. Throws `replay_refused` naming what does not match when the world cannot be the recorded one. */
export function planReplay(
  header: TraceHeader,
  options: RunPlanOptions,
  how: { readonly level: ReplayLevel; readonly allowVersionMismatch: boolean },
): RunPlan {
  const { adapter } = options;
  if (adapter.modelId !== header.config.modelId) refuseReplay("world", header.config.modelId, adapter.modelId);
  let plan: RunPlan;
  try {
    plan = planRun(options);
  } catch (error) {
    if (!isDreamloopError(error)) throw error;
    throw new DreamloopError(ERROR_CODES.replayRefused, `the world does not take this trace: ${error.message}`, {
      cause: error,
    });
  }
  if (how.allowVersionMismatch) return plan;
  const { versions } = plan;
  for (const name of namesOf(header.versions, versions).filter((name) => isUsed(name, how.level))) {
    if (header.versions[name] !== versions[name]) refuseReplay(name, header.versions[name], versions[name]);
  }
  return plan;
}

/** At the level of model inputs converters and mapping have no part in the run, so that their versions do not matter. */
function isUsed(name: string, level: ReplayLevel): boolean {
  return level === REPLAY_LEVELS.userEvents || name.startsWith("adapter:");
}

/** Refuses a loaded world that is not the recorded one: other weights, another size, rate or pixel format. Throws `replay_refused`. */
export function requireSameRuntime(header: TraceHeader, start: RunStart, allowVersionMismatch: boolean): void {
  if (start.description.worldId !== header.worldId) {
    refuseReplay("world", header.worldId, start.description.worldId);
  }
  const expected = header.description as unknown as Readonly<Record<string, Json>>;
  const found = start.description as unknown as Readonly<Record<string, Json>>;
  for (const name of namesOf(expected, found)) {
    if (expected[name] !== found[name]) refuseReplay(`session description, ${name}`, expected[name], found[name]);
  }
  if (allowVersionMismatch) return;
  for (const name of namesOf(header.runtimeFacts, start.runtimeFacts).filter((fact) => IDENTITY_FACT.test(fact))) {
    const [recorded, loaded] = [header.runtimeFacts[name], start.runtimeFacts[name]];
    if (JSON.stringify(recorded) !== JSON.stringify(loaded)) refuseReplay(name, recorded, loaded);
  }
}

/** What of machine, engine and versions is not as recorded, one line each. */
export function environmentDifferences(
  header: TraceHeader,
  start: RunStart,
  environment: { readonly [key: string]: Json } | undefined,
  level: ReplayLevel,
): readonly string[] {
  const used = (versions: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(versions).filter(([name]) => isUsed(name, level)));
  return [
    ...differences("dreamloop", header.dreamloopVersion, DREAMLOOP_VERSION),
    ...(environment === undefined ? [] : differences("environment", header.environment, environment)),
    ...differences("runtime", header.runtimeFacts, start.runtimeFacts),
    ...differences("versions", used(header.versions), used(start.versions)),
  ];
}

function differences(path: string, recorded: Json | undefined, found: Json | undefined): readonly string[] {
  if (JSON.stringify(recorded) === JSON.stringify(found)) return [];
  if (isMapping(recorded) && isMapping(found)) {
    return namesOf(recorded, found).flatMap((name) => differences(`${path}.${name}`, recorded[name], found[name]));
  }
  return [`${path}: ${shown(recorded)} → ${shown(found)}`];
}

function isMapping(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function namesOf(first: object, second: object): readonly string[] {
  return [...new Set([...Object.keys(first), ...Object.keys(second)])];
}

function shown(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 117)}…` : text;
}

function refuseReplay(what: string, recorded: Json | undefined, found: Json | undefined): never {
  throw new DreamloopError(
    ERROR_CODES.replayRefused,
    `${what}: the trace was recorded with ${shown(recorded)}, this is ${shown(found)}; use what was recorded, or allow the mismatch where it is a version`,
    { details: { what, recorded: recorded ?? null, found: found ?? null } },
  );
}
