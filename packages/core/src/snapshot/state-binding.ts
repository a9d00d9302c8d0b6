import {
  BACKENDS,
  configOfCandidate,
  inferenceConfig,
  type InferenceConfig,
  type InferenceConfigInput,
} from "../model/inference-config.ts";
import { DreamloopError, ERROR_CODES } from "../foundation/dreamloop-error.ts";
import {
  sessionDescription,
  type SessionDescription,
  type SessionDescriptionInput,
} from "../model/session-description.ts";
import type { RunPlan } from "../rollout/run-plan.ts";
import { isPlainObject, jsonMapping, mappingOf, text, type Json, type Reader } from "../foundation/validate/reader.ts";
import { made, shape } from "../foundation/validate/record.ts";

/** What a state belongs to: it can be restored where all of this is the same. */
export interface StateBinding {
  /** The adapter's id. */
  readonly modelId: string;
  /** What the session delivers: world, size, rate, pixel format. */
  readonly description: SessionDescription;
  /** The configuration that ran, with one candidate of the model's settings. */
  readonly config: InferenceConfig;
  /** Versions of adapter, mappings and converters by name. */
  readonly versions: Readonly<Record<string, string>>;
  /** What the runtime said of itself: weights, engine, kernels, threads. */
  readonly runtimeFacts: { readonly [key: string]: Json };
}

/** What the states of a run are bound to. */
export function stateBinding(
  plan: Pick<RunPlan, "adapter" | "config" | "candidateIndex" | "versions">,
  description: SessionDescription,
  runtimeFacts: { readonly [key: string]: Json },
): StateBinding {
  const { adapter, config, candidateIndex, versions } = plan;
  return {
    modelId: adapter.modelId,
    description,
    config: configOfCandidate(config, candidateIndex),
    versions,
    runtimeFacts,
  };
}

/** Reads a binding that comes from outside. */
export const readBinding: Reader<StateBinding> = shape<StateBinding>({
  modelId: text({ maxLength: 200 }),
  description: made((value) => sessionDescription(value as SessionDescriptionInput)),
  config: made((value) => inferenceConfig(value as InferenceConfigInput)),
  versions: mappingOf(text({ maxLength: 4096 })),
  runtimeFacts: jsonMapping,
});

/** Facts whose names say which weights ran. */
const WEIGHT_FACT = /hash(es)?$/i;
/** Facts whose names say which engine ran. */
const ENGINE_FACT = /^engine/i;

/** What may differ although the state was bound to it. */
export interface BindingAllowance {
  /** Goes on with another engine or version of it; frames may then differ from those of the uninterrupted run. Default false. */
  readonly allowOtherEngine?: boolean;
}

/**
 * Refuses a state of another world, of other weights, versions, settings or of another engine: `snapshot_refused` names what it was and what
 * is here. Gives what else is not the same, such as threads or processor, one line each: the state can be restored, but exactly the same frames
 * are then promised by nobody.
 */
export function requireSameBinding(
  bound: StateBinding,
  here: StateBinding,
  allowance: BindingAllowance = {},
): readonly string[] {
  if (bound.modelId !== here.modelId) refuseState("world", bound.modelId, here.modelId);
  compare("session description", bound.description, here.description, refuseState);
  compare("configuration", comparable(bound.config), comparable(here.config), refuseState);
  compare("version", bound.versions, here.versions, refuseState);
  const others: string[] = [];
  compare("runtime", bound.runtimeFacts, here.runtimeFacts, (what, its, ours) => {
    const fact = what.slice("runtime.".length);
    const [name = ""] = fact.split(".");
    const mustMatch = WEIGHT_FACT.test(name) || (ENGINE_FACT.test(name) && allowance.allowOtherEngine !== true);
    if (mustMatch) refuseState(WEIGHT_FACT.test(name) ? `weights (${fact})` : fact, its, ours);
    others.push(`${fact}: ${shown(its)} → ${shown(ours)}`);
  });
  return others;
}

/** What of a configuration decides about frames: not how many workers of the same machine share its sessions. */
function comparable({ resourceHints: _, backend, ...config }: InferenceConfig): object {
  return { ...config, backend: backend === BACKENDS.localDistributed ? BACKENDS.local : backend };
}

function compare(
  path: string,
  its: unknown,
  ours: unknown,
  differ: (what: string, its: unknown, ours: unknown) => void,
): void {
  if (isPlainObject(its) && isPlainObject(ours)) {
    for (const name of new Set([...Object.keys(its), ...Object.keys(ours)])) {
      compare(`${path}.${name}`, its[name], ours[name], differ);
    }
  } else if (JSON.stringify(its) !== JSON.stringify(ours)) differ(path, its, ours);
}

function refuseState(what: string, its: unknown, ours: unknown): never {
  throw new DreamloopError(
    ERROR_CODES.snapshotRefused,
    `the snapshot was taken with another ${what}: it has ${shown(its)}, here it is ${shown(ours)}; restore it where it is the same`,
    { details: { what, expected: shown(its), found: shown(ours) } },
  );
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 117)}…` : text;
}
