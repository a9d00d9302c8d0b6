import { CONDITIONING, inputMapping, type InputMapping } from "@dreamloop/core";
import type { WorldManifest } from "../manifest/world-manifest.ts";
import type { PromptReport } from "./initial-encoder.ts";
import type { PromptEncoder } from "./prompt-encoder.ts";

/** Key of `ModelInputs.metadata` under which prompts that were not passed on are reported, by input name. */
export const REFUSED_PROMPTS = "refusedPrompts";

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
