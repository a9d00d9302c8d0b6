import type { InferenceConfig, InferenceConfigInput, Json } from "@dreamloop/core";
import { finite, flag, jsonMapping, listOf, mappingOf, oneOf, setJsonPath, text } from "@dreamloop/core/internal";
import { ENCODER_NAMES, type EncoderName } from "@dreamloop/outputs";
import type { CliHost } from "../program/cli-host.ts";
import { settling } from "../program/exit-code-of.ts";
import { usageError } from "../program/usage-error.ts";
import { configFileLayer } from "./config-file.ts";
import { environmentLayer } from "./environment.ts";
import { SettingLayer, SettingLayers } from "./layers.ts";
import { splitPair } from "./pair.ts";
import { SERVE_SETTINGS } from "./serve-settings.ts";
import { asBytes, asFlag, asJson, asList, asNumber, asText, type Setting } from "./setting.ts";

type JsonMapping = { readonly [key: string]: Json };

/** Settings of the world and its session, the same for every command that runs one. */
export interface SessionSettings {
  /** The world: an id, a path or a package. */
  readonly world?: string;
  /** Seed of every random draw; default 0. */
  readonly seed: number;
  /** Initial inputs by name, the prompt among them; default none. */
  readonly initial: JsonMapping;
  /** Files of pictures that the world starts from, by the initial input that takes them; under `UNNAMED_IMAGE` for the only one. Absent: none. */
  readonly images?: Readonly<Record<string, string>>;
  /** Which candidate of `inference.model` runs; default the first, 0. */
  readonly candidate: number;
  /** How the model runs: `InferenceConfig` without its `modelId`; default the adapter's choices. */
  readonly inference: Partial<InferenceConfigInput>;
  /** The interpreter of worlds in Python; default the one that is found. */
  readonly python?: string;
  /** Whether a Python file that has changed is loaded anew before the next session; default false. */
  readonly watch?: boolean;
}

/** Settings of `dreamloop run`. */
export interface RunSettings extends SessionSettings {
  /** Frames to render, exactly. */
  readonly frames?: number;
  /** Seconds of the world's time to render. */
  readonly seconds?: number;
  /** A recorded trace whose events are played. */
  readonly trace?: string;
  /** A written script whose events are played. */
  readonly script?: string;
  /** Where frames go; empty when nothing was asked for. */
  readonly out: readonly string[];
  /** The encoder of MP4 files; default `auto`. */
  readonly encoder: EncoderName;
  /** Where the trace is recorded. */
  readonly record?: string;
  /** Whether the payloads of the model inputs are recorded beside the trace. */
  readonly recordInputs: boolean;
  /** Where the statistics are written. */
  readonly stats?: string;
  /** Where the profile is written. */
  readonly profile?: string;
}

const path = text({ maxLength: 4096 });
const count = finite({ integer: true, min: 1, max: 1_000_000_000 });

function setting<Value>(definition: Setting<Value>): Setting<Value> {
  return Object.freeze(definition);
}

/** Settings that every command which runs a world takes. */
export const SESSION_SETTINGS = {
  world: setting({ path: "world", flag: "WORLD", read: path, fromText: asText }),
  seed: setting({ path: "seed", flag: "--seed", read: finite({ integer: true, min: 0 }), fromText: asNumber }),
  prompt: setting({
    path: "prompt",
    flag: "--prompt",
    read: text({ maxLength: 10_000, allowBlank: true }),
    fromText: asText,
  }),
  initial: setting({ path: "initial", flag: "--initial", read: jsonMapping, fromText: asJson }),
  images: setting({ path: "images", flag: "--image", read: mappingOf(path), fromText: asJson }),
  candidate: setting({
    path: "candidate",
    flag: "--candidate",
    read: finite({ integer: true, min: 0 }),
    fromText: asNumber,
  }),
  memory: setting({
    path: "memory",
    flag: "--memory",
    read: finite({ integer: true, min: 1, max: Number.MAX_SAFE_INTEGER }),
    fromText: asBytes,
  }),
  inference: setting({ path: "inference", flag: "--set", read: jsonMapping, fromText: asJson }),
  python: setting({ path: "python", flag: "--python", read: path, fromText: asText }),
  watch: setting({ path: "watch", flag: "--watch", read: flag, fromText: asFlag }),
};

/** Settings of `dreamloop run` alone. */
export const RUN_SETTINGS = {
  frames: setting({ path: "run.frames", flag: "--frames", read: count, fromText: asNumber }),
  seconds: setting({
    path: "run.seconds",
    flag: "--seconds",
    read: finite({ min: 0, aboveMin: true, max: 1_000_000 }),
    fromText: asNumber,
  }),
  trace: setting({ path: "run.trace", flag: "--trace", read: path, fromText: asText }),
  script: setting({ path: "run.script", flag: "--script", read: path, fromText: asText }),
  out: setting({ path: "run.out", flag: "--out", read: listOf(path, { max: 16 }), fromText: asList }),
  encoder: setting({ path: "run.encoder", flag: "--encoder", read: oneOf(ENCODER_NAMES), fromText: asText }),
  record: setting({ path: "run.record", flag: "--record", read: path, fromText: asText }),
  recordInputs: setting({ path: "run.recordInputs", flag: "--record-inputs", read: flag, fromText: asFlag }),
  stats: setting({ path: "run.stats", flag: "--stats", read: path, fromText: asText }),
  profile: setting({ path: "run.profile", flag: "--profile", read: path, fromText: asText }),
};

