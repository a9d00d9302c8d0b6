import type { InputMapping } from "../mapping/input-mapping.ts";
import type { ModelAdapter } from "../model/model-adapter.ts";
import { actionSetToActions } from "./converters/action-set.ts";
import { axesToCameraMotion, axesToDriverCommand } from "./converters/axes.ts";
import { conditioningConverter } from "./converters/conditioning.ts";
import {
  gamepadToActions,
  gamepadToCameraMotion,
  gamepadToDriverCommand,
  gamepadToLookDelta,
} from "./converters/gamepad.ts";
import { keyboardToActions, keyboardToCameraMotion, keyboardToDriverCommand } from "./converters/keyboard.ts";
import { mouseToLookDelta } from "./converters/mouse.ts";
import { steeringWheelToDriverCommand } from "./converters/steering-wheel.ts";
import type { DeviceConverter } from "./device-converter.ts";
import { InputCanonicalizer } from "./input-canonicalizer.ts";
import { explainingOnly, usedActions } from "./used-actions.ts";

/** The shipped converters with their default bindings, in the order in which they are registered. */
export function standardConverters(): readonly DeviceConverter[] {
  return [
    axesToDriverCommand(),
    steeringWheelToDriverCommand(),
    gamepadToDriverCommand(),
    keyboardToDriverCommand(),
    axesToCameraMotion(),
    gamepadToCameraMotion(),
    keyboardToCameraMotion(),
    mouseToLookDelta(),
    gamepadToLookDelta(),
    actionSetToActions(),
    gamepadToActions(),
    keyboardToActions(),
    conditioningConverter(),
  ];
}

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
