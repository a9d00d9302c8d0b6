import {
  checkMappingCompatibility,
  defaultCanonicalizer,
  eventListSource,
  inferenceConfig,
  type InferenceConfig,
  type Mapping,
  type UnavailableMapping,
} from "@dreamloop/core";
import { checkConfigSupport, mappingMembers } from "@dreamloop/core/internal";
import { imageInputSize } from "@dreamloop/node";
import type { FoundWorld } from "../lookup/found-world.ts";
import type { SessionSettings } from "../settings/run-settings.ts";
import { checkItem, type CheckItem } from "./check-result.ts";

/** What a check works with once the adapter is there. */
export interface AdapterUnderCheck {
  /** The world. */
  readonly world: FoundWorld;
  /** Configuration and initial inputs to check it with. */
  readonly settings: SessionSettings;
  /** The initial inputs, pictures among them. */
  readonly initial: Mapping;
}

/** The configuration to check a world with. */
export function checkConfig({ world, settings }: Pick<AdapterUnderCheck, "world" | "settings">): InferenceConfig {
  return inferenceConfig({ ...settings.inference, modelId: settings.inference.modelId ?? world.adapter.modelId });
}

/** What can be checked of an adapter without loading the model. */
export async function checkAdapter(subject: AdapterUnderCheck): Promise<readonly CheckItem[]> {
  const { adapter } = subject.world;
  return [
    await checkItem("its configuration is accepted", () => {
      checkConfigSupport(adapter, checkConfig(subject), subject.settings.candidate);
    }),
    ...(adapter.describe === undefined
      ? []
      : [
          await checkItem("it says what its sessions deliver", () => {
            adapter.describe?.(checkConfig(subject));
          }),
        ]),
    await inputsItem(subject),
  ];
}

/** Whether keyboard, mouse, gamepad and the like can drive the world; initial inputs that nobody gave are asked for, not held against it. */
async function inputsItem({ world, initial }: AdapterUnderCheck): Promise<CheckItem> {
  const name = "keyboard, mouse and gamepad can drive it";
  const { adapter } = world;
  let missingInitial: readonly string[] = [];
  let dead = "";
  const item = await checkItem(name, () => {
    const mappings = mappingMembers(adapter.defaultInputMapping());
    const { schema } = eventListSource({ events: [] });
    const compatibility = checkMappingCompatibility({
      canonicalSchema: defaultCanonicalizer(adapter, mappings).canonicalSchema(schema),
      modelSchema: adapter.modelInputSchema,
      mappings,
      modelInputs: { initial },
    });
    const { missingRequiredFields, unavailableMappings } = compatibility;
    dead = unavailableMappings.map(deadInputs).join("\n");
    if (missingRequiredFields.every(({ slot }) => slot === "initial")) {
      missingInitial = missingRequiredFields.map((field) => field.name);
    } else compatibility.raiseIfIncompatible();
  });
  if (item.outcome === "failed") return item;
  if (missingInitial.length === 0) return dead === "" ? item : { ...item, message: dead };
  const given = missingInitial.map((each) => {
    const field = adapter.modelInputSchema.initialFields.find(({ name: other }) => other === each);
    if (field !== undefined && imageInputSize(field) !== undefined) return `--image ${each}=FILE`;
    return each === "prompt" ? "--prompt TEXT" : `--initial ${each}=VALUE`;
  });
  return { name, outcome: "skipped", message: `it needs initial inputs: ${given.join(" ")}` };
}

/** A mapping that no device can feed is left out, and what it makes keeps its neutral value for ever. */
function deadInputs({ name, mapping, missingModalities }: UnavailableMapping): string {
  const inputs = [...mapping.producesInitial, ...mapping.producesStep, ...mapping.producesUpdate];
  const needed = missingModalities.map((modality) => modality.name);
  return `mapping ${JSON.stringify(name)} is left out, as nothing supplies ${needed.join(", ")}: ${inputs.join(", ")} never change`;
}
