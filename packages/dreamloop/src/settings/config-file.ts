import { isPlainObject, refuse, refuseUnknownKeys } from "@dreamloop/core/internal";
import { usageError } from "../program/usage-error.ts";
import { SettingLayer } from "./layers.ts";
import { readGivenText } from "./read-given-text.ts";
import type { Setting } from "./setting.ts";

/** A configuration is a page of text; what is larger is another file. */
const MAX_CONFIG_BYTES = 1_000_000;

/** Where the configuration file is named and what it may hold. */
export interface ConfigFileOptions {
  /** The path as given. */
  readonly path: string;
  /** The current folder. */
  readonly cwd: string;
  /** Settings that may stand in it. */
  readonly settings: readonly Setting<unknown>[];
}

/** The layer of a configuration file (JSON); unknown keys are refused with the nearest known one. */
export function configFileLayer({ path, cwd, settings }: ConfigFileOptions): SettingLayer {
  const content = parse(path, readGivenText({ flag: "--config", path, cwd, maxBytes: MAX_CONFIG_BYTES }));
  if (!isPlainObject(content)) refuse(path, "a mapping (a JSON object)", content);
  const values = new Map<string, unknown>();
  const paths = settings.map((setting) => setting.path);
  refuseUnknownKeys(content, [...new Set(paths.map(firstName))], path);
  for (const section of new Set(paths.filter((each) => each.includes(".")).map(firstName))) {
    const part = content[section];
    if (part === undefined) continue;
    if (!isPlainObject(part)) refuse(`${path}: ${section}`, "a mapping (a JSON object)", part);
    const known = paths.filter((each) => each.startsWith(`${section}.`)).map((each) => each.slice(section.length + 1));
    refuseUnknownKeys(part, known, `${path}: ${section}`);
    for (const [key, value] of Object.entries(part)) values.set(`${section}.${key}`, value);
  }
  for (const setting of settings) {
    if (!setting.path.includes(".") && content[setting.path] !== undefined)
      values.set(setting.path, content[setting.path]);
  }
  return new SettingLayer(values, (setting) => `${path}: ${setting.path}`);
}

function firstName(path: string): string {
  return path.split(".", 1)[0] ?? path;
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, "")) as unknown;
  } catch (cause) {
    throw usageError(
      `${path}: not valid JSON (${cause instanceof Error ? cause.message : String(cause)}); mend it there`,
    );
  }
}
