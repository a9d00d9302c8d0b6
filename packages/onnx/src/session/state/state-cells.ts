import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { copyTensor, filledTensor, type Tensor } from "../../manifest/tensor.ts";
import type { WorldManifest } from "../../manifest/world-manifest.ts";
import { AppendedState, type AppendedContent } from "./appended-state.ts";
import type { CacheSpan } from "./cache-span.ts";

/** The complete content of a state tensor, for snapshots. */
export type StateContent =
  | { readonly update: "replace"; readonly tensor: Tensor }
  | { readonly update: "append"; readonly content: AppendedContent };

/** What is needed to make the states of a rollout. */
export interface StateCellsOptions {
  /** The declarations. */
  readonly states: WorldManifest["state"];
  /** What each appended state keeps. */
  readonly spans: ReadonlyMap<string, CacheSpan>;
  /** Constants that states may start from. */
  readonly constants: ReadonlyMap<string, Tensor>;
}

/** The state tensors of one rollout. */
export class StateCells {
  readonly #replaced = new Map<string, Tensor>();
  readonly #appended = new Map<string, AppendedState>();

  /** Every state as it is at the start. */
  constructor({ states, spans, constants }: StateCellsOptions) {
    for (const [name, state] of Object.entries(states)) {
      if (state.update === "append") {
        this.#appended.set(
          name,
          new AppendedState(state, spans.get(name) ?? { window: state.window, sink: state.sink }),
        );
      } else if (typeof state.initial === "string") {
        this.#replaced.set(name, found(constants.get(state.initial), state.initial));
      } else {
        this.#replaced.set(name, filledTensor(state.dtype, state.shape, state.initial));
      }
    }
  }

  /** The content that graphs are fed. */
  tensor(name: string): Tensor {
    return found(this.#replaced.get(name) ?? this.#appended.get(name)?.tensor, name);
  }

  /** An appended state. */
  appended(name: string): AppendedState {
    return found(this.#appended.get(name), name);
  }

  /** The appended states by name. */
  get caches(): ReadonlyMap<string, AppendedState> {
    return this.#appended;
  }

  /** Takes over what a step wrote; cannot fail. */
  commit(writes: ReadonlyMap<string, Tensor>): void {
    for (const [name, tensor] of writes) {
      const cache = this.#appended.get(name);
      if (cache === undefined) this.#replaced.set(name, tensor);
      else cache.append(tensor);
    }
  }

  /** A copy of everything. */
  contents(): Record<string, StateContent> {
    const contents: Record<string, StateContent> = {};
    for (const [name, tensor] of this.#replaced) contents[name] = { update: "replace", tensor: copyTensor(tensor) };
    for (const [name, cache] of this.#appended) contents[name] = { update: "append", content: cache.content() };
    return contents;
  }

  /** Takes over a copy of `contents`. Throws `invalid_value` when it belongs to other states. */
  restore(contents: Readonly<Record<string, StateContent>>): void {
    for (const name of [...this.#replaced.keys(), ...this.#appended.keys()]) {
      const content = Object.hasOwn(contents, name) ? contents[name] : undefined;
      const cache = this.#appended.get(name);
      if (content?.update === "append" && cache !== undefined) cache.restore(content.content);
      else if (content?.update === "replace" && cache === undefined)
        this.#replaced.set(name, copyTensor(content.tensor));
      else
        throw new DreamloopError(
          ERROR_CODES.invalidValue,
          `snapshot: expected the state ${JSON.stringify(name)}, found none of its kind`,
        );
    }
  }
}

function found<T>(value: T | undefined, name: string): T {
  if (value !== undefined) return value;
  throw new DreamloopError(
    ERROR_CODES.internal,
    `state ${JSON.stringify(name)} does not exist although the plan has it`,
  );
}
