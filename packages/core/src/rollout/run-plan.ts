import type { CanonicalizerState, InputCanonicalizer } from "../canonical/input-canonicalizer.ts";
import { defaultCanonicalizer } from "../adapter/default-canonicalizer.ts";
import { inferenceConfig, type InferenceConfig, type InferenceConfigInput } from "../model/inference-config.ts";
import { userInputSchema, type UserInputSchema } from "../inputs/user-input-schema.ts";
import { checkMappingCompatibility } from "../mapping/compatibility.ts";
import { callMapping, inputMapping, type InputMapping } from "../mapping/input-mapping.ts";
import { mappingMembers, mappingSet } from "../mapping/mapping-set.ts";
import { assertModelAdapter, checkConfigSupport, type ModelAdapter } from "../adapter/model-adapter.ts";
import { modelInputs, type ModelInputs, type ModelInputsInput } from "../mapping/model-inputs.ts";
import { finite, refuse, withDefault } from "../foundation/validate/reader.ts";
import { isMade } from "../foundation/validate/record.ts";

/** What both drivers need to know to prepare a run. */
export interface RunPlanOptions {
  /** The world. */
  readonly adapter: ModelAdapter;
  /** How the model runs; default only the adapter's id. */
  readonly config?: InferenceConfigInput;
  /** Which candidate of `config.model` to run; default the first. */
  readonly candidateIndex?: number;
  /** What the input source can send; default nothing. */
  readonly sourceSchema?: UserInputSchema;
  /** Canonical inputs → model inputs; default the adapter's. A list is tried entry by entry, what cannot be fed is dropped. */
  readonly mapping?: InputMapping | readonly InputMapping[];
  /** Raw events → canonical inputs; default the adapter's converters, or the standard ones. */
  readonly canonicalizer?: InputCanonicalizer;
  /** Initial inputs (prompt, first frame); default none. */
  readonly initialInputs?: ModelInputsInput;
  /** Seed of every random draw, a safe integer of at least 0; default 0. */
  readonly seed?: number;
}

/** Everything that is settled before anything heavy loads. */
export interface RunPlan {
  /** The world. */
  readonly adapter: ModelAdapter;
  /** The configuration in force. */
  readonly config: InferenceConfig;
  /** Which candidate of `config.model` runs. */
  readonly candidateIndex: number;
  /** What the input source can send. */
  readonly sourceSchema: UserInputSchema;
  /** Raw events → canonical inputs. */
  readonly canonicalizer: InputCanonicalizer;
  /** Canonical inputs → model inputs; only what can be fed. */
  readonly mapping: InputMapping;
  /** The initial inputs as asked for. */
  readonly requestedInputs: ModelInputs;
  /** Seed of every random draw. */
  readonly seed: number;
  /** Versions of adapter, mappings and converters. */
  readonly versions: Readonly<Record<string, string>>;
  /** Mappings that were dropped because they cannot be fed. */
  readonly droppedMappings: readonly DroppedMapping[];
}

/** A mapping that was dropped because it cannot be fed. */
export interface DroppedMapping {
  /** Its name. */
  readonly name: string;
  /** The model inputs that it would make, which keep what they have for the whole run. */
  readonly inputs: readonly string[];
}

/**
 * Settles a run in the order of the standard loop: configuration, source schema, mapping compatibility, `mapping.validate`. Throws before
 * anything loads, saying exactly what is missing.
 */
