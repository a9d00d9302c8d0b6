import { DreamloopError, ERROR_CODES, isDreamloopError } from "../foundation/dreamloop-error.ts";
import { userInputSchema, type UserInputSchema, type UserInputSchemaInput } from "../inputs/user-input-schema.ts";
import { userInputs, type UserInputs, type UserInputsInput } from "../inputs/user-inputs.ts";
import { timeWindow, type TimeWindow, type TimeWindowInput } from "../foundation/time/time-window.ts";
import { isPlainObject, refuse, type Mapping } from "../foundation/validate/reader.ts";
import { isMade, markMade, refuseUnknownKeys } from "../foundation/validate/record.ts";
import {
  canonicalInputSchema,
  canonicalModality,
  canonicalValue,
  type CanonicalInputs,
  type CanonicalInputSchema,
  type CanonicalModality,
} from "./canonical-inputs.ts";
import { readConversion, type Conversion, type DeviceConverter } from "./device-converter.ts";
import {
  combineActions,
  combineFields,
  followUses,
  NOTHING_USED,
  type DeviceValue,
  type FieldUses,
} from "./combine-devices.ts";
import { combinationOf, neutralValue } from "./modality.ts";

/** What `metadata.canonicalSources` names when no converter had a value and the neutral one of the modality stands in. */
export const NEUTRAL_SOURCE = "neutral";

/** Where the state keeps which device was last really used for what; no converter can have this name. */
const LAST_USE = "last use";

/** The state of every converter by its name, and what each device is used for; a value that the driver keeps for each session, never changed in place. */
export type CanonicalizerState = Readonly<Record<string, unknown>>;

/** What one window gives: the canonical values and the state after it. */
export interface Canonicalization {
  /** Values by modality, with `metadata.canonicalSources` naming the converter that supplied each. */
  readonly canonical: CanonicalInputs;
  /** The state after this window; the same object when no converter changed its own. */
  readonly state: CanonicalizerState;
}

/** What the constructor of `InputCanonicalizer` takes. */
export interface InputCanonicalizerOptions {
  /** Converters to register, in this order; default none. */
  readonly converters?: readonly DeviceConverter[];
}

/** What one source can feed: computed once for each source. */
interface SourcePlan {
  readonly converters: readonly DeviceConverter[];
  readonly unavailable: readonly DeviceConverter[];
  readonly schema: CanonicalInputSchema;
  readonly neutral: readonly { readonly name: string; readonly value: Mapping }[];
  /** Neutral values of the modalities whose fields several devices share. */
  readonly shared: ReadonlyMap<string, Mapping>;
}

/**
 * Turns the raw events of a window into canonical values. Every converter that the source can feed sees every window, so that a
 * device which was overruled is up to date when it wins again. Of those that produce the same modality, the one with the highest priority that returned a value wins; in a
 * modality that combines fields, each field goes to the device that was last really used for it. Windows go in order; the same windows give the same result.
 */
export class InputCanonicalizer {
  readonly #converters = new Map<string, DeviceConverter>();
  #plans = new WeakMap<UserInputSchema, SourcePlan>();

  /** Registers `options.converters`; refuses what `register` refuses. */
  constructor(options: InputCanonicalizerOptions = {}) {
    refuseUnknownKeys(options, ["converters"], "InputCanonicalizerOptions");
    const converters: unknown = options.converters ?? [];
    if (!Array.isArray(converters)) refuse("InputCanonicalizerOptions.converters", "a list of converters", converters);
    for (const converter of options.converters ?? []) this.register(converter);
  }

  /** Adds a converter made by `deviceConverter({...})`; a name that is taken is refused. */
  register(converter: DeviceConverter): this {
    if (!isMade(converter, "DeviceConverter")) {
      refuse("InputCanonicalizer.register(converter)", "a converter made by deviceConverter({...})", converter);
    }
    const { name } = converter;
    if (name === NEUTRAL_SOURCE || name === LAST_USE || name === "__proto__") {
      refuse("DeviceConverter.name", "a name that is not reserved", name);
    }
    if (this.#converters.has(name)) {
      refuse("DeviceConverter.name", "a name that is not registered yet; remove or rename one of the two", name);
    }
    this.#converters.set(name, converter);
    this.#plans = new WeakMap();
    return this;
  }

  /** The state before the first window: that of every registered converter. */
  createState(): CanonicalizerState {
    const entries = [...this.#converters.values()].map(
      (converter) => [converter.name, converter.createState()] as const,
    );
    return Object.freeze(Object.fromEntries(entries));
  }

