import type { InputMapping } from "../mapping/input-mapping.ts";
import type { ModelAdapter } from "../model/model-adapter.ts";
import { conditioningConverter } from "./converters/conditioning.ts";
import type { DeviceConverter } from "./device-converter.ts";
import { InputCanonicalizer } from "./input-canonicalizer.ts";

/** The shipped converters with their default bindings, in the order in which they are registered. */
export function standardConverters(): readonly DeviceConverter[] {
  return [conditioningConverter()] as readonly DeviceConverter[];
}

/**
 * The canonicaliser that a run uses unless told otherwise: the adapter's own converters, else the standard ones of the modalities that
 * `mappings` (default: the adapter's mapping) consume. Without an adapter and mappings: all standard ones.
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
  return new InputCanonicalizer({ converters: converters.filter(({ produces }) => consumed.has(produces.name)) });
}
