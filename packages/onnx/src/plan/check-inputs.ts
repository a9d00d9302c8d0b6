import { DEFAULT_ACTION_BINDINGS } from "@dreamloop/core";
import { FAULT_CODES } from "../check/fault.ts";
import { elementCount } from "../engine/tensor.ts";
import { idleValue, physicalValue } from "../inputs/control-mapping.ts";
import type {
  ChoiceDeclaration,
  ComponentDeclaration,
  DiscreteDeclaration,
  ImageDeclaration,
  InitialInputDeclaration,
  PromptDeclaration,
  StepInputDeclaration,
  VectorDeclaration,
  WorldManifest,
} from "../manifest/world-manifest.ts";
import type { FaultList } from "./fault-list.ts";

/** Relative difference of two numbers that mean the same. */
const NEUTRAL_TOLERANCE = 1e-9;

/** Notes faults in the declarations of inputs that no schema can see. */
export function checkInputs(manifest: WorldManifest, faults: FaultList): void {
  const { initial, step, alternatives } = manifest.inputs;
  for (const [name, input] of Object.entries(initial)) checkInitial(input, `inputs.initial.${name}`, manifest, faults);
  for (const [name, input] of Object.entries(step)) checkStep(input, `inputs.step.${name}`, manifest, faults);
  alternatives.forEach((names, index) => {
    for (const name of names) {
      if (Object.hasOwn(initial, name)) continue;
      faults.addUnknown(
        FAULT_CODES.reference,
        `inputs.alternatives[${index}]`,
        "an initial input",
        name,
        Object.keys(initial),
      );
    }
  });
}

/**
 * Actions that an input waits for and that no device can do are a slip. Those that all worlds share count where the world names none of
 * its own, unless it has a domain, whose converters may know others.
 */
function checkAction(name: string, path: string, { actions, domain }: WorldManifest, faults: FaultList): void {
  if (actions === undefined && domain !== undefined) return;
  const known = Object.keys(actions ?? DEFAULT_ACTION_BINDINGS);
  if (known.includes(name)) return;
  const what =
    actions === undefined ? 'an action that all worlds share, or one named in "actions"' : "an action of this world";
  faults.addUnknown(FAULT_CODES.reference, path, what, name, known);
}

function checkInitial(input: InitialInputDeclaration, path: string, manifest: WorldManifest, faults: FaultList): void {
  switch (input.type) {
    case "prompt":
      return checkPrompt(input, path, faults);
    case "choice":
      return checkChoice(input, path, faults);
    case "image":
      return checkImage(input, path, faults);
    case "tensor":
      return checkOrigin(input.from, path, manifest, faults);
  }
}

function checkStep(input: StepInputDeclaration, path: string, manifest: WorldManifest, faults: FaultList): void {
  switch (input.type) {
    case "tensor":
      return checkOrigin(input.from, path, manifest, faults);
    case "vector":
      return checkVector(input, path, manifest, faults);
    case "discrete":
      return checkDiscrete(input, path, manifest, faults);
  }
}

function checkOrigin(from: "domain" | "caller", path: string, manifest: WorldManifest, faults: FaultList): void {
  if (from !== "domain" || manifest.domain !== undefined) return;
  faults.add(
    FAULT_CODES.domain,
    `${path}.from`,
    "caller, as the world has no domain",
    "domain",
    "Name a domain, or let the caller supply it.",
  );
}

function checkPrompt(input: PromptDeclaration, path: string, faults: FaultList): void {
  const { words, file } = input.vocabulary;
  if ((words === undefined) === (file === undefined)) {
    const found = words === undefined ? "neither" : "both";
    faults.add(FAULT_CODES.invalidValue, `${path}.vocabulary`, "either words or file", found, "Keep one of them.");
  }
  if (input.suggestions !== undefined && input.conditioning === "negativePrompt") {
    const expected = "nothing, as what is offered becomes the prompt";
    faults.add(FAULT_CODES.invalidValue, `${path}.suggestions`, expected, "suggestions", "Leave them out.");
  }
  if (input.dtype !== "int64" && input.dtype !== "int32") {
    faults.add(
      FAULT_CODES.invalidValue,
      `${path}.dtype`,
      "int64 or int32, the numbers of words",
      input.dtype,
      "Correct the dtype.",
    );
  }
}

