import type { DeviceConverter } from "../../canonical/device-converter.ts";
import type { InferenceConfig } from "../../model/inference-config.ts";
import type { AdapterSupport, LoadProgress } from "../model-adapter.ts";
import type { SessionDescription, SessionDescriptionInput } from "../../model/session-description.ts";
import type { PixelData, PixelFormat } from "../../model/video-chunk.ts";
import type { RuntimeMetricSampleInput } from "../../foundation/metrics/runtime-metric-sample.ts";
import type { RandomStream } from "../../foundation/random/index.ts";
import type { Json, Mapping } from "../../foundation/validate/reader.ts";
import type { StandardSchema } from "../../foundation/validate/standard-schema.ts";
import type { ControlSpecs, ControlValues } from "./control-spec.ts";
import type { InputProducts, InputSpecs, InputValues, RequiredInputNames } from "./input-spec.ts";

/** Size, rate and colour of the frames; see `SessionDescription`. `deterministic` is true unless said otherwise. */
export type WorldVideo<Format extends PixelFormat = PixelFormat> = Omit<
  SessionDescriptionInput,
  "worldId" | "format"
> & {
  /** Type and channel order of pixels; default `rgb8`. */
  readonly format?: Format;
};

/** The array that holds pixels of a format. */
export type WorldFrames<Format extends PixelFormat> = Format extends "rgbf32" ? Float32Array : Uint8Array;

/** Random numbers that depend on the seed, the step and the name alone: `random("noise").nextNormal()`. */
export type WorldRandom = (stream: string, subStep?: number) => RandomStream;

/** What is known before anything loads. */
export interface WorldSettings<Options> {
  /** The configuration in force. */
  readonly config: InferenceConfig;
  /** `config.runtimeOptions` as the world's options schema gave them; empty without a schema. */
  readonly options: Options;
}

/** What `load` is given. */
export interface WorldLoad<Options> extends WorldSettings<Options> {
  /** What the sessions will deliver. */
  readonly video: SessionDescription;
  /** Fires when the load is not wanted any longer; what was loaded by then is to be freed. */
  readonly signal: AbortSignal;
  /** Tells how far the load is. */
  readonly progress: (progress: LoadProgress) => void;
}

/** What is the same for every step of a rollout. */
export interface WorldRollout<Initial, Options, Model> extends WorldSettings<Options> {
  /** What `load` gave; shared by all sessions. */
  readonly model: Model;
  /** What the session delivers. */
  readonly video: SessionDescription;
  /** The initial inputs in force: as given, with defaults, amended by updates. */
  readonly initial: InputValues<Initial>;
  /** The seed of the rollout. */
  readonly seed: number;
  /** Random numbers. */
  readonly random: WorldRandom;
  /** Fires when the work is not wanted any longer; its state is dropped. */
  readonly signal: AbortSignal | undefined;
}

/** How long a step is, on the world's own timeline. */
export interface WorldStepTime {
  /** Index of the step since the start or the last reset. */
  readonly stepIndex: number;
  /** Frames of this step. */
  readonly frameCount: number;
  /** Duration of this step: frames divided by the world's rate, whatever the clock on the wall says. */
  readonly durationSeconds: number;
}

/** What `step` is given. */
export interface WorldStep<Format extends PixelFormat, Initial, Step, Options, Model, State>
  extends WorldRollout<Initial, Options, Model>, WorldStepTime {
  /** The inputs of this step. */
  readonly inputs: InputValues<Step>;
  /** What the step before gave; not to be changed in place, since a failed step must leave it as it was. */
  readonly state: Readonly<State>;
  /** Names of the initial inputs that an update changed at this step. */
  readonly updated: readonly (keyof Initial & string)[];
  /** A fresh array for the frames of this step, all zero, in the world's format; made when first read. */
  readonly frames: WorldFrames<Format>;
}

/** What `step` gives: the frames, and the state unless the world has none. */
export type WorldStepOutcome<State> = {
  /** The pixels of all frames of this step, in the world's format and layout. */
  readonly frames: PixelData;
  /** Whether the rollout ends with this step; default false. */
  readonly isLast?: boolean;
  /** Further facts for `StepResult.metadata`. */
  readonly metadata?: Mapping;
  /** Measurements for `StepResult.metrics`. */
  readonly metrics?: readonly RuntimeMetricSampleInput[];
} & (undefined extends State
  ? {
      /** The state after this step; plain data, so that it can be snapshot. */
      readonly state?: Readonly<State>;
    }
  : {
      /** The state after this step; plain data, so that it can be snapshot. */
      readonly state: Readonly<State>;
    });

