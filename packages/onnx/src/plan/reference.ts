/** Facts about a state tensor that a graph may ask for beside its content. */
export const STATE_PROPERTIES = {
  /** How many entries are valid. */
  length: "length",
  /** 1 for each valid place, 0 for the others. */
  mask: "mask",
  /** How many entries were appended since the start: the position of the next one. */
  position: "position",
  /** For each place the position of its entry, 0 where there is none. */
  positions: "positions",
} as const;

/** One of `STATE_PROPERTIES`. */
export type StateProperty = (typeof STATE_PROPERTIES)[keyof typeof STATE_PROPERTIES];

/** Counters that the runtime keeps. */
export const RUNTIME_COUNTERS = {
  /** Index of the step since the start or the last reset. */
  stepIndex: "step_index",
  /** Index of the first frame of the step. */
  frameIndex: "frame_index",
} as const;

/** One of `RUNTIME_COUNTERS`. */
export type RuntimeCounter = (typeof RUNTIME_COUNTERS)[keyof typeof RUNTIME_COUNTERS];

/** What a sampler hands to its graph. */
export const SAMPLER_VALUES = {
  /** The latent so far. */
  latent: "latent",
  /** The noise level that it is at. */
  level: "level",
  /** The noise level of each frame: that of the context, then that of the frames that are sampled. */
  levels: "levels",
  /** Index of the denoising step, from 0. */
  index: "index",
} as const;

/** One of `SAMPLER_VALUES`. */
export type SamplerValue = (typeof SAMPLER_VALUES)[keyof typeof SAMPLER_VALUES];

/** Where numbers come from. */
export type Source =
  /** Every element is this number. */
  | { readonly kind: "fill"; readonly value: number }
  /** A named tensor: an input, a constant, an earlier result, or noise. */
  | { readonly kind: "initial" | "step" | "constant" | "value" | "noise" | "state"; readonly name: string }
  /** A fact about a state tensor. */
  | {
      readonly kind: "state_property";
      readonly name: string;
      readonly property: StateProperty;
      readonly modulo?: number | undefined;
      /** Entries that are about to be appended, for `mask` and `positions`. */
      readonly extend?: number | undefined;
    }
  /** A counter. */
  | { readonly kind: "runtime"; readonly counter: RuntimeCounter; readonly modulo?: number | undefined }
  /** Something that the sampler supplies. */
  | { readonly kind: "sampler"; readonly value: SamplerValue };

/** Where a result goes. */
export type Target =
  /** A name for later items. */
  | { readonly kind: "value"; readonly name: string }
  /** A state tensor. */
  | { readonly kind: "state"; readonly name: string }
  /** The frames of the step. */
  | { readonly kind: "frames" };

/** How sources are written; for messages. */
export const SOURCE_FORMS =
  "initial:NAME, step:NAME, constant:NAME, value:NAME, noise:NAME, state:NAME, state:NAME/length, state:NAME/mask, " +
  "state:NAME/position, state:NAME/positions, runtime:step_index, runtime:frame_index, sampler:latent, sampler:level, sampler:levels or sampler:index";

/** How targets are written; for messages. */
export const PIPELINE_TARGET_FORMS = "value:NAME, state:NAME or frames";

/** Reads a source such as `state:keys/length`; `undefined` when it has no such form. */
export function parseSource(text: string): Source | undefined {
  const [kind, rest] = splitOnce(text, ":");
  if (rest === undefined || rest === "") return undefined;
  switch (kind) {
    case "initial":
    case "step":
    case "constant":
    case "value":
    case "noise":
      return { kind, name: rest };
    case "state": {
      const [name, property] = splitOnce(rest, "/");
      if (property === undefined) return { kind, name };
      return isMember(STATE_PROPERTIES, property) ? { kind: "state_property", name, property } : undefined;
    }
    case "runtime":
      return isMember(RUNTIME_COUNTERS, rest) ? { kind, counter: rest } : undefined;
    case "sampler":
      return isMember(SAMPLER_VALUES, rest) ? { kind, value: rest } : undefined;
    default:
      return undefined;
  }
}

/** Reads a target; `undefined` when it has no such form. */
export function parseTarget(text: string): Target | undefined {
  if (text === "frames") return { kind: "frames" };
  const [kind, name] = splitOnce(text, ":");
  if (name === undefined || name === "") return undefined;
  return kind === "value" || kind === "state" ? { kind, name } : undefined;
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function isMember<E extends Readonly<Record<string, string>>>(members: E, text: string): text is E[keyof E] {
  return Object.values(members).includes(text);
}