export function planRun(options: RunPlanOptions): RunPlan {
  if (typeof options !== "object" || options === null) refuse("RunPlanOptions", "an object", options);
  const { adapter } = options;
  assertModelAdapter(adapter);
  const config = inferenceConfig(options.config === undefined ? { modelId: adapter.modelId } : options.config);
  const candidateIndex = withDefault(finite({ integer: true, min: 0 }), 0)(
    options.candidateIndex,
    "RunPlanOptions.candidateIndex",
  );
  checkConfigSupport(adapter, config, candidateIndex);
  const seed = readSeed(options.seed === undefined ? 0 : options.seed);
  const sourceSchema = userInputSchema(options.sourceSchema);
  const requestedInputs = modelInputs(options.initialInputs);
  const mappings = mappingsOf(options.mapping === undefined ? defaultMapping(adapter) : options.mapping);
  const canonicalizer = canonicalizerOf(options.canonicalizer) ?? defaultCanonicalizer(adapter, mappings);
  const compatibility = checkMappingCompatibility({
    canonicalSchema: canonicalizer.canonicalSchema(sourceSchema),
    modelSchema: adapter.modelInputSchema,
    mappings,
    modelInputs: requestedInputs,
  });
  compatibility.raiseIfIncompatible();
  const fed = mappings.filter(
    (mapping) => !compatibility.unavailableMappings.some(({ name }) => name === mapping.name),
  );
  const mapping = fed.length === 1 ? fed[0] : mappingSet(fed);
  mapping.validate(sourceSchema, adapter.modelInputSchema);
  const versions: Record<string, string> = { [`adapter:${adapter.modelId}`]: adapter.version ?? "1" };
  for (const entry of fed) versions[`mapping:${entry.name}`] = entry.version;
  for (const converter of canonicalizer.convertersFor(sourceSchema))
    versions[`converter:${converter.name}`] = converter.version;
  return {
    adapter,
    config,
    candidateIndex,
    sourceSchema,
    canonicalizer,
    mapping,
    requestedInputs,
    seed,
    versions: Object.freeze(versions),
    droppedMappings: compatibility.unavailableMappings.map(
      ({ name, mapping: { producesInitial, producesStep, producesUpdate } }) => ({
        name,
        inputs: [...producesInitial, ...producesStep, ...producesUpdate],
      }),
    ),
  };
}

/** The mappings of a run one by one; literals pass the factory. */
function mappingsOf(given: InputMapping | readonly InputMapping[]): readonly InputMapping[] {
  if (Array.isArray(given)) return (given as readonly InputMapping[]).map((mapping) => inputMapping(mapping));
  return mappingMembers(inputMapping(given as InputMapping));
}

function canonicalizerOf(given: InputCanonicalizer | undefined): InputCanonicalizer | undefined {
  if (given === undefined) return undefined;
  const canonicalize: unknown = (given as Partial<InputCanonicalizer> | null)?.canonicalize;
  if (typeof canonicalize !== "function") refuse("RunPlanOptions.canonicalizer", "an InputCanonicalizer", given);
  return given;
}

function defaultMapping(adapter: ModelAdapter): InputMapping {
  const mapping: unknown = adapter.defaultInputMapping();
  if (!isMade(mapping, "InputMapping")) {
    refuse("ModelAdapter.defaultInputMapping()", "the result of inputMapping({...})", mapping);
  }
  return mapping as InputMapping;
}

/** Reads a seed: a safe integer of at least 0. */
export function readSeed(seed: unknown): number {
  return finite({ integer: true, min: 0 })(seed, "seed");
}

/** Fresh state of converters and mapping, and the initial inputs mapped with it. */
export interface FreshInputState {
  /** State of the converters. */
  readonly canonicalizerState: CanonicalizerState;
  /** State of the mapping. */
  readonly mappingState: unknown;
  /** Initial inputs for the session, complete. */
  readonly initialInputs: ModelInputs;
}

/** Makes fresh converter and mapping state and maps the initial inputs; throws `missing_input` naming what is absent. */
export function freshInputState(plan: RunPlan, requestedInputs: ModelInputs, seed: number): FreshInputState {
  const canonicalizerState = plan.canonicalizer.createState();
  const mapped = callMapping(plan.mapping, "mapInitialInputs", () =>
    plan.mapping.mapInitialInputs({ modelInputs: requestedInputs, state: plan.mapping.createState(seed) }),
  );
  plan.adapter.modelInputSchema.requireInitial(mapped.inputs);
  return { canonicalizerState, mappingState: mapped.state, initialInputs: mapped.inputs };
}
