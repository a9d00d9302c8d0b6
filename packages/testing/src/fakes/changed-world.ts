import type { InferenceRuntime, InferenceSession, ModelAdapter, ModelInputs, StepResultInput } from "@dreamloop/core";

/** What is different in a changed world; everything else stays as it is. */
export interface WorldChanges {
  /** Replaces members of the adapter. */
  readonly adapter?: (adapter: ModelAdapter) => Partial<ModelAdapter>;
  /** Replaces members of each runtime. */
  readonly runtime?: (runtime: InferenceRuntime) => Partial<InferenceRuntime>;
  /** Replaces members of each session, given what it was started with. */
  readonly session?: (session: InferenceSession, inputs: ModelInputs) => Partial<InferenceSession>;
}

/** A world in which some things are broken or watched: the adapter given, with members of it, its runtimes and its sessions replaced. */
export function changedWorld(adapter: ModelAdapter, changes: WorldChanges): ModelAdapter {
  const createRuntime: ModelAdapter["createRuntime"] = async (config, options) => {
    const runtime = await adapter.createRuntime(config, options);
    const startSession: InferenceRuntime["startSession"] = async (inputs, start) => {
      const session = await runtime.startSession(inputs, start);
      return overriding(session, changes.session?.(session, inputs) ?? {});
    };
    return overriding(runtime, { startSession, ...changes.runtime?.(runtime) });
  };
  return overriding(adapter, { createRuntime, ...changes.adapter?.(adapter) });
}

/** A session change: `step` hands each result through `change`, with the number of results before it and the inputs. */
export function changeResults(
  change: (result: StepResultInput, count: number, inputs: ModelInputs) => StepResultInput,
): (session: InferenceSession) => Partial<InferenceSession> {
  return (session) => {
    let count = 0;
    return {
      step: async (inputs, options) => {
        const result = await session.step(inputs, options);
        count += 1;
        return change(result, count - 1, inputs);
      },
    };
  };
}

/** The object with some members replaced; the methods of the others keep their own `this`. The object may be frozen. */
export function overriding<T extends object>(target: T, changes: Partial<T>): T {
  const read = (name: PropertyKey): unknown => {
    if (Object.hasOwn(changes, name)) return changes[name as keyof T];
    const value: unknown = Reflect.get(target, name, target);
    return typeof value === "function" ? (value.bind(target) as unknown) : value;
  };
  // A proxy of a frozen object would have to give the frozen members, so it stands before an empty one.
  return new Proxy({} as T, {
    get: (_, name) => read(name),
    has: (_, name) => Object.hasOwn(changes, name) || Reflect.has(target, name),
    ownKeys: () => [...new Set([...Reflect.ownKeys(target), ...Reflect.ownKeys(changes)])],
    getOwnPropertyDescriptor: (_, name) =>
      Object.hasOwn(changes, name) || Object.hasOwn(target, name)
        ? { value: read(name), writable: true, enumerable: true, configurable: true }
        : undefined,
    getPrototypeOf: () => Reflect.getPrototypeOf(target),
  });
}
