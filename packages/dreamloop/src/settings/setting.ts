import type { Json } from "@dreamloop/core";
import { isPlainObject, type Reader } from "@dreamloop/core/internal";

/** How the text of an environment variable or a flag becomes a value; what it cannot be stays text, which the reader then refuses. */
export type TextForm = (text: string) => unknown;

/** One setting of a command, wherever its value comes from. */
export interface Setting<Value> {
  /** Its place in a configuration file, dots between the levels: `seed`, `run.frames`. */
  readonly path: string;
  /** The flag that sets it, as people write it: `--frames`. */
  readonly flag: string;
  /** Checks a value and makes it trusted. */
  readonly read: Reader<Value>;
  /** How text becomes a value. */
  readonly fromText: TextForm;
}

/** The environment variable of a setting: `run.recordInputs` is `DREAMLOOP_RUN_RECORD_INPUTS`. */
export function environmentVariable(setting: Pick<Setting<unknown>, "path">): string {
  const words = setting.path.replace(/([a-z])([A-Z])/g, "$1_$2").replaceAll(".", "_");
  return `DREAMLOOP_${words.toUpperCase()}`;
}

/** Text is what it is. */
export const asText: TextForm = (text) => text;

/** A decimal number. */
export const asNumber: TextForm = (text) =>
  /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : text;

/** Bytes: a number, or one with a unit such as `800MB` or `12GiB`. */
export const asBytes: TextForm = (text) => {
  const [, number = "", prefix = "", binary] = /^\s*(\d+(?:\.\d+)?)\s*(?:([kmgt])(i)?b?|b)?\s*$/i.exec(text) ?? [];
  if (number === "") return text;
  const power = prefix === "" ? 0 : "kmgt".indexOf(prefix.toLowerCase()) + 1;
  return Math.round(Number(number) * (binary === undefined ? 1000 : 1024) ** power);
};

/** `true`, `false`, `1` or `0`. */
export const asFlag: TextForm = (text) => {
  const values: Readonly<Record<string, boolean>> = { true: true, "1": true, false: false, "0": false };
  return values[text.trim().toLowerCase()] ?? text;
};

/** JSON where it is JSON, else the text itself. */
export const asJson: TextForm = (text) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

/** A JSON list, or one entry. */
export const asList: TextForm = (text) => {
  const value = asJson(text);
  return Array.isArray(value) ? (value as unknown[]) : [text];
};

/** Lays `high` over `low`: mappings are joined key by key, anything else is replaced. */
export function overlay(low: Json | undefined, high: Json): Json {
  if (!isPlainObject(low) || !isPlainObject(high)) return high;
  const joined: Record<string, Json> = { ...(low as Record<string, Json>) };
  for (const [key, value] of Object.entries(high as Record<string, Json>)) joined[key] = overlay(joined[key], value);
  return joined;
}
