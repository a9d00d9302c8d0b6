import { describe, expect, it } from "vitest";
import { canonicalInputs } from "../canonical/canonical-inputs.ts";
import { modelInputs } from "./model-inputs.ts";
import { stepRequest } from "./step-request.ts";
import { identityInputMapping, inputMapping, type InputMapping, type MappedInputs } from "./input-mapping.ts";
import { mappingMembers, mappingSet } from "./mapping-set.ts";

const request = stepRequest({ stepIndex: 0 });
const canonical = canonicalInputs();

/** Counts its steps, and writes its count and what `reads` holds so far. */
function counting(name: string, reads?: string): InputMapping<number> {
  return inputMapping<number>({
    name,
    version: `${name}-1`,
    consumes: [{ name: `for_${name}`, payloadFields: [name] }],
    producesStep: [name],
    createState: (seed) => seed,
    mapInitialInputs: ({ modelInputs: inputs, state }) => ({
      inputs: { ...inputs, initial: { ...inputs.initial, [name]: state } },
      state,
    }),
    mapStepInputs: ({ modelInputs: inputs, state }) => ({
      inputs: inputs.withStep({ ...inputs.step, [name]: [state, reads === undefined ? null : inputs.step[reads]] }),
      state: state + 1,
    }),
  });
}

function step(mapping: InputMapping, state: unknown): MappedInputs<unknown> {
  return mapping.mapStepInputs({ canonical, request, modelInputs: modelInputs(), state });
}

describe("mappingSet", () => {
  it("shows each mapping the products of those before it and keeps a state for each", () => {
    const set = mappingSet([counting("a"), counting("b", "a")]);
    const first = step(set, set.createState(5));
    expect(first.inputs.step).toEqual({ a: [5, null], b: [5, [5, null]] });
    expect(first.state).toEqual([6, 6]);
    expect(step(set, first.state).inputs.step).toEqual({ a: [6, null], b: [6, [6, null]] });
  });

  it("maps initial inputs through all members", () => {
    const set = mappingSet([counting("a"), counting("b")]);
    const state = set.createState(2);
    const mapped = set.mapInitialInputs({ modelInputs: modelInputs({ initial: { prompt: "x" } }), state });
    expect(mapped.inputs.initial).toEqual({ prompt: "x", a: 2, b: 2 });
    expect(mapped.state).toBe(state);
  });

  it("never changes a state in place, and gives the same one when no member changed its own", () => {
    const set = mappingSet([identityInputMapping, counting("a")]);
    const before = set.createState(0);
    expect(step(set, before).state).not.toBe(before);
    expect(before).toEqual([null, 0]);
    const still = mappingSet([identityInputMapping]);
    const state = still.createState(0);
    expect(step(still, state).state).toBe(state);
  });

  it("records names and versions, and joins what its members need and make", () => {
    const optional = inputMapping({
      name: "c",
      consumesOptional: [{ name: "for_a" }, { name: "extra" }],
      producesUpdate: ["prompt"],
      producesInitial: ["scene"],
    });
    const set = mappingSet([counting("a"), mappingSet([counting("b"), optional])]);
    expect(set).toMatchObject({
      name: "a+b+c",
      version: "a-1+b-1+1",
      producesStep: ["a", "b"],
      producesUpdate: ["prompt"],
      producesInitial: ["scene"],
    });
    expect(set.consumes.map(({ name }) => name)).toEqual(["for_a", "for_b"]);
    expect(set.consumesOptional.map(({ name }) => name)).toEqual(["extra"]);
    expect(mappingMembers(set).map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(mappingMembers(optional)).toEqual([optional]);
  });

  it("needs all the fields that members want of the same modality", () => {
    const one = inputMapping({ name: "one", consumes: [{ name: "m", payloadFields: ["x"] }] });
    const other = inputMapping({ name: "other", consumes: [{ name: "m", payloadFields: ["y", "x"] }] });
    expect(mappingSet([one, other]).consumes.map(({ payloadFields }) => payloadFields)).toEqual([["x", "y"]]);
  });

  it("validates through every member", () => {
    const seen: string[] = [];
    const watching = (name: string): InputMapping =>
      inputMapping({ name, validate: (user, model) => seen.push(`${name} ${typeof user} ${typeof model}`) as never });
    mappingSet([watching("a"), watching("b")]).validate(undefined, undefined);
    expect(seen).toEqual(["a undefined undefined", "b undefined undefined"]);
  });

  it("passes inputs through when it is empty", () => {
    const inputs = modelInputs();
    const empty = mappingSet([]);
    expect(empty.mapStepInputs({ canonical, request, modelInputs: inputs, state: empty.createState(0) }).inputs).toBe(
      inputs,
    );
  });

  it("refuses two members of one name, and what is no mapping", () => {
    expect(() => mappingSet([counting("a"), mappingSet([counting("a")])])).toThrow(/InputMapping\.name: .*once.*"a"/);
    expect(() => mappingSet([{ name: "plain" } as never])).toThrow(/mappingSet\(mappings\)\[0\]/);
    expect(() => mappingSet("a" as never)).toThrow(/a list/);
  });

  it("names the member that returned something else than inputs and a state", () => {
    const odd = inputMapping({ name: "odd", mapStepInputs: () => ({ inputs: {} }) as never });
    const set = mappingSet([counting("a"), odd]);
    expect(() => step(set, set.createState(0))).toThrow(/InputMapping\("odd"\)\.mapStepInputs\(\)\.state/);
  });

  it("refuses the state of another set", () => {
    expect(() => step(mappingSet([counting("a")]), [1, 2])).toThrow(/a list of 1/);
    expect(() => step(mappingSet([counting("a")]), null)).toThrow(/a list of 1/);
  });
});
