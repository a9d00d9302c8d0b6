import type { Mapping } from "@dreamloop/core";
import type { Tensor } from "../manifest/tensor.ts";
import type { PromptReport } from "./initial-encoder.ts";
import { StateCells } from "./state/state-cells.ts";
import { refuseBrokenState, runItems, type GraphTimes } from "./item-runner.ts";
import { RunScope } from "./run-scope.ts";
import type { SessionWorld } from "./session-world.ts";

/** Reports on prompts by the name of their input. */
export type PromptReports = Readonly<Record<string, PromptReport>>;

/** Everything that one rollout is made of. */
export interface RolloutState {
  /** Seed of every random draw. */
  readonly seed: number;
  /** Index of the next step. */
  readonly stepIndex: number;
  /** The initial inputs as given and amended. */
  readonly given: Mapping;
  /** The same as tensors, defaults included. */
  readonly initial: ReadonlyMap<string, Tensor>;
  /** Values that the phases `condition` and `start` produced. */
  readonly held: ReadonlyMap<string, Tensor>;
  /** The state tensors. */
  readonly states: StateCells;
}

/** A new rollout and what became of its prompts. */
export interface StartedRollout {
  /** Its state before the first step. */
  readonly state: RolloutState;
  /** What became of the prompts. */
  readonly reports: PromptReports;
}

/** Starts a rollout: encodes its initial inputs and runs the phases `condition` and `start`. */
export async function startBundleRollout(
  world: SessionWorld,
  options: { readonly given: Mapping; readonly seed: number; readonly signal: AbortSignal | undefined },
): Promise<StartedRollout> {
  const { given, seed, signal } = options;
  const initial = new Map<string, Tensor>();
  const reports: Record<string, PromptReport> = {};
  for (const name of world.encoder.names) {
    const encoded = world.encoder.encode(name, given, "initial");
    if (encoded === undefined) continue;
    initial.set(name, encoded.tensor);
    if (encoded.report !== undefined) reports[name] = encoded.report;
  }
  const states = new StateCells({ states: world.manifest.state, spans: world.spans, constants: world.constants });
  const times: GraphTimes = new Map();
  const shared = { world, initial, states, stepInputs: new Map<string, Tensor>(), seed, stepIndex: 0, isStart: true };
  const conditions = new RunScope({ ...shared, held: new Map() });
  await runItems(world.plan.condition, { world, scope: conditions, times, signal });
  const start = new RunScope({ ...shared, held: conditions.values });
  await runItems(world.plan.start, { world, scope: start, times, signal });
  refuseBrokenState(start.stateWrites);
  states.commit(start.stateWrites);
  const held = new Map([...conditions.values, ...start.values]);
  return { state: { seed, stepIndex: 0, given, initial, held, states }, reports };
}

/** Initial inputs and values after an update. */
export interface AmendedInputs {
  /** The initial inputs as given and amended. */
  readonly given: Mapping;
  /** The same as tensors. */
  readonly initial: ReadonlyMap<string, Tensor>;
  /** Values, those that depend on what changed computed anew. */
  readonly held: ReadonlyMap<string, Tensor>;
  /** What became of the prompts. */
  readonly reports: PromptReports;
}

/** Applies an update without changing `state`: encodes what changed and runs again what depends on it. */
export async function amendInputs(
  world: SessionWorld,
  state: RolloutState,
  options: { readonly update: Mapping; readonly times: GraphTimes; readonly signal: AbortSignal | undefined },
): Promise<AmendedInputs> {
  const { update, times, signal } = options;
  const changed = Object.keys(update).filter((name) => update[name] !== undefined);
  if (changed.length === 0) return { given: state.given, initial: state.initial, held: state.held, reports: {} };
  const initial = new Map(state.initial);
  const reports: Record<string, PromptReport> = {};
  for (const name of changed) {
    const encoded = world.encoder.encode(name, update, "update");
    if (encoded === undefined) continue;
    initial.set(name, encoded.tensor);
    if (encoded.report !== undefined) reports[name] = encoded.report;
  }
  const affected = world.plan.condition.filter((_, index) =>
    changed.some((name) => world.plan.conditionInputs[index]?.has(name) === true),
  );
  const { seed, states, stepIndex, held } = state;
  const scope = new RunScope({ world, initial, held, states, stepInputs: new Map(), seed, stepIndex, isStart: false });
  await runItems(affected, { world, scope, times, signal });
  return { given: { ...state.given, ...update }, initial, held: new Map([...held, ...scope.values]), reports };
}
