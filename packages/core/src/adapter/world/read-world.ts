import type { CanonicalModality } from "../../canonical/canonical-inputs.ts";
import type { DeviceConverter } from "../../canonical/device-converter.ts";
import { CONDITIONING, MODALITIES } from "../../canonical/modalities.ts";
import type { ConditioningField } from "../../mapping/conditioning-mapping.ts";
import { readPromptSuggestions, type AdapterSupport } from "../model-adapter.ts";
import { modelInputSchema } from "../../mapping/model-input-schema.ts";
import {
  callable,
  finite,
  isPlainObject,
  listOf,
  optional,
  refuse,
  standardSchema,
  text,
  withDefault,
  type Reader,
} from "../../foundation/validate/reader.ts";
import { isMade, recordFactory, refuseUnknownKeys } from "../../foundation/validate/record.ts";
import { conditioningOf } from "./input.ts";
import type { InputSpec, InputSpecs } from "./input-spec.ts";
import { DEFAULT_MAX_SESSIONS, type World, type WorldFunction, type WorldInputs } from "./world.ts";

const SUPPORT_KEYS: readonly string[] = [
  "backends",
  "devices",
  "precisions",
  "modelOptions",
  "attentionBackends",
  "cachePolicies",
  "extraOptions",
  "presets",
] satisfies (keyof AdapterSupport)[];

const anyFunction = callable<WorldFunction<never>>();

const readSpecs: Reader<InputSpecs> = (value, path) => {
  if (value === undefined) return Object.freeze({});
  if (!isPlainObject(value)) refuse(path, "a mapping from names to inputs", value);
  for (const [name, spec] of Object.entries(value)) {
    text({ maxLength: 128 })(name, `${path} (a name)`);
    if (!isMade(spec, "InputSpec")) refuse(`${path}.${name}`, "input.text() or another of its kind", spec);
  }
  return Object.freeze({ ...value }) as InputSpecs;
};

const readInputs: Reader<WorldInputs> = (value, path) => {
  const given = value ?? {};
  if (!isPlainObject(given)) refuse(path, "an object with initial and step", value);
  refuseUnknownKeys(given, ["initial", "step", "alternatives"], path);
  const initial = readSpecs(given.initial, `${path}.initial`);
  const step = readSpecs(given.step, `${path}.step`);
  const live = Object.entries(step).find(([, spec]) => spec.isLive);
  if (live !== undefined) refuse(`${path}.step.${live[0]}.live`, "nothing: a step input is new in every step", true);
  const alternatives = withDefault(listOf(listOf(text())), Object.freeze([]))(
    given.alternatives,
    `${path}.alternatives`,
  );
  for (const name of alternatives.flat()) {
    if (!Object.hasOwn(initial, name)) refuse(`${path}.alternatives`, "names of initial inputs", name);
    if (initial[name].presence === "optional") continue;
    refuse(`${path}.initial.${name}`, "an optional input, as it is one of the alternatives", initial[name].presence);
  }
  const fieldsOf = (specs: InputSpecs): { readonly name: string }[] =>
    Object.entries(specs).map(([name, spec]) => ({ name, ...spec.field }));
  return Object.freeze({
    initial,
    step,
    schema: modelInputSchema({ initialFields: fieldsOf(initial), stepFields: fieldsOf(step), alternatives }),
    conditioning: readConditioning(initial, path),
  });
};

function readConditioning(initial: InputSpecs, path: string): WorldInputs["conditioning"] {
  const fields: Partial<Record<ConditioningField, string>> = {};
  for (const [name, spec] of Object.entries(initial) as [string, InputSpec][]) {
    const part = conditioningOf(name, spec);
    if (part === undefined) continue;
    if (fields[part] !== undefined) {
      refuse(
        `${path}.initial.${name}.live`,
        `a part that ${JSON.stringify(fields[part])} does not follow already`,
        part,
      );
    }
    fields[part] = name;
  }
  return Object.freeze(fields);
}

