import { DreamloopError, ERROR_CODES, type SessionSnapshot } from "@dreamloop/core";
import { finite, isPlainObject, mapping, refuse } from "@dreamloop/core/internal";
import { copyTensor, elementCount, holdsDtype, type Tensor } from "../manifest/tensor.ts";
import { StateCells, type StateContent } from "./state/state-cells.ts";
import type { RolloutState } from "./rollout-state.ts";
import type { SessionWorld } from "./session-world.ts";

/** Version of the layout below. */
const SNAPSHOT_VERSION = "onnx-bundle@1";

interface SnapshotData {
  readonly identity: string;
  readonly seed: number;
  readonly stepIndex: number;
  readonly given: Readonly<Record<string, unknown>>;
  readonly initial: Readonly<Record<string, Tensor>>;
  readonly held: Readonly<Record<string, Tensor>>;
  readonly states: Readonly<Record<string, StateContent>>;
}

/** A copy of a rollout; nothing of it shares memory with the rollout. */
export function takeSnapshot(world: SessionWorld, state: RolloutState): SessionSnapshot {
  const data: SnapshotData = {
    identity: world.identity,
    seed: state.seed,
    stepIndex: state.stepIndex,
    given: state.given,
    initial: copies(state.initial),
    held: copies(state.held),
    states: state.states.contents(),
  };
  return { version: SNAPSHOT_VERSION, data };
}

/** The rollout that a snapshot holds. Throws `invalid_value` when it is of another world, other weights or other settings. */
export function readSnapshot(world: SessionWorld, snapshot: SessionSnapshot): RolloutState {
  if (snapshot.version !== SNAPSHOT_VERSION) {
    refuse("SessionSnapshot.version", JSON.stringify(SNAPSHOT_VERSION), snapshot.version);
  }
  const data = mapping(snapshot.data, "SessionSnapshot.data") as unknown as SnapshotData;
  if (data.identity !== world.identity) {
    throw new DreamloopError(
      ERROR_CODES.invalidValue,
      `SessionSnapshot: expected one of ${world.identity}, found one of ${String(data.identity)}; ` +
        "restore it with the same weights, denoising steps and cache policy",
    );
  }
  const states = new StateCells({ states: world.manifest.state, spans: world.spans, constants: world.constants });
  states.restore(mapping(data.states, "SessionSnapshot.data.states") as Readonly<Record<string, StateContent>>);
  const counter = finite({ integer: true, min: 0 });
  return {
    seed: counter(data.seed, "SessionSnapshot.data.seed"),
    stepIndex: counter(data.stepIndex, "SessionSnapshot.data.stepIndex"),
    given: mapping(data.given, "SessionSnapshot.data.given"),
    initial: readTensors(data.initial, "SessionSnapshot.data.initial"),
    held: readTensors(data.held, "SessionSnapshot.data.held"),
    states,
  };
}

function copies(tensors: ReadonlyMap<string, Tensor>): Record<string, Tensor> {
  return Object.fromEntries([...tensors].map(([name, tensor]) => [name, copyTensor(tensor)]));
}

function readTensors(value: unknown, path: string): ReadonlyMap<string, Tensor> {
  return new Map(
    Object.entries(mapping(value, path)).map(([name, entry]) => [name, readTensor(entry, `${path}.${name}`)]),
  );
}

function readTensor(value: unknown, path: string): Tensor {
  const tensor = value as Tensor;
  if (isPlainObject(value) && Array.isArray(value.shape) && holdsDtype(tensor.data, tensor.dtype)) {
    if (tensor.data.length === elementCount(tensor.shape)) return copyTensor(tensor);
  }
  return refuse(path, "a tensor", value);
}
