import {
  ACTIONS,
  actionsNamed,
  canonicalModality,
  inputMapping,
  MODALITIES,
  neutralValue,
  type CanonicalModality,
  type InputMapping,
  type Mapping,
} from "@dreamloop/core";
import { filledTensor, tensorOf, type Tensor } from "../manifest/tensor.ts";
import type {
  ComponentDeclaration,
  DiscreteDeclaration,
  StepInputDeclaration,
  VectorDeclaration,
  WorldManifest,
} from "../manifest/world-manifest.ts";

type Canonical = Readonly<Record<string, Mapping>>;

/** The mappings that a manifest describes by itself: one for each vector and each discrete input, so that each can be fed or dropped alone. */
export function controlMappings(manifest: WorldManifest): readonly InputMapping[] {
  return Object.entries(manifest.inputs.step).flatMap(([name, input]) => {
    if (input.type === "tensor") return [];
    const read = input.type === "vector" ? vectorReader(input) : discreteReader(input);
    return inputMapping<null>({
      name: `bundle:${name}`,
      consumes: modalitiesOf(input),
      producesStep: [name],
      createState: () => null,
      mapStepInputs: ({ canonical, modelInputs, state }) => ({
        inputs: modelInputs.withStep({ ...modelInputs.step, [name]: read(canonical.values).data }),
        state,
      }),
    });
  });
}

/** What a step input is when nothing is done. `undefined` for tensors that have to be given. */
export function neutralTensor(input: StepInputDeclaration): Tensor | undefined {
  switch (input.type) {
    case "tensor":
      return input.neutral === undefined ? undefined : filledTensor(input.dtype, input.shape, input.neutral);
    case "vector":
      return tensorOf(
        input.dtype,
        input.shape,
        input.components.map((each) => modelValue(each.neutral, each)),
      );
    case "discrete":
      return discreteTensor(input, input.neutral);
  }
}

/** The canonical value that a component reads when every device is idle. */
export function idleValue(component: ComponentDeclaration): number {
  if (component.from === undefined) return 0;
  const [name, field] = splitField(component.from);
  const known = Object.hasOwn(MODALITIES, name) ? MODALITIES[name as keyof typeof MODALITIES] : undefined;
  return numberOf((known === undefined ? undefined : neutralValue(known))?.[field]);
}

/** The physical value behind a canonical one. */
export function physicalValue(canonical: number, component: ComponentDeclaration): number {
  return canonical * component.scale + component.offset;
}

function modelValue(physical: number, component: ComponentDeclaration): number {
  return (physical - component.mean) / component.deviation;
}

function vectorReader(input: VectorDeclaration): (canonical: Canonical) => Tensor {
  const readers = input.components.map((component) => {
    const read = component.action === undefined ? fieldReader(component) : actionReader(component.action);
    return (canonical: Canonical): number => {
      const value = read(canonical);
      return modelValue(value === undefined ? component.neutral : physicalValue(value, component), component);
    };
  });
  return (canonical) =>
    tensorOf(
      input.dtype,
      input.shape,
      readers.map((read) => read(canonical)),
    );
}

function fieldReader({ from = "" }: ComponentDeclaration): (canonical: Canonical) => number | undefined {
  const [name, field] = splitField(from);
  return (canonical) => {
    const value = canonical[name];
    return value === undefined ? undefined : numberOf(value[field]);
  };
}

function actionReader(action: string): (canonical: Canonical) => number | undefined {
  return (canonical) => {
    const value = heldActions(canonical);
    return value === undefined ? undefined : Number(value.includes(action));
  };
}

function discreteReader(input: DiscreteDeclaration): (canonical: Canonical) => Tensor {
  return (canonical) => {
    const held = heldActions(canonical) ?? [];
    const found = input.cases.find((each) => each.held.every((action) => held.includes(action)));
    return discreteTensor(input, found?.value ?? input.neutral);
  };
}

function discreteTensor(input: DiscreteDeclaration, value: number): Tensor {
  if (input.encoding === "index") return filledTensor(input.dtype, input.shape, value);
  const tensor = filledTensor(input.dtype, input.shape);
  if (tensor.data instanceof BigInt64Array) tensor.data[value] = 1n;
  else tensor.data[value] = 1;
  return tensor;
}

function heldActions(canonical: Canonical): readonly string[] | undefined {
  const held = canonical[ACTIONS.name]?.held;
  return Array.isArray(held) ? (held as string[]) : undefined;
}

function modalitiesOf(input: VectorDeclaration | DiscreteDeclaration): readonly CanonicalModality[] {
  if (input.type === "discrete") return [actionsNamed([...new Set(input.cases.flatMap(({ held }) => held))])];
  const fields = new Map<string, Set<string>>();
  for (const component of input.components) {
    const [name, field] = component.from === undefined ? [ACTIONS.name, "held"] : splitField(component.from);
    fields.set(name, (fields.get(name) ?? new Set()).add(field));
  }
  return [...fields].map(([name, needed]) => {
    if (name === ACTIONS.name) return actionsNamed(input.components.flatMap(({ action }) => action ?? []));
    const known = Object.hasOwn(MODALITIES, name) ? MODALITIES[name as keyof typeof MODALITIES] : undefined;
    return known ?? canonicalModality({ name, payloadFields: [...needed] });
  });
}

function splitField(from: string): [modality: string, field: string] {
  const [name = "", field = ""] = from.split(".");
  return [name, field];
}

function numberOf(value: unknown): number {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "number" ? value : 0;
}
