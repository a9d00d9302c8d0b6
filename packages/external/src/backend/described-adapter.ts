import {
  defineWorld,
  DreamloopError,
  ERROR_CODES,
  input,
  keyboardToActions,
  type AdapterSupport,
  type CreateRuntimeOptions,
  type DeviceConverter,
  type InferenceConfig,
  type InferenceRuntime,
  type InputSpec,
  type ModelAdapter,
  type ModelOption,
  type StandardSchema,
} from "@dreamloop/core";
import type { DescribedInput, DescribedWorld } from "../protocol/message-schemas.ts";
import { describeRemote } from "./remote-runtime.ts";

/** What `describedAdapter` takes. */
export interface DescribedAdapterOptions {
  /** What the world said of itself. */
  readonly described: DescribedWorld;
  /** The backends that the configuration may name. */
  readonly backends: NonNullable<AdapterSupport["backends"]>;
  /** Loads it. */
  readonly createRuntime: (config: InferenceConfig, options: CreateRuntimeOptions) => Promise<InferenceRuntime>;
}

/**
 * Makes the adapter of a world that described itself: its inputs, options and controls, with the standard mapping of controls to step inputs of the same
 * names. Throws `invalid_value` when the description contradicts itself.
 */
export function describedAdapter({ described, backends, createRuntime }: DescribedAdapterOptions): ModelAdapter {
  const { id, video, controls, optionalControls } = described;
  const names = [...Object.keys(controls), ...Object.keys(optionalControls)];
  const stepInputs = Object.fromEntries([
    ...names.map((name) => [name, Object.hasOwn(controls, name) ? input.value() : input.value({ optional: true })]),
    ...described.step.map((each) => [each.name, specOf(each)]),
  ]) as Record<string, InputSpec>;
  const converters = actionConverters(described);
  const declared = defineWorld({
    id,
    version: described.version,
    ...(described.title === "" ? {} : { title: described.title }),
    description: described.description,
    // Not used: the world at the other end knows its size, see `describe` below.
    video: { width: 1, height: 1, framesPerSecond: 1 },
    inputs: {
      initial: Object.fromEntries(described.initial.map((each) => [each.name, specOf(each)])),
      step: stepInputs,
      alternatives: described.alternatives,
    },
    controls,
    optionalControls,
    ...(converters.length === 0 ? {} : { converters }),
    ...(described.promptVocabulary.length === 0 ? {} : { promptVocabulary: described.promptVocabulary }),
    ...(described.promptSuggestions.length === 0 ? {} : { promptSuggestions: described.promptSuggestions }),
    map: ({ controls: values }: { readonly controls: Readonly<Record<string, unknown>> }) =>
      Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Record<string, never>,
    step: () => {
      throw new DreamloopError(ERROR_CODES.internal, `${id}: its steps run elsewhere`);
    },
  });
  const { devices, precisions, modelOptions } = described.supports;
  const known: ModelAdapter = { ...declared };
  delete (known as { describe?: unknown }).describe;
  const adapter: ModelAdapter = {
    ...known,
    supports: {
      backends,
      ...(devices === undefined ? {} : { devices }),
      ...(precisions === undefined ? {} : { precisions }),
      ...(modelOptions === undefined ? {} : { modelOptions: modelOptions as ModelOption[] }),
    },
    ...(described.options.length === 0 ? {} : { runtimeOptionsSchema: optionsSchema(described.options) }),
    validateConfig: () => undefined,
    createRuntime,
  };
  // A size that depends on the options is known only once they have been looked at, at the other end.
  return Object.freeze(video === null ? adapter : { ...adapter, describe: () => describeRemote(id, video) });
}

/** How named actions are bound to keys where the world says so. */
function actionConverters({ actions }: DescribedWorld): readonly DeviceConverter[] {
  if (Object.keys(actions).length === 0) return [];
  return [keyboardToActions({ bindings: actions })];
}

/** One described input as the declaration that `defineWorld` takes. */
function specOf(described: DescribedInput): InputSpec {
  const { optional, live, description } = described;
  const common = {
    ...(optional ? { optional } : {}),
    ...(live === false ? {} : { live }),
    ...(description === "" ? {} : { description }),
  };
  const fallback = "default" in described && described.default !== undefined ? { default: described.default } : {};
  const options = { ...common, ...fallback } as never;
  switch (described.kind) {
    case "text":
      return input.text({ maxLength: described.maxLength, ...(options as object) });
    case "number": {
      const { min, max, integer } = described;
      const limits = { integer, ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
      return input.number({ ...limits, ...(options as object) });
    }
    case "flag":
      return input.flag(options);
    case "choice":
      return input.choice(described.values, options);
    case "image": {
      const { width, height } = described;
      const { live: _live, ...picture } = common as { readonly live?: unknown };
      return input.image({ width, height, ...picture });
    }
    case "value":
      return input.value(options);
  }
}

/** Checks `runtimeOptions` before anything loads: unknown names, wrong values, missing ones. */
function optionsSchema(options: readonly DescribedInput[]): StandardSchema {
  const specs = new Map(options.map((each) => [each.name, specOf(each)]));
  return {
    "~standard": {
      version: 1,
      vendor: "dreamloop",
      validate: (given) => {
        const values = (given ?? {}) as Readonly<Record<string, unknown>>;
        const issues = Object.keys(values)
          .filter((name) => !specs.has(name))
          .map((name) => ({ message: `unknown option; known: ${[...specs.keys()].join(", ")}`, path: [name] }));
        for (const [name, spec] of specs) {
          const value = values[name];
          if (value === undefined) {
            if (spec.presence === "required") issues.push({ message: "missing, and it has no default", path: [name] });
            continue;
          }
          const result = spec.field.schema?.["~standard"].validate(value);
          if (result === undefined || result instanceof Promise || result.issues === undefined) continue;
          issues.push(...result.issues.map(({ message }) => ({ message, path: [name] })));
        }
        return issues.length > 0 ? { issues } : { value: values };
      },
    },
  };
}
