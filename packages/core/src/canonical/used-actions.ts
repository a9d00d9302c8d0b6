import type { InputMapping } from "../mapping/input-mapping.ts";
import { listOf, text } from "../validate/reader.ts";
import { DEFAULT_ACTION_BINDINGS } from "./converters/named-actions.ts";
import { GAMEPAD_ACTION_BINDINGS, gamepadToActions } from "./converters/gamepad.ts";
import { keyboardToActions } from "./converters/keyboard.ts";
import { deviceConverter, type DeviceConverter } from "./device-converter.ts";
import { ACTIONS, type Actions } from "./modalities.ts";
import { modality, type ModalityOf } from "./modality.ts";

const readNames = listOf(text({ maxLength: 128 }), { max: 4096 });

/**
 * The modality `actions` for a mapping that looks at these names only, which legends and touch screens then show in place of all names that
 * the shared bindings have. The values are those of `ACTIONS`. Refuses blank names.
 */
export function actionsNamed(names: readonly string[]): ModalityOf<Actions> {
  const { name, metadata } = ACTIONS;
  const uses = Object.freeze([...readNames(names, "actionsNamed(names)")]);
  return modality<Actions>({ name, neutral: metadata.neutral as Actions, metadata: { uses } });
}

/** The actions that mappings look at; `undefined` where one of them does not say, and may look at any. */
export function usedActions(mappings: readonly InputMapping[]): ReadonlySet<string> | undefined {
  const used = new Set<string>();
  for (const member of mappings.flatMap((mapping) => mapping.members ?? [mapping])) {
    for (const { name, metadata } of [...member.consumes, ...member.consumesOptional]) {
      if (name !== ACTIONS.name) continue;
      if (!Array.isArray(metadata.uses)) return undefined;
      for (const action of metadata.uses as readonly string[]) used.add(action);
    }
  }
  return used;
}

/** The standard converters with the explanations of these actions only; they convert as ever. */
export function explainingOnly(
  used: ReadonlySet<string>,
  converters: readonly DeviceConverter[],
): readonly DeviceConverter[] {
  const usedOf = (bindings: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, readonly string[]>> =>
    Object.fromEntries(Object.entries(bindings).filter(([action]) => used.has(action)));
  const explained = new Map(
    [
      gamepadToActions({ bindings: usedOf(GAMEPAD_ACTION_BINDINGS) }),
      keyboardToActions({ bindings: usedOf(DEFAULT_ACTION_BINDINGS) }),
    ].map(({ name, controls }) => [name, controls]),
  );
  return converters.map((converter) => {
    const controls = explained.get(converter.name);
    return controls === undefined ? converter : deviceConverter({ ...converter, controls });
  });
}
