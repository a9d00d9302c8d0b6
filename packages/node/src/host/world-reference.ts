import { pathToFileURL } from "node:url";
import { isAbsolute } from "node:path";
import { DreamloopError, ERROR_CODES, isDreamloopError, type Json, type ModelAdapter } from "@dreamloop/core";
import { assertModelAdapter, json, optional, recordFactory, text, withDefault } from "@dreamloop/core/internal";
import { noteSyntaxPlace } from "./syntax-place.ts";

/** Where an adapter comes from, in a form that crosses threads. */
export interface WorldReference {
  /** Absolute path or `file:` URL of a module, or a package name that the host can resolve. */
  readonly module: string;
  /** The export that is the adapter, or a function that makes one; default `default`. */
  readonly exportName: string;
  /** Given to the export when it is a function, such as the folder of a bundle. */
  readonly argument?: Json;
}

/** What the factory of `WorldReference` takes. */
export type WorldReferenceInput = Pick<WorldReference, "module"> & Partial<WorldReference>;

const make = recordFactory<WorldReference>("WorldReference", {
  module: text({ maxLength: 8192 }),
  exportName: withDefault(text({ maxLength: 200 }), "default"),
  argument: optional(json),
});

/** Makes a `WorldReference`; refuses blank names, wrong types and unknown keys. */
export function worldReference(input: WorldReferenceInput): WorldReference {
  return make(input);
}

/** Imports the module and gives its adapter; throws `not_found`, `load_failed` or `invalid_value` naming the module. */
export async function importAdapter(reference: WorldReference): Promise<ModelAdapter> {
  const { module, exportName, argument } = reference;
  const specifier = isAbsolute(module) ? pathToFileURL(module).href : module;
  const loaded = await importModule(specifier, module);
  const exported = loaded[exportName];
  if (exported === undefined) {
    const names = Object.keys(loaded).join(", ") || "none";
    throw new DreamloopError(
      ERROR_CODES.notFound,
      `${module}: no export ${JSON.stringify(exportName)}; exports: ${names}`,
    );
  }
  const adapter: unknown =
    typeof exported === "function" ? await (exported as (value: unknown) => unknown)(argument) : exported;
  try {
    assertModelAdapter(adapter);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DreamloopError(
      ERROR_CODES.invalidValue,
      `${module}: its export ${JSON.stringify(exportName)} is no world: ${reason}`,
      { cause: error },
    );
  }
  return adapter;
}

async function importModule(specifier: string, module: string): Promise<Record<string, unknown>> {
  try {
    return (await import(specifier)) as Record<string, unknown>;
  } catch (error) {
    if (isDreamloopError(error)) throw error;
    noteSyntaxPlace(error, specifier);
    const reason = error instanceof Error ? error.message : String(error);
    throw new DreamloopError(ERROR_CODES.loadFailed, `${module}: the module cannot be loaded: ${reason}`, {
      cause: error,
    });
  }
}
