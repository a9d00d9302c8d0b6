import { GAMEPAD_ACTION_BINDINGS, gamepadToActions } from "../canonical/converters/gamepad.ts";
import { keyboardToActions } from "../canonical/converters/keyboard.ts";
import { DEFAULT_ACTION_BINDINGS } from "../canonical/converters/named-actions.ts";
import { deviceConverter, type DeviceConverter } from "../canonical/device-converter.ts";
import { InputCanonicalizer } from "../canonical/input-canonicalizer.ts";
import { ACTIONS } from "../canonical/modalities.ts";
import { standardConverters } from "../canonical/standard-converters.ts";
import type { InputMapping } from "../mapping/input-mapping.ts";
import type { ModelAdapter } from "./model-adapter.ts";

/**
 * The canonicaliser that a run uses unless told otherwise: the adapter's own converters, else the standard ones of the modalities that
 * `mappings` (default: the adapter's mapping) consume; they explain the actions that are used (`actionsNamed`). Without an adapter and mappings: all standard ones.
 */
export function defaultCanonicalizer(
  adapter?: Pick<ModelAdapter, "converters" | "defaultInputMapping">,
  mappings?: readonly InputMapping[],
): InputCanonicalizer {
  if (adapter?.converters !== undefined) return new InputCanonicalizer({ converters: adapter.converters });
  const consumers = mappings ?? (adapter === undefined ? undefined : [adapter.defaultInputMapping()]);
  const converters = standardConverters();
  if (consumers === undefined) return new InputCanonicalizer({ converters });
  const consumed = new Set(
    consumers.flatMap((mapping) => [...mapping.consumes, ...mapping.consumesOptional]).map(({ name }) => name),
  );
  const consumable = converters.filter(({ produces }) => consumed.has(produces.name));
  const used = usedActions(consumers);
  return new InputCanonicalizer({ converters: used === undefined ? consumable : explainingOnly(used, consumable) });
}

/** The actions that mappings look at; `undefined` where one of them does not say, and may look at any. */
function usedActions(mappings: readonly InputMapping[]): ReadonlySet<string> | undefined {
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
function explainingOnly(used: ReadonlySet<string>, converters: readonly DeviceConverter[]): readonly DeviceConverter[] {
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
