import {
  ACTIONS,
  CONDITIONING,
  type DeviceConverter,
  gamepadToActions,
  type InputMapping,
  inputMapping,
  keyboardToActions,
  mappingSet,
  standardConverters,
} from "@dreamloop/core";
import type { WorldManifest } from "../manifest/world-manifest.ts";
import type { DomainBinding } from "../plan/bind-domain.ts";
import { controlMappings } from "../plan/control-mapping.ts";
import type { Bundle } from "../plan/open-bundle.ts";
import type { PromptEncoder } from "../plan/prompt-encoder.ts";
import { type PromptReport, REFUSED_PROMPTS } from "../session/initial-encoder.ts";

/** All that turns canonical inputs into the inputs of a bundle: its domain, its controls, and what arrives while it runs. */
export function bundleMapping(
  bundle: Bundle,
  domain: DomainBinding | undefined,
  prompts: ReadonlyMap<string, PromptEncoder>,
): InputMapping {
  const mappings = [
    ...(domain === undefined ? [] : [domain.bound.mapping]),
    ...controlMappings(bundle.manifest),
    ...conditioningMappings(bundle.manifest, prompts),
  ];
  const [only] = mappings;
  return mappings.length === 1 && only !== undefined ? only : mappingSet(mappings);
}

/**
 * Turns prompts and pictures that arrive while the world runs into updates. A prompt of which no word is known changes
 * nothing and is reported: one slip of a key must not end a session.
 */
export function conditioningMappings(
  manifest: WorldManifest,
  prompts: ReadonlyMap<string, PromptEncoder>,
): readonly InputMapping[] {
  const fields = Object.entries(manifest.inputs.initial).flatMap(([name, input]): [string, string][] => {
    if (input.updatePolicy !== "step_boundary") return [];
    if (input.type === "image") return [[name, "image"]];
    if (input.type === "prompt") return [[name, input.conditioning]];
    return input.type === "choice" ? [[name, "prompt"]] : [];
  });
  if (fields.length === 0) return [];
  const mapping = inputMapping<null>({
    name: "bundle:conditioning",
    consumesOptional: [CONDITIONING],
    producesUpdate: fields.map(([name]) => name),
    createState: () => null,
    mapStepInputs({ canonical, modelInputs, state }) {
      const arrived = canonical.values[CONDITIONING.name];
      if (arrived === undefined) return { inputs: modelInputs, state };
      const update: Record<string, unknown> = { ...modelInputs.update };
      const refused: Record<string, PromptReport> = {};
      for (const [name, part] of fields) {
        const value = arrived[part];
        if (value === undefined) continue;
        const report = refusal(manifest, prompts, name, value);
        if (report === undefined) update[name] = value;
        else refused[name] = report;
      }
      const { initial, step } = modelInputs;
      const metadata = {
        ...modelInputs.metadata,
        ...(Object.keys(refused).length > 0 ? { [REFUSED_PROMPTS]: refused } : {}),
      };
      return { inputs: { initial, step, update, metadata }, state };
    },
  });
  return [mapping];
}

function refusal(
  manifest: WorldManifest,
  prompts: ReadonlyMap<string, PromptEncoder>,
  name: string,
  value: unknown,
): PromptReport | undefined {
  if (typeof value !== "string") return undefined;
  const input = manifest.inputs.initial[name];
  if (input?.type === "choice") {
    const known = Object.keys(input.choices).some((each) => each.toLowerCase() === value.trim().toLowerCase());
    return known ? undefined : { knownWords: [], unknownWords: [value], cutWords: [], applied: false };
  }
  const encoder = prompts.get(name);
  if (encoder?.isUnknown(value) !== true) return undefined;
  return { knownWords: [], unknownWords: encoder.encode(value).unknownWords, cutWords: [], applied: false };
}

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