  /** The converters that `source` can feed, highest priority first, equal ones in the order of registration. */
  convertersFor(source: UserInputSchema | UserInputSchemaInput): readonly DeviceConverter[] {
    return this.#planFor(source).converters;
  }

  /** The converters that `source` cannot feed, in the order of registration. */
  unavailableConverters(source: UserInputSchema | UserInputSchemaInput): readonly DeviceConverter[] {
    return this.#planFor(source).unavailable;
  }

  /**
   * The modalities that `source` can supply. Where several converters produce one, it promises the fields that all of them have.
   */
  canonicalSchema(source: UserInputSchema | UserInputSchemaInput): CanonicalInputSchema {
    return this.#planFor(source).schema;
  }

  /**
   * Converts one window. Events outside of `window` are not looked at. A modality without a value gets its neutral one, if it
   * declares one. Throws `invalid_value` when a converter returns something else than it declares.
   */
  canonicalize(
    inputs: UserInputs | UserInputsInput,
    window: TimeWindow | TimeWindowInput,
    source: UserInputSchema | UserInputSchemaInput,
    state: CanonicalizerState,
  ): Canonicalization {
    if (!isPlainObject(state)) refuse("CanonicalizerState", "what createState() or the last window gave", state);
    const bounds = timeWindow(window);
    const seen = insideWindow(userInputs(inputs), bounds);
    const plan = this.#planFor(source);
    const values: Record<string, Mapping> = {};
    const sources: Record<string, string> = {};
    const devices = new Map<string, DeviceValue[]>();
    const usesBefore = (state[LAST_USE] ?? NO_USES) as Readonly<Record<string, FieldUses>>;
    let uses = usesBefore;
    let next: Record<string, unknown> | undefined;
    for (const converter of plan.converters) {
      const { name, produces } = converter;
      const combination = combinationOf(produces);
      const isKnown = Object.hasOwn(state, name);
      const before = isKnown ? state[name] : converter.createState();
      const conversion = convert(converter, seen, bounds, before);
      if (!isKnown || conversion.state !== before) {
        next ??= { ...state };
        next[name] = conversion.state;
      }
      const shared = plan.shared.get(produces.name);
      let usedAt: Readonly<Record<string, number>> | undefined;
      if (shared !== undefined && converter.consumes.length > 0) {
        const followed = {
          converter,
          state: before,
          uses: usesBefore[name] ?? NOTHING_USED,
          neutral: shared,
          convert: (only: UserInputs, window: TimeWindow, from: unknown) => convert(converter, only, window, from),
        };
        const used = followUses(followed, seen);
        usedAt = used.usedAt;
        if (used.uses !== followed.uses) uses = withUses(uses, name, used.uses);
      }
      if (conversion.value === undefined || Object.hasOwn(sources, produces.name)) continue;
      const value = checkedValue(produces, conversion.value);
      const earlier = devices.get(produces.name);
      // A script needs no device: what it says is meant as a whole, unless a device of higher priority speaks.
      if (combination === "whole" || (converter.consumes.length === 0 && earlier === undefined)) {
        values[produces.name] = value;
        sources[produces.name] = name;
      } else {
        const device: DeviceValue = usedAt === undefined ? { name, value } : { name, value, usedAt };
        if (earlier === undefined) devices.set(produces.name, [device]);
        else earlier.push(device);
      }
    }
    for (const [modality, [first, ...others]] of devices) {
      const all = [first, ...others] as const;
      const neutral = plan.shared.get(modality);
      const combined =
        others.length === 0
          ? { value: first.value, names: [first.name] }
          : neutral === undefined
            ? combineActions(all)
            : combineFields(all, neutral);
      values[modality] = combined.value;
      sources[modality] = combined.names.join("+");
    }
    if (uses !== usesBefore) {
      next ??= { ...state };
      if (Object.keys(uses).length === 0) delete next[LAST_USE];
      else next[LAST_USE] = uses;
    }
    for (const { name, value } of plan.neutral) {
      if (Object.hasOwn(sources, name)) continue;
      values[name] = value;
      sources[name] = NEUTRAL_SOURCE;
    }
    const metadata: Record<string, unknown> = { canonicalSources: Object.freeze(sources) };
    const { inputSequence } = seen.metadata;
    if (inputSequence !== undefined) metadata.inputSequence = inputSequence;
    // Every part has passed its check above, so that the factory would only copy it once more.
    const canonical: CanonicalInputs = { values: Object.freeze(values), metadata: Object.freeze(metadata) };
    return {
      canonical: markMade(canonical, "CanonicalInputs"),
      state: next === undefined ? state : Object.freeze(next),
    };
  }

