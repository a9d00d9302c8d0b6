import type { CanonicalModality } from "../../canonical/canonical-inputs.ts";
import type { DeviceConverter } from "../../canonical/device-converter.ts";
import type { ConditioningField } from "../../mapping/conditioning-mapping.ts";
import type { AdapterSupport } from "../model-adapter.ts";
import type { ModelInputSchema } from "../../mapping/model-input-schema.ts";
import type { Json } from "../../foundation/validate/reader.ts";
import type { StandardSchema } from "../../foundation/validate/standard-schema.ts";
import type { InputSpecs } from "./input-spec.ts";
import type { WorldVideo } from "./world-definition.ts";

/** How many sessions of a world may be open at a time unless it says otherwise. */
export const DEFAULT_MAX_SESSIONS = 64;

/** A function of a definition, once its types have done their work. */
export type WorldFunction<Result> = (context: object) => Result;

/** A definition that has been checked. */
export interface World {
  /** Identity. */
  readonly id: string;
  /** Version of its behaviour. */
  readonly version: string;
  /** For people. */
  readonly title?: string;
  /** For people. */
  readonly description?: string;
  /** Checks `runtimeOptions`. */
  readonly options?: StandardSchema;
  /** What is delivered, or how that follows from the settings. */
  readonly video: WorldVideo | WorldFunction<WorldVideo>;
  /** Inputs by slot. */
  readonly inputs: WorldInputs;
  /** Modalities by the names under which the world sees them. */
  readonly controls: Readonly<Record<string, CanonicalModality>>;
  /** The same for modalities that may be absent. */
  readonly optionalControls: Readonly<Record<string, CanonicalModality>>;
  /** Converters beside the standard ones. */
  readonly converters?: readonly DeviceConverter[];
  /** Words for pickers. */
  readonly promptVocabulary?: readonly string[];
  /** Whole prompts for pickers. */
  readonly promptSuggestions?: readonly string[];
  /** Supported configurations. */
  readonly supports?: AdapterSupport;
  /** Open sessions at a time. */
  readonly maxSessions: number;
  /** Steps of a rollout. */
  readonly maxSteps?: number;
  /** Simulation between controls and model. */
  readonly dynamics?: { readonly start: WorldFunction<unknown>; readonly step: WorldFunction<unknown> };
  /** Makes the step inputs. */
  readonly map?: WorldFunction<unknown>;
  /** Loads what sessions share. */
  readonly load?: WorldFunction<unknown>;
  /** Frees it. */
  readonly close?: (model: unknown) => void | Promise<void>;
  /** Says what it is. */
  readonly facts?: (model: unknown) => { readonly [key: string]: Json };
  /** The state before the first step. */
  readonly start?: WorldFunction<unknown>;
  /** One step. */
  readonly step: WorldFunction<unknown>;
}

/** The inputs of a world in the forms in which they are needed. */
export interface WorldInputs {
  /** Initial inputs by name. */
  readonly initial: InputSpecs;
  /** Step inputs by name. */
  readonly step: InputSpecs;
  /** Both as the model's schema. */
  readonly schema: ModelInputSchema;
  /** Which initial input each part of the conditioning changes. */
  readonly conditioning: Readonly<Partial<Record<ConditioningField, string>>>;
}

/** How errors name a function of a world. */
export function placeIn(world: Pick<World, "id">, part: string): string {
  return `World(${JSON.stringify(world.id)}).${part}`;
}
