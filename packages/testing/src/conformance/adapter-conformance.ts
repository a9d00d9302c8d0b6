import {
  canonicalInputs,
  inferenceConfig,
  modelInputs,
  neutralValue,
  stepRequest,
  stepResult,
  undeclaredModelInputs,
  type CanonicalInputs,
  type ModelAdapter,
} from "@dreamloop/core";
import { assertModelAdapter, checkConfigSupport, isMade, json, readMappedInputs } from "@dreamloop/core/internal";
import { deepFreeze, isEqual, expectContract, refused, succeeds, type ConformanceCase } from "./conformance-case.ts";
import { WorldUnderTest, type WorldConformanceOptions } from "./world-under-test.ts";

/** A name that no adapter declares. */
const UNKNOWN_OPTION = "conformanceUnknownOption";

/** The cases that every adapter passes: what it declares, its configuration, its mapping, loading and closing. */
export function adapterConformance(options: WorldConformanceOptions): readonly ConformanceCase[] {
  const { adapter } = options;
  const world = new WorldUnderTest(options);
  const config = inferenceConfig({ ...options.config, modelId: adapter.modelId });
  return [
    {
      name: "it has the shape of an adapter and accepts its configuration without loading",
      run: async () => {
        await succeeds(() => assertModelAdapter(adapter), "an adapter has the shape of ModelAdapter");
        await succeeds(() => checkConfigSupport(adapter, config), "a supported configuration passes");
        const returned: unknown = adapter.validateConfig(config);
        expectContract(
          returned === undefined,
          "validateConfig answers at once and loads nothing",
          `it returned ${typeof returned}`,
        );
      },
    },
    {
      name: "L1: a runtime option that it does not know is refused",
      run: async () => {
        const runtimeOptions = { ...config.runtimeOptions, [UNKNOWN_OPTION]: 1 };
        const unknown = inferenceConfig({ ...options.config, modelId: adapter.modelId, runtimeOptions });
        await refused(() => checkConfigSupport(adapter, unknown), "an unknown runtime option is refused");
      },
    },
    {
      name: "what it says of its sessions before loading is what the runtime says",
      run: async () => {
        const before = adapter.describe?.(config);
        await world.withRuntime(async (runtime) => {
          const after = runtime.describe();
          const contract = "describe(config) and runtime.describe() agree, and the description does not change";
          expectContract(
            isEqual(after, runtime.describe()),
            contract,
            "the runtime says something else at the second call",
          );
          expectContract(before === undefined || isEqual(before, after), contract, JSON.stringify([before, after]));
        });
      },
    },
    ...mappingCases(adapter, world),
    {
      name: "a load that was cancelled is refused as cancelled",
      run: async () => {
        const signal = AbortSignal.abort();
        const load = async (): Promise<void> => void (await adapter.createRuntime(config, { signal }));
        await refused(load, "createRuntime with a fired signal rejects", ["cancelled"]);
      },
    },
    {
      name: "a runtime closes once and starts no session afterwards",
      run: async () => {
        const runtime = await adapter.createRuntime(config, {});
        await runtime.close();
        await succeeds(() => runtime.close(), "close of a runtime may be repeated");
        const start = (): unknown => runtime.startSession(modelInputs(options.initial), { seed: world.seed });
        await refused(start, "a closed runtime starts no session", ["closed"]);
      },
    },
    {
      name: "closing one runtime leaves another of the same adapter working",
      run: async () => {
        await world.withRuntime(async (kept) => {
          await world.withRuntime(async () => undefined);
          const play = (): Promise<unknown> => world.undisturbed(kept);
          await succeeds(play, "each runtime owns what it needs; closing one harms no other");
        });
      },
    },
  ];
}

function mappingCases(adapter: ModelAdapter, world: WorldUnderTest): readonly ConformanceCase[] {
  const request = stepRequest({ stepIndex: 0 });
  /** The canonical inputs of devices at rest. */
  const neutral = (): CanonicalInputs => {
    const mapping = adapter.defaultInputMapping();
    const values = [...mapping.consumes, ...mapping.consumesOptional].flatMap((modality) => {
      const value = neutralValue(modality);
      return value === undefined ? [] : [[modality.name, value] as const];
    });
    return canonicalInputs({ values: Object.fromEntries(values) });
  };
  return [
    {
      name: "its mapping is valid for its own model and has a serialisable state",
      run: async () => {
        const mapping = adapter.defaultInputMapping();
        expectContract(isMade(mapping, "InputMapping"), "the mapping is made by inputMapping({...})", typeof mapping);
        const validate = (): void => mapping.validate(undefined, adapter.modelInputSchema);
        await succeeds(validate, "an adapter's own mapping is valid for its own schema");
        const state = mapping.createState(world.seed);
        await succeeds(() => json(state, "state of the mapping"), "the state of a mapping is plain JSON");
        expectContract(
          isEqual(state, mapping.createState(world.seed)),
          "one seed gives one mapping state",
          "another state",
        );
      },
    },
    {
      name: "F2: its mapping is a function of inputs and state, and changes neither",
      run: async () => {
        const mapping = adapter.defaultInputMapping();
        const state = deepFreeze(mapping.createState(world.seed));
        const before = structuredClone(state);
        const map = (): ReturnType<typeof readMappedInputs> => {
          const context = { canonical: neutral(), request, modelInputs: modelInputs(world.inputsOf(0)), state };
          return readMappedInputs(mapping, "mapStepInputs", mapping.mapStepInputs(context));
        };
        const first = await succeeds(map, "a mapping never changes the state that it was given");
        expectContract(
          isEqual(before, state),
          "a mapping never changes the state that it was given",
          "the state was changed",
        );
        const again = map();
        const isSame = isEqual(first.state, again.state) && isEqual({ ...first.inputs }, { ...again.inputs });
        expectContract(
          isSame,
          "a step that is mapped again after a failure gives the same",
          "another result at the second try",
        );
      },
    },
    {
      name: "A10: devices at rest make a step that the model knows and accepts",
      run: async () => {
        const mapping = adapter.defaultInputMapping();
        const context = {
          canonical: neutral(),
          request,
          modelInputs: modelInputs(),
          state: mapping.createState(world.seed),
        };
        const { inputs } = readMappedInputs(mapping, "mapStepInputs", mapping.mapStepInputs(context));
        const undeclared = undeclaredModelInputs(adapter.modelInputSchema, inputs);
        expectContract(undeclared.length === 0, "a mapping makes only declared fields", JSON.stringify(undeclared));
        const missing = Object.keys(inputs.step).filter((name) => !mapping.producesStep.includes(name));
        expectContract(missing.length === 0, "a mapping says in producesStep what it makes", missing.join(", "));
        await world.withRuntime((runtime) =>
          world.withSession(runtime, async (session) => {
            const step = async (): Promise<unknown> => stepResult(await session.step(inputs, {}));
            await succeeds(step, "the neutral value of every modality makes a step that the model accepts");
          }),
        );
      },
    },
  ];
}
