import type { Json } from "@dreamloop/core";
import { usageError } from "../program/usage-error.ts";
import { overlay, type Setting } from "./setting.ts";

/** Values of one origin: a file, the environment, the flags. */
export class SettingLayer {
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #name: (setting: Pick<Setting<unknown>, "path" | "flag">) => string;

  /** `values` by the setting's path, not yet checked; `name` is how an error names a setting of this origin. */
  constructor(
    values: ReadonlyMap<string, unknown>,
    name: (setting: Pick<Setting<unknown>, "path" | "flag">) => string,
  ) {
    this.#values = values;
    this.#name = name;
  }

  /** The checked value, or `undefined` when this origin has none. */
  value<Value>(setting: Setting<Value>): Value | undefined {
    const given = this.#values.get(setting.path);
    return given === undefined ? undefined : setting.read(given, this.name(setting));
  }

  /** How an error names a setting of this origin: `--frames`, `DREAMLOOP_RUN_FRAMES`, `my.json: run.frames`. */
  name(setting: Pick<Setting<unknown>, "path" | "flag">): string {
    return this.#name(setting);
  }
}

/** Several origins from the weakest to the strongest: file, environment, flags. Defaults are the caller's, below all of them. */
export class SettingLayers {
  readonly #layers: readonly SettingLayer[];

  /** `layers` from the weakest to the strongest. */
  constructor(layers: readonly SettingLayer[]) {
    this.#layers = layers;
  }

  /** The value in force, or `undefined` when no layer has one. Values that a stronger layer covers are checked too. */
  value<Value>(setting: Setting<Value>): Value | undefined {
    let inForce: Value | undefined;
    for (const layer of this.#layers) inForce = layer.value(setting) ?? inForce;
    return inForce;
  }

  /** The mapping in force: those of all layers, joined key by key, the stronger over the weaker. `read` gives a layer's own. */
  joined(read: (layer: SettingLayer) => { readonly [key: string]: Json } | undefined): {
    readonly [key: string]: Json;
  } {
    let inForce: Json = {};
    for (const layer of this.#layers) inForce = overlay(inForce, read(layer) ?? {});
    return inForce as { readonly [key: string]: Json };
  }

  /**
   * Of settings that exclude each other: the one in force, which is that of the strongest layer. Two in one layer are refused with `reason`.
   */
  onlyOneOf<Settings extends Readonly<Record<string, Setting<unknown>>>>(
    settings: Settings,
    reason: string,
  ): { readonly [Key in keyof Settings]?: Settings[Key] extends Setting<infer Value> ? Value : never } {
    let inForce: Record<string, unknown> = {};
    for (const layer of this.#layers) {
      const given = Object.entries(settings).filter(([, setting]) => layer.value(setting) !== undefined);
      if (given.length > 1) {
        const names = given.map(([, setting]) => layer.name(setting)).join(" and ");
        throw usageError(`${names}: ${reason}; leave one of them out`);
      }
      const [only] = given;
      if (only !== undefined) inForce = { [only[0]]: layer.value(only[1]) };
    }
    return inForce as { readonly [Key in keyof Settings]?: Settings[Key] extends Setting<infer Value> ? Value : never };
  }
}
