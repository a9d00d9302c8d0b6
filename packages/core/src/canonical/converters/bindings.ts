import { listOf, mappingOf, refuse, text } from "../../foundation/validate/reader.ts";
import { refuseUnknownKeys } from "../../foundation/validate/record.ts";
import { CONTROL_DEVICES, type ControlDevice, type ControlHint } from "../device-converter.ts";

/** Which codes do each action: keys (`KeyW`), mouse buttons (`MouseLeft`), pad buttons (`Button7`) and half axes (`Axis0-`). */
export type Bindings<Action extends string> = Readonly<Record<Action, readonly string[]>>;

/** How a converter with bindings may be changed. */
export interface BindingOptions<Action extends string> {
  /** Codes by action; an action that is left out keeps its default, an empty list unbinds it. */
  readonly bindings?: Readonly<Partial<Record<Action, readonly string[]>>>;
  /** Its name within a canonicaliser; the default says device and modality. */
  readonly name?: string;
  /** Higher wins among converters of the same modality. */
  readonly priority?: number;
}

/** How an action is explained and offered on a touch screen. */
export type ActionHint = Pick<ControlHint, "label" | "touch" | "direction">;

/** Reads one code of a binding. */
export type CodeReader = (value: unknown, path: string) => string;

const readCode: CodeReader = text({ maxLength: 128 });

/** Refuses unknown options and unknown actions, and completes the bindings with `defaults`. */
export function readBindings<Action extends string>(
  options: BindingOptions<Action>,
  typeName: string,
  defaults: Bindings<Action>,
  code: CodeReader = readCode,
): Bindings<Action> {
  checkOptions(options, typeName, BINDING_OPTIONS);
  const given = options.bindings ?? {};
  if (typeof given !== "object" || Array.isArray(given)) {
    refuse(`${typeName}.bindings`, "a mapping from actions to codes", given);
  }
  refuseUnknownKeys(given, Object.keys(defaults), `${typeName}.bindings`);
  const merged: Record<string, unknown> = { ...defaults };
  for (const [action, codes] of Object.entries(given)) if (codes !== undefined) merged[action] = codes;
  return mappingOf(listOf(code, { max: 64 }))(merged, `${typeName}.bindings`);
}

/** Reads bindings whose actions are free names; what is given replaces the defaults. */
export function readNamedBindings(
  options: BindingOptions<string>,
  typeName: string,
  defaults: Bindings<string>,
  code: CodeReader = readCode,
): Bindings<string> {
  checkOptions(options, typeName, BINDING_OPTIONS);
  const bindings = mappingOf(listOf(code, { max: 64 }))(options.bindings ?? defaults, `${typeName}.bindings`);
  for (const action of Object.keys(bindings)) text({ maxLength: 64 })(action, `${typeName}.bindings (an action)`);
  return bindings;
}

/** Refuses options that are no object or have a key that is not in `known`. */
export function checkOptions(options: object, typeName: string, known: readonly string[]): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) refuse(typeName, "an object", options);
  refuseUnknownKeys(options, known, typeName);
}

const BINDING_OPTIONS: readonly string[] = ["bindings", "name", "priority"] satisfies (keyof BindingOptions<string>)[];

/** The on-screen explanation of every action that has a code on a device; a touch screen stands in for keyboards only. */
export function controlHints<Action extends string>(
  hints: Readonly<Record<Action, ActionHint>>,
  bindings: Bindings<Action>,
  device: ControlDevice,
): readonly ControlHint[] {
  return (Object.keys(bindings) as Action[])
    .filter((action) => bindings[action].length > 0)
    .map((action) => {
      const { label, touch, direction } = hints[action];
      const hint = { label, device, bindings: bindings[action] };
      if (device !== CONTROL_DEVICES.keyboard) return { ...hint, touch: "none" };
      return direction === undefined ? { ...hint, touch } : { ...hint, touch, direction };
    });
}