  #planFor(source: UserInputSchema | UserInputSchemaInput): SourcePlan {
    const schema = userInputSchema(source);
    let plan = this.#plans.get(schema);
    if (plan === undefined) {
      plan = planSource([...this.#converters.values()], schema);
      this.#plans.set(schema, plan);
    }
    return plan;
  }
}

const NO_USES: Readonly<Record<string, FieldUses>> = Object.freeze({});

/** The uses with those of one converter; one that uses nothing is not among them. */
function withUses(
  all: Readonly<Record<string, FieldUses>>,
  name: string,
  uses: FieldUses,
): Readonly<Record<string, FieldUses>> {
  const { [name]: _before, ...others } = all;
  return Object.freeze(Object.keys(uses).length === 0 ? others : { ...others, [name]: uses });
}

function planSource(registered: readonly DeviceConverter[], source: UserInputSchema): SourcePlan {
  const canFeed = (converter: DeviceConverter): boolean =>
    converter.consumes.every((capability) => source.supports(capability));
  const converters = registered.filter(canFeed).sort((one, other) => other.priority - one.priority);
  const modalities = new Map<string, CanonicalModality>();
  for (const { produces } of converters) {
    const known = modalities.get(produces.name);
    modalities.set(produces.name, known === undefined ? produces : commonPromise(known, produces));
  }
  const schema = canonicalInputSchema({ modalities: [...modalities.values()] });
  const neutral = schema.modalities.flatMap((modality) => {
    const value = neutralValue(modality);
    return value === undefined ? [] : [{ name: modality.name, value }];
  });
  return {
    converters: Object.freeze(converters),
    unavailable: Object.freeze(registered.filter((converter) => !canFeed(converter))),
    schema,
    neutral,
    shared: new Map(
      schema.modalities.flatMap((modality) => {
        const value = combinationOf(modality) === "fields" ? neutralValue(modality) : undefined;
        const isShared = converters.filter(({ produces }) => produces.name === modality.name).length > 1;
        return value === undefined || !isShared ? [] : [[modality.name, value] as const];
      }),
    ),
  };
}

/** The modality with the fields that both have; whichever converter wins, these are there. */
function commonPromise(one: CanonicalModality, other: CanonicalModality): CanonicalModality {
  return canonicalModality({
    name: one.name,
    payloadFields: one.payloadFields.filter((field) => other.payloadFields.includes(field)),
    metadata: { ...other.metadata, ...one.metadata },
  });
}

/** The inputs with only the events of the window; the very same object when no other is among them, as events are sorted. */
function insideWindow(inputs: UserInputs, window: TimeWindow): UserInputs {
  const { events } = inputs;
  const first = events[0];
  const last = events[events.length - 1];
  if (first === undefined || last === undefined) return inputs;
  const isInside = window.contains(first.timestampSeconds) && window.contains(last.timestampSeconds);
  return isInside ? inputs : inputs.window(window);
}

function convert(
  converter: DeviceConverter,
  inputs: UserInputs,
  window: TimeWindow,
  state: unknown,
): Conversion<unknown> {
  let returned: unknown;
  try {
    returned = converter.convert(inputs, window, state);
  } catch (error) {
    const place = `DeviceConverter(${JSON.stringify(converter.name)}).convert()`;
    const message = error instanceof Error ? error.message : String(error);
    throw new DreamloopError(
      isDreamloopError(error) ? error.code : ERROR_CODES.invalidValue,
      `${place}: ${message}`,
      isDreamloopError(error) ? { cause: error, retryable: error.retryable, details: error.details } : { cause: error },
    );
  }
  const isConversion = typeof returned === "object" && returned !== null && "state" in returned;
  return isConversion ? (returned as Conversion<unknown>) : readConversion(converter, returned);
}

/** The value, checked and immutable; one that is frozen already is not copied, which is most of the cost. */
function checkedValue(produces: CanonicalModality, value: unknown): Mapping {
  if (!Object.isFrozen(value) || !isPlainObject(value)) return canonicalValue(produces, value);
  for (const field of produces.payloadFields) if (!Object.hasOwn(value, field)) return canonicalValue(produces, value);
  return value;
}