/** Settings that `dreamloop run` takes as options. */
export const RUN_OPTIONS: readonly Setting<unknown>[] = [
  ...Object.values(SESSION_SETTINGS),
  ...Object.values(RUN_SETTINGS),
];

/** Every setting that may stand in a configuration file or in the environment, of whichever command: each overlooks those of the others. */
export const ALL_SETTINGS: readonly Setting<unknown>[] = [...RUN_OPTIONS, ...Object.values(SERVE_SETTINGS)];

/** What the command line gives, by the setting's path; texts, switches and lists as they came. */
export interface GivenFlags {
  /** Values by the setting's path. */
  readonly values: ReadonlyMap<string, unknown>;
  /** The texts of `--set`, in order. */
  readonly set: readonly string[];
  /** The configuration file, from `--config`. */
  readonly config?: string;
}

/** Where settings come from. */
export interface SettingSources {
  /** The environment and the current folder. */
  readonly host: Pick<CliHost, "env" | "cwd">;
  /** The command line. */
  readonly flags: GivenFlags;
}

/** Layers of defaults < file < environment < flags; `DREAMLOOP_CONFIG` names the file where `--config` does not. */
export function settingLayers({ host, flags }: SettingSources): SettingLayers {
  const file = flags.config ?? host.env.DREAMLOOP_CONFIG;
  const flagLayer = new SettingLayer(flags.values, (each) => each.flag);
  return new SettingLayers([
    ...(file === undefined || file === ""
      ? []
      : [configFileLayer({ path: file, cwd: host.cwd, settings: ALL_SETTINGS })]),
    environmentLayer(host.env, ALL_SETTINGS),
    flagLayer,
  ]);
}

/** Settles the settings that every command shares. */
export function sessionSettings(layers: SettingLayers, flags: GivenFlags): SessionSettings {
  const { world, seed, prompt, initial, candidate, memory, inference, python, watch } = SESSION_SETTINGS;
  const given = layers.value(world);
  return {
    ...(given === undefined ? {} : { world: given }),
    seed: layers.value(seed) ?? 0,
    initial: layers.joined((layer) => {
      const words = layer.value(prompt);
      return { ...layer.value(initial), ...(words === undefined ? {} : { prompt: words }) };
    }),
    ...imagesInForce(layers),
    ...present({ python: layers.value(python), watch: layers.value(watch) }),
    candidate: layers.value(candidate) ?? 0,
    inference: flags.set.reduce(
      writeSet,
      layers.joined((layer) => withMemory(layer.value(inference), layer.value(memory))),
    ),
  };
}

/** `--memory` is the short form of a bundle's option. */
function withMemory(inference: JsonMapping = {}, memoryBytes: number | undefined): JsonMapping {
  return memoryBytes === undefined ? inference : setJsonPath(inference, "runtimeOptions.memoryBytes", memoryBytes);
}

function imagesInForce(layers: SettingLayers): Pick<SessionSettings, "images"> {
  const images = layers.joined((layer) => layer.value(SESSION_SETTINGS.images)) as Readonly<Record<string, string>>;
  return Object.keys(images).length === 0 ? {} : { images };
}

/** Settles the settings of a run; a refusal is marked as the caller's. */
export function runSettings(sources: SettingSources): RunSettings {
  return settling(() => {
    const layers = settingLayers(sources);
    const { frames, seconds, trace, script, out, encoder, record, recordInputs, stats, profile } = RUN_SETTINGS;
    const files = { record: layers.value(record), stats: layers.value(stats), profile: layers.value(profile) };
    const wantsInputs = layers.value(recordInputs) ?? false;
    if (wantsInputs && files.record === undefined) {
      throw usageError("--record-inputs: there is no trace to put them beside; add --record FILE");
    }
    return {
      ...sessionSettings(layers, sources.flags),
      ...layers.onlyOneOf({ frames, seconds }, "both say how long the run is"),
      ...layers.onlyOneOf({ trace, script }, "a run plays one of them"),
      ...present(files),
      out: layers.value(out) ?? [],
      encoder: layers.value(encoder) ?? ENCODER_NAMES.auto,
      recordInputs: wantsInputs,
    };
  });
}

/** Without the entries that are `undefined`. */
function present<T extends object>(entries: T): { readonly [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined)) as {
    readonly [Key in keyof T]?: Exclude<T[Key], undefined>;
  };
}

/** One `--set path=value`, laid over what the layers below say. */
function writeSet(inference: JsonMapping, given: string): JsonMapping {
  const { name, value } = splitPair("--set", given);
  return setJsonPath(inference, name, value);
}

/**
 * The configuration in force in the form of a configuration file: `--config` with it gives the same run. `config` is the model's,
 * with all defaults filled in.
 */
export function printableSettings(settings: RunSettings, config: InferenceConfig): Readonly<Record<string, unknown>> {
  const { world, seed, initial, images, candidate, inference: _, python, watch, ...run } = settings;
  const { modelId: __, ...inference } = config;
  return { world, seed, initial, ...present({ images, python, watch }), candidate, inference, run };
}
