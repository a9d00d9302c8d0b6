import type { Json } from "@dreamloop/core";
import { usageError } from "../program/usage-error.ts";
import { asJson } from "./setting.ts";

/** Splits `name=value`; the value is JSON where it is JSON, else text. */
export function splitPair(option: string, given: string): { readonly name: string; readonly value: Json } {
  const at = given.indexOf("=");
  if (at < 1) throw usageError(`${option}: expected name=value, found ${JSON.stringify(given)}`);
  return { name: given.slice(0, at).trim(), value: asJson(given.slice(at + 1)) as Json };
}
