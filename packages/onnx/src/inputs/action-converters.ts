import {
  ACTIONS,
  gamepadToActions,
  keyboardToActions,
  standardConverters,
  type DeviceConverter,
  type InputMapping,
} from "@dreamloop/core";
import type { WorldManifest } from "../manifest/world-manifest.ts";

/** The converters of a world that names actions of its own; `undefined` where the standard ones serve. */
export function actionConverters(
  manifest: WorldManifest,
  mapping: InputMapping,
): readonly DeviceConverter[] | undefined {
  const { actions } = manifest;
  if (actions === undefined) return undefined;
  const consumed = new Set([...mapping.consumes, ...mapping.consumesOptional].map(({ name }) => name));
  const bindings = (device: "keys" | "pad"): Record<string, readonly string[]> =>
    Object.fromEntries(Object.entries(actions).map(([action, codes]) => [action, codes[device]]));
  const own = [gamepadToActions({ bindings: bindings("pad") }), keyboardToActions({ bindings: bindings("keys") })];
  const replaced = new Set(own.map(({ name }) => name));
  const standard = standardConverters().filter(
    ({ name, produces }) => consumed.has(produces.name) && !replaced.has(name),
  );
  return consumed.has(ACTIONS.name) ? [...standard, ...own] : standard;
}