const readControls: Reader<Readonly<Record<string, CanonicalModality>>> = (value, path) => {
  if (value === undefined) return Object.freeze({});
  if (!isPlainObject(value))
    refuse(path, 'a mapping from names to modalities, such as { drive: "driver_command" }', value);
  const entries = Object.entries(value).map(([name, control]): [string, CanonicalModality] => {
    if (isMade(control, "CanonicalModality")) return [name, control as CanonicalModality];
    if (typeof control === "string" && Object.hasOwn(MODALITIES, control)) {
      return [name, MODALITIES[control as keyof typeof MODALITIES]];
    }
    const names = Object.keys(MODALITIES).join(", ");
    return refuse(`${path}.${name}`, `the name of a modality (${names}) or one made by modality({...})`, control);
  });
  return Object.freeze(Object.fromEntries(entries));
};

/** Checks a definition; the error names the place in it. */
export const readWorld = recordFactory<World>(
  "World",
  {
    id: text({ maxLength: 200 }),
    version: withDefault(text({ maxLength: 64 }), "1"),
    title: optional(text({ maxLength: 200 })),
    description: optional(text({ allowBlank: true })),
    options: optional(standardSchema),
    video: (value, path) => {
      if (typeof value === "function" || isPlainObject(value)) return value as World["video"];
      return refuse(path, "an object with width, height and framesPerSecond, or a function that gives one", value);
    },
    inputs: readInputs,
    controls: readControls,
    optionalControls: readControls,
    converters: optional(
      listOf((value, path) => {
        if (!isMade(value, "DeviceConverter")) refuse(path, "a converter made by deviceConverter({...})", value);
        return value as DeviceConverter;
      }),
    ),
    promptVocabulary: optional(listOf(text({ maxLength: 200 }))),
    promptSuggestions: optional(readPromptSuggestions),
    supports: optional((value, path) => {
      if (!isPlainObject(value)) refuse(path, "an object", value);
      refuseUnknownKeys(value, SUPPORT_KEYS, path);
      return Object.freeze({ ...value });
    }),
    maxSessions: withDefault(finite({ integer: true, min: 1 }), DEFAULT_MAX_SESSIONS),
    maxSteps: optional(finite({ integer: true, min: 1 })),
    dynamics: optional((value, path) => {
      if (!isPlainObject(value)) refuse(path, "an object with the functions start and step", value);
      refuseUnknownKeys(value, ["start", "step"], path);
      return Object.freeze({
        start: anyFunction(value.start, `${path}.start`),
        step: anyFunction(value.step, `${path}.step`),
      });
    }),
    map: optional(anyFunction),
    load: optional(anyFunction),
    close: optional(callable<NonNullable<World["close"]>>()),
    facts: optional(callable<NonNullable<World["facts"]>>()),
    start: optional(anyFunction),
    step: anyFunction,
  },
  checkTogether,
);

function checkTogether(world: World): void {
  const { controls, optionalControls, map } = world;
  const twice = Object.keys(optionalControls).find((name) => Object.hasOwn(controls, name));
  if (twice !== undefined) refuse(`World.optionalControls.${twice}`, "a name that controls does not have", twice);
  const fleeting = Object.keys(controls).find((name) => controls[name]?.name === CONDITIONING.name);
  if (fleeting !== undefined) {
    refuse(
      `World.controls.${fleeting}`,
      "an entry of optionalControls, as it is absent in most steps",
      CONDITIONING.name,
    );
  }
  if (map !== undefined) return;
  const needed = Object.entries(world.inputs.step).find(([, spec]) => spec.presence === "required");
  if (needed !== undefined)
    refuse("World.map", `a function that makes the step input ${JSON.stringify(needed[0])}`, map);
  for (const part of ["dynamics", "controls", "optionalControls"] as const) {
    const isThere = part === "dynamics" ? world.dynamics !== undefined : Object.keys(world[part]).length > 0;
    if (isThere) refuse("World.map", `a function, as nothing else sees what ${part} gives`, map);
  }
}