/** A deterministic simulation between the controls and the model: its state belongs to the mapping. */
export interface WorldDynamics<Controls, OptionalControls, Dynamics> {
  /** The state before the first step; plain data. */
  readonly start: (context: { readonly seed: number; readonly random: WorldRandom }) => Dynamics;
  /** The state after a step; the one before is not to be changed in place. */
  readonly step: (
    context: WorldStepTime & {
      /** The state before. */
      readonly state: Readonly<NoInfer<Dynamics>>;
      /** What the controls say. */
      readonly controls: ControlValues<Controls, OptionalControls>;
      /** The seed of the rollout. */
      readonly seed: number;
      /** Random numbers. */
      readonly random: WorldRandom;
    },
  ) => Readonly<NoInfer<Dynamics>>;
}

/** What `map` is given. */
export interface WorldMap<Controls, OptionalControls, Dynamics> extends WorldStepTime {
  /** What the controls say. */
  readonly controls: ControlValues<Controls, OptionalControls>;
  /** The state of `dynamics` after this step; `undefined` without dynamics. */
  readonly dynamics: Readonly<Dynamics>;
}

/** Refuses products that no step input is named after: TypeScript checks returned literals for missing fields only. */
export type NothingElse<Products, Step> = {
  readonly [Name in Exclude<keyof Products, keyof Step>]: never;
};

/** Everything about a world; see `defineWorld`. Functions come after what they use, since their types follow from it in that order. */
export interface WorldDefinition<
  Format extends PixelFormat,
  Initial extends InputSpecs,
  Step extends InputSpecs,
  Controls extends ControlSpecs,
  OptionalControls extends ControlSpecs,
  Options,
  Model,
  Dynamics,
  Products,
  State,
> {
  /** Stable identity of the world; not blank. */
  readonly id: string;
  /** Version of its behaviour, recorded in traces and snapshots; default `1`. */
  readonly version?: string;
  /** For people. */
  readonly title?: string;
  /** For people. */
  readonly description?: string;
  /** Checks and types `runtimeOptions`; absent: every option is refused. */
  readonly options?: StandardSchema<unknown, Options>;
  /** Size, rate and colour of the frames, or what they are under some settings. */
  readonly video: WorldVideo<Format> | ((settings: WorldSettings<Options>) => WorldVideo<Format>);
  /** What the model needs. */
  readonly inputs?: {
    /** Starts a rollout, by name. */
    readonly initial?: Initial;
    /** Feeds one step, by name; made by `map`. */
    readonly step?: Step;
    /** Sets of initial inputs of which one must be complete; their members are declared optional. */
    readonly alternatives?: readonly (readonly (keyof NoInfer<Initial> & string)[])[];
  };
  /** What the world is controlled by, under names of your own: `{ drive: "driver_command" }`. A source without them cannot drive it. */
  readonly controls?: Controls;
  /** What it also understands where a source has it. */
  readonly optionalControls?: OptionalControls;
  /** Converters beside the standard ones, which they replace by name. */
  readonly converters?: readonly DeviceConverter[];
  /** Words that the prompt understands, for pickers; absent: free text. */
  readonly promptVocabulary?: readonly string[];
  /** Whole prompts that you offer, one for each thing worth seeing; at most 24 of at most 80 letters. Absent: none. */
  readonly promptSuggestions?: readonly string[];
  /** What configurations it supports; absent: the defaults of `AdapterSupport`. */
  readonly supports?: AdapterSupport;
  /** How many sessions may be open at a time; default `DEFAULT_MAX_SESSIONS`. */
  readonly maxSessions?: number;
  /** Steps after which a rollout is complete; default unlimited. */
  readonly maxSteps?: number;
  /** A deterministic simulation between controls and model, such as the dynamics of a vehicle. */
  readonly dynamics?: WorldDynamics<Controls, OptionalControls, Dynamics>;
  /** Makes the step inputs from the controls; required when there are required step inputs. */
  readonly map?: (
    context: WorldMap<Controls, OptionalControls, Dynamics>,
  ) => Products & InputProducts<Step> & NothingElse<Products, Step>;
  /** Loads what all sessions share: weights, textures, another process. */
  readonly load?: (context: WorldLoad<Options>) => Model | Promise<Model>;
  /** Frees what `load` made. */
  readonly close?: (model: NoInfer<Model>) => void | Promise<void>;
  /** Facts about the loaded model for traces and statistics; plain JSON. */
  readonly facts?: (model: NoInfer<Model>) => { readonly [key: string]: Json };
  /** The state before the first step; plain data, so that it can be snapshot. Absent: a world without state. */
  readonly start?: (context: WorldRollout<Initial, Options, NoInfer<Model>>) => State | Promise<State>;
  /** One step: frames and the state after it. A step that throws changes nothing. */
  readonly step: (
    context: WorldStep<NoInfer<Format>, Initial, Step, Options, NoInfer<Model>, NoInfer<State>>,
  ) => WorldStepOutcome<NoInfer<State>> | Promise<WorldStepOutcome<NoInfer<State>>>;
}

/** Asks for `map` where there are required step inputs. */
export type RequiresMap<Step> = [RequiredInputNames<Step>] extends [never] ? unknown : { readonly map: unknown };
