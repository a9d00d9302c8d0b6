import { DEFAULT_ACTION_BINDINGS, MODALITIES, neutralValue, type CanonicalModality } from "@dreamloop/core";
import { KEY_CODES } from "@dreamloop/core/internal";
import { nearest } from "@dreamloop/core/internal";
import { FAULT_CODES } from "../faults/fault.ts";
import { elementCount, isFloatDtype } from "../manifest/tensor.ts";
import { idleValue, physicalValue } from "./control-mapping.ts";
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
import type { FaultList } from "../faults/fault-list.ts";

/** Relative difference of two numbers that mean the same. */
const NEUTRAL_TOLERANCE = 1e-9;

/** Notes faults in the declarations of inputs that no schema can see. */
export function checkInputs(manifest: WorldManifest, faults: FaultList): void {
  const { initial, step, alternatives } = manifest.inputs;
  for (const [name, input] of Object.entries(initial)) checkInitial(input, `inputs.initial.${name}`, manifest, faults);
  for (const [name, input] of Object.entries(step)) checkStep(input, `inputs.step.${name}`, manifest, faults);
  checkActionCodes(manifest, faults);
  alternatives.forEach((names, index) => {
    for (const name of names) {
      if (Object.hasOwn(initial, name)) continue;
      faults.addUnknown({
        code: FAULT_CODES.reference,
        path: `inputs.alternatives[${index}]`,
        what: "an initial input",
        name,
        known: Object.keys(initial),
      });
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
  faults.addUnknown({ code: FAULT_CODES.reference, path, what, name, known });
}

const PAD_CODES: readonly string[] = [
  ...Array.from({ length: 32 }, (_, button) => `Button${button}`),
  ...Array.from({ length: 16 }, (_, axis) => [`Axis${axis}-`, `Axis${axis}+`]).flat(),
];
const HELD_CODES: readonly string[] = [
  ...KEY_CODES,
  ...["MouseLeft", "MouseMiddle", "MouseRight", "MouseBack", "MouseForward"],
  ...Array.from({ length: 100 }, (_, button) => `Mouse${button}`),
];

/** A code that no device has would be an action that nobody can do. */
function checkActionCodes({ actions = {} }: WorldManifest, faults: FaultList): void {
  for (const [action, { keys, pad }] of Object.entries(actions)) {
    const path = `actions.${action}`;
    checkCodes({ codes: keys, known: HELD_CODES, path: `${path}.keys`, what: KEY_FORMS }, faults);
    checkCodes({ codes: pad, known: PAD_CODES, path: `${path}.pad`, what: PAD_FORMS }, faults);
  }
}

const KEY_FORMS =
  "the code of a key (KeyW, ArrowUp, Space: KeyboardEvent.code) or of a mouse button (MouseLeft, Mouse0)";
const PAD_FORMS = "a gamepad button, Button0 to Button31, or half axis, Axis0- to Axis15+";

function checkCodes(
  { codes, known, path, what }: { codes: readonly string[]; known: readonly string[]; path: string; what: string },
  faults: FaultList,
): void {
  codes.forEach((code, index) => {
    if (known.includes(code)) return;
    const near = nearest(code, known);
    faults.add({
      code: FAULT_CODES.invalidValue,
      path: `${path}[${index}]`,
      expected: what,
      found: JSON.stringify(code),
      mend: near === undefined ? "Correct the code." : `Did you mean ${JSON.stringify(near)}?`,
    });
  });
}

/** Notes a modality or a field that no device supplies; `modalities` are those that exist beside the shared ones. */
export function checkModalities(
  manifest: WorldManifest,
  modalities: readonly CanonicalModality[],
  faults: FaultList,
): void {
  const { conditioning: _, ...levels } = MODALITIES;
  const known = new Map<string, CanonicalModality>(Object.entries(levels));
  for (const modality of modalities) known.set(modality.name, modality);
  for (const [name, input] of Object.entries(manifest.inputs.step)) {
    if (input.type === "tensor" && input.modality !== undefined && !known.has(input.modality)) {
      const path = `inputs.step.${name}.modality`;
      faults.addUnknown({
        code: FAULT_CODES.reference,
        path,
        what: "a modality that some device supplies",
        name: input.modality,
        known: [...known.keys()],
      });
    }
    if (input.type !== "vector") continue;
    input.components.forEach(({ from }, index) => {
      if (from !== undefined) checkField(from, `inputs.step.${name}.components[${index}].from`, known, faults);
    });
  }
}

function checkField(
  from: string,
  path: string,
  known: ReadonlyMap<string, CanonicalModality>,
  faults: FaultList,
): void {
  const [name = "", field = ""] = from.split(".");
  const modality = known.get(name);
  if (modality === undefined) {
    const what = "a modality that some device supplies";
    faults.addUnknown({ code: FAULT_CODES.reference, path, what, name, known: [...known.keys()] });
    return;
  }
  const neutral = neutralValue(modality) ?? {};
  const fields = modality.payloadFields.filter((each) => !isNoNumber(neutral[each]));
  if (fields.includes(field)) return;
  if (name === "actions") {
    const mend = 'Write "action": "NAME" in place of "from"; it is 1 while the action is held.';
    faults.add({ code: FAULT_CODES.reference, path, expected: "a field with a number", found: from, mend });
    return;
  }
  faults.addUnknown({ code: FAULT_CODES.reference, path, what: `a field of ${name}`, name: field, known: fields });
}

function isNoNumber(value: unknown): boolean {
  return value !== undefined && typeof value !== "number" && typeof value !== "boolean";
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
  faults.add({
    code: FAULT_CODES.domain,
    path: `${path}.from`,
    expected: "caller, as the world has no domain",
    found: "domain",
    mend: "Name a domain, or let the caller supply it.",
  });
}

function checkPrompt(input: PromptDeclaration, path: string, faults: FaultList): void {
  const { words, file } = input.vocabulary;
  if ((words === undefined) === (file === undefined)) {
    const found = words === undefined ? "neither" : "both";
    faults.add({
      code: FAULT_CODES.invalidValue,
      path: `${path}.vocabulary`,
      expected: "either words or file",
      found,
      mend: "Keep one of them.",
    });
  }
  if (input.suggestions !== undefined && input.conditioning === "negativePrompt") {
    const expected = "nothing, as what is offered becomes the prompt";
    faults.add({
      code: FAULT_CODES.invalidValue,
      path: `${path}.suggestions`,
      expected,
      found: "suggestions",
      mend: "Leave them out.",
    });
  }
  if (input.dtype !== "int64" && input.dtype !== "int32") {
    faults.add({
      code: FAULT_CODES.invalidValue,
      path: `${path}.dtype`,
      expected: "int64 or int32, the numbers of words",
      found: input.dtype,
      mend: "Correct the dtype.",
    });
  }
}

function checkChoice(input: ChoiceDeclaration, path: string, faults: FaultList): void {
  const count = elementCount(input.shape);
  for (const [name, numbers] of Object.entries(input.choices)) {
    const whole = isFloatDtype(input.dtype) || numbers.every(Number.isSafeInteger);
    if (numbers.length === count && whole) continue;
    const expected = `${count} ${isFloatDtype(input.dtype) ? "" : "whole "}numbers for the shape [${input.shape.join(", ")}]`;
    faults.add({
      code: FAULT_CODES.invalidValue,
      path: `${path}.choices[${JSON.stringify(name)}]`,
      expected,
      found: `${numbers.length}`,
      mend: "Correct the numbers or the shape.",
    });
  }
  if (input.default !== undefined && !Object.hasOwn(input.choices, input.default)) {
    faults.addUnknown({
      code: FAULT_CODES.reference,
      path: `${path}.default`,
      what: "a choice",
      name: input.default,
      known: Object.keys(input.choices),
    });
  }
}

function checkImage(input: ImageDeclaration, path: string, faults: FaultList): void {
  const dtype = input.range === "full" ? "uint8" : "float32";
  if (input.dtype !== dtype && !isFloatDtype(input.dtype)) {
    faults.add({
      code: FAULT_CODES.invalidValue,
      path: `${path}.dtype`,
      expected: `${dtype} for the range ${input.range}`,
      found: input.dtype,
      mend: "Correct the dtype or the range.",
    });
  }
  const inner = input.shape.slice(-3);
  const channels = input.layout === "chw" ? inner[0] : inner[2];
  if (inner.length < 3 || channels !== 3 || elementCount(input.shape.slice(0, -3)) !== 1) {
    const expected = input.layout === "chw" ? "[1, 3, height, width]" : "[1, height, width, 3]";
    faults.add({
      code: FAULT_CODES.invalidValue,
      path: `${path}.shape`,
      expected: `${expected}, the leading 1 optional`,
      found: `[${input.shape.join(", ")}]`,
      mend: "Correct the shape or the layout.",
    });
  }
}

function checkVector(input: VectorDeclaration, path: string, manifest: WorldManifest, faults: FaultList): void {
  input.components.forEach(({ action }, index) => {
    if (action !== undefined) checkAction(action, `${path}.components[${index}].action`, manifest, faults);
  });
  const count = elementCount(input.shape);
  if (!isFloatDtype(input.dtype)) {
    faults.add({
      code: FAULT_CODES.invalidValue,
      path: `${path}.dtype`,
      expected: "float32 or float16",
      found: input.dtype,
      mend: "Let the graph cast it.",
    });
  }
  if (input.components.length !== count) {
    faults.add({
      code: FAULT_CODES.invalidValue,
      path: `${path}.components`,
      expected: `${count} components for the shape [${input.shape.join(", ")}]`,
      found: String(input.components.length),
      mend: "Describe each number once, in order.",
    });
  }
  input.components.forEach((component, index) => checkComponent(component, `${path}.components[${index}]`, faults));
}

function checkComponent(component: ComponentDeclaration, path: string, faults: FaultList): void {
  if ((component.from === undefined) === (component.action === undefined)) {
    const found = component.from === undefined ? "neither" : "both";
    faults.add({
      code: FAULT_CODES.invalidValue,
      path,
      expected: "either from or action",
      found,
      mend: "Keep one of them.",
    });
    return;
  }
  const idle = physicalValue(idleValue(component), component);
  if (Math.abs(idle - component.neutral) <= NEUTRAL_TOLERANCE * Math.max(1, Math.abs(idle))) return;
  faults.add({
    code: FAULT_CODES.neutralAction,
    path: `${path}.neutral`,
    expected: `${idle} ${component.unit}, which an idle device gives`,
    found: `${component.neutral} ${component.unit}`,
    mend: "Correct scale, offset or neutral: when nobody does anything, the model has to get its neutral action.",
  });
}

function checkDiscrete(input: DiscreteDeclaration, path: string, manifest: WorldManifest, faults: FaultList): void {
  input.cases.forEach(({ held }, index) => {
    held.forEach((name, place) => checkAction(name, `${path}.cases[${index}].held[${place}]`, manifest, faults));
  });
  const count = elementCount(input.shape);
  if (input.encoding === "index" && count !== 1) {
    faults.add({
      code: FAULT_CODES.invalidValue,
      path: `${path}.shape`,
      expected: "one element for the encoding index",
      found: `${count}`,
      mend: "Correct the shape or the encoding.",
    });
  }
  if (input.encoding === "index") return;
  const values: readonly (readonly [string, number])[] = [
    ...input.cases.map(({ value }, index) => [`${path}.cases[${index}].value`, value] as const),
    [`${path}.neutral`, input.neutral],
  ];
  for (const [at, value] of values) {
    if (value < count) continue;
    faults.add({
      code: FAULT_CODES.invalidValue,
      path: at,
      expected: `a place of the vector, 0 to ${count - 1}`,
      found: String(value),
      mend: "Correct the value or the shape.",
    });
  }
}