function checkChoice(input: ChoiceDeclaration, path: string, faults: FaultList): void {
  const count = elementCount(input.shape);
  for (const [name, numbers] of Object.entries(input.choices)) {
    const whole = input.dtype === "float32" || numbers.every(Number.isSafeInteger);
    if (numbers.length === count && whole) continue;
    const expected = `${count} ${input.dtype === "float32" ? "" : "whole "}numbers for the shape [${input.shape.join(", ")}]`;
    faults.add(
      FAULT_CODES.invalidValue,
      `${path}.choices[${JSON.stringify(name)}]`,
      expected,
      `${numbers.length}`,
      "Correct the numbers or the shape.",
    );
  }
  if (input.default !== undefined && !Object.hasOwn(input.choices, input.default)) {
    faults.addUnknown(FAULT_CODES.reference, `${path}.default`, "a choice", input.default, Object.keys(input.choices));
  }
}

function checkImage(input: ImageDeclaration, path: string, faults: FaultList): void {
  const dtype = input.range === "full" ? "uint8" : "float32";
  if (input.dtype !== dtype && !(input.range === "full" && input.dtype === "float32")) {
    faults.add(
      FAULT_CODES.invalidValue,
      `${path}.dtype`,
      `${dtype} for the range ${input.range}`,
      input.dtype,
      "Correct the dtype or the range.",
    );
  }
  const inner = input.shape.slice(-3);
  const channels = input.layout === "chw" ? inner[0] : inner[2];
  if (inner.length < 3 || channels !== 3 || elementCount(input.shape.slice(0, -3)) !== 1) {
    const expected = input.layout === "chw" ? "[1, 3, height, width]" : "[1, height, width, 3]";
    faults.add(
      FAULT_CODES.invalidValue,
      `${path}.shape`,
      `${expected}, the leading 1 optional`,
      `[${input.shape.join(", ")}]`,
      "Correct the shape or the layout.",
    );
  }
}

function checkVector(input: VectorDeclaration, path: string, manifest: WorldManifest, faults: FaultList): void {
  input.components.forEach(({ action }, index) => {
    if (action !== undefined) checkAction(action, `${path}.components[${index}].action`, manifest, faults);
  });
  const count = elementCount(input.shape);
  if (input.dtype !== "float32") {
    faults.add(FAULT_CODES.invalidValue, `${path}.dtype`, "float32", input.dtype, "Let the graph cast it.");
  }
  if (input.components.length !== count) {
    faults.add(
      FAULT_CODES.invalidValue,
      `${path}.components`,
      `${count} components for the shape [${input.shape.join(", ")}]`,
      String(input.components.length),
      "Describe each number once, in order.",
    );
  }
  input.components.forEach((component, index) => checkComponent(component, `${path}.components[${index}]`, faults));
}

function checkComponent(component: ComponentDeclaration, path: string, faults: FaultList): void {
  if ((component.from === undefined) === (component.action === undefined)) {
    const found = component.from === undefined ? "neither" : "both";
    faults.add(FAULT_CODES.invalidValue, path, "either from or action", found, "Keep one of them.");
    return;
  }
  const idle = physicalValue(idleValue(component), component);
  if (Math.abs(idle - component.neutral) <= NEUTRAL_TOLERANCE * Math.max(1, Math.abs(idle))) return;
  faults.add(
    FAULT_CODES.neutralAction,
    `${path}.neutral`,
    `${idle} ${component.unit}, which an idle device gives`,
    `${component.neutral} ${component.unit}`,
    "Correct scale, offset or neutral: when nobody does anything, the model has to get its neutral action.",
  );
}

function checkDiscrete(input: DiscreteDeclaration, path: string, manifest: WorldManifest, faults: FaultList): void {
  input.cases.forEach(({ held }, index) => {
    held.forEach((name, place) => checkAction(name, `${path}.cases[${index}].held[${place}]`, manifest, faults));
  });
  const count = elementCount(input.shape);
  if (input.encoding === "index" && count !== 1) {
    faults.add(
      FAULT_CODES.invalidValue,
      `${path}.shape`,
      "one element for the encoding index",
      `${count}`,
      "Correct the shape or the encoding.",
    );
  }
  if (input.encoding === "index") return;
  const values: readonly (readonly [string, number])[] = [
    ...input.cases.map(({ value }, index) => [`${path}.cases[${index}].value`, value] as const),
    [`${path}.neutral`, input.neutral],
  ];
  for (const [at, value] of values) {
    if (value < count) continue;
    faults.add(
      FAULT_CODES.invalidValue,
      at,
      `a place of the vector, 0 to ${count - 1}`,
      String(value),
      "Correct the value or the shape.",
    );
  }
}
