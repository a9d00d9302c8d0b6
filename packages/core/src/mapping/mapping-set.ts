import { canonicalModality, type CanonicalModality } from "../canonical/canonical-inputs.ts";
import type { ModelInputs } from "./model-inputs.ts";
import { listOf, refuse, type Reader } from "../foundation/validate/reader.ts";
import { isMade } from "../foundation/validate/record.ts";
import { inputMapping, callMapping, type InputMapping, type MappedInputs } from "./input-mapping.ts";

/** The states of a set's members, in their order. */
export type MappingSetState = readonly unknown[];

const readMappings: Reader<readonly InputMapping[]> = listOf((value, path) => {
  if (!isMade(value, "InputMapping")) refuse(path, "a mapping made by inputMapping({...})", value);
  return value as InputMapping;
});

/**
 * Composes mappings into one: each sees the products of those before it, and the state is the list of their states. Sets within the
 * list are taken apart. Two members of the same name are refused, since traces and reports know them by it.
 */
export function mappingSet(mappings: readonly InputMapping[]): InputMapping<MappingSetState> {
  const members = readMappings(mappings, "mappingSet(mappings)").flatMap(mappingMembers);
  const twice = members.find(({ name }, index) => members.findIndex((other) => other.name === name) !== index);
  if (twice !== undefined) refuse("InputMapping.name", "each name once in a set", twice.name);
  const consumes = mergeModalities(members.flatMap((member) => member.consumes));
  const needed = new Set(consumes.map(({ name }) => name));
  return inputMapping<MappingSetState>({
    name: members.map(({ name }) => name).join("+") || "empty",
    version: members.map(({ version }) => version).join("+") || "1",
    members,
    consumes,
    consumesOptional: mergeModalities(members.flatMap((member) => member.consumesOptional)).filter(
      ({ name }) => !needed.has(name),
    ),
    producesInitial: unique(members.flatMap((member) => member.producesInitial)),
    producesStep: unique(members.flatMap((member) => member.producesStep)),
    producesUpdate: unique(members.flatMap((member) => member.producesUpdate)),
    validate(userSchema, modelSchema) {
      for (const member of members) member.validate(userSchema, modelSchema);
    },
    createState: (seed) => Object.freeze(members.map((member) => member.createState(seed))),
    mapInitialInputs: ({ modelInputs, state }) =>
      mapThrough(members, state, modelInputs, (member, inputs, memberState) =>
        callMapping(member, "mapInitialInputs", () =>
          member.mapInitialInputs({ modelInputs: inputs, state: memberState }),
        ),
      ),
    mapStepInputs: ({ canonical, request, modelInputs, state }) =>
      mapThrough(members, state, modelInputs, (member, inputs, memberState) =>
        callMapping(member, "mapStepInputs", () =>
          member.mapStepInputs({ canonical, request, modelInputs: inputs, state: memberState }),
        ),
      ),
  });
}

/** The mappings that a set is made of, or the mapping itself when it is none. */
export function mappingMembers(mapping: InputMapping): readonly InputMapping[] {
  return mapping.members ?? [mapping];
}

type MemberCall = (member: InputMapping, inputs: ModelInputs, state: unknown) => ReturnType<typeof callMapping>;

function mapThrough(
  members: readonly InputMapping[],
  states: MappingSetState,
  modelInputs: ModelInputs,
  call: MemberCall,
): MappedInputs<MappingSetState> {
  checkStates(states, members.length);
  let inputs = modelInputs;
  let next: unknown[] | undefined;
  members.forEach((member, index) => {
    const mapped = call(member, inputs, states[index]);
    inputs = mapped.inputs;
    if (mapped.state !== states[index]) {
      next ??= [...states];
      next[index] = mapped.state;
    }
  });
  return { inputs, state: next === undefined ? states : Object.freeze(next) };
}

function checkStates(states: unknown, length: number): void {
  if (Array.isArray(states) && states.length === length) return;
  refuse("state of the mapping set", `a list of ${length}, one state for each mapping`, states);
}

function mergeModalities(modalities: readonly CanonicalModality[]): readonly CanonicalModality[] {
  const merged = new Map<string, CanonicalModality>();
  for (const modality of modalities) {
    const known = merged.get(modality.name);
    merged.set(
      modality.name,
      known === undefined
        ? modality
        : canonicalModality({
            name: modality.name,
            payloadFields: unique([...known.payloadFields, ...modality.payloadFields]),
            metadata: { ...modality.metadata, ...known.metadata },
          }),
    );
  }
  return [...merged.values()];
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
