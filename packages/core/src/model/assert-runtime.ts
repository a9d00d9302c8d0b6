import { callable, finite, flag, optional, refuse } from "../foundation/validate/reader.ts";
import type { InferenceRuntime, InferenceSession } from "./inference-session.ts";

/** Checks the shape of what an adapter's `createRuntime` gave; throws `invalid_value` naming what is missing. */
export function assertRuntime(value: unknown): asserts value is InferenceRuntime {
  if (typeof value !== "object" || value === null) refuse("InferenceRuntime", "an object", value);
  const runtime = value as { readonly [Field in keyof InferenceRuntime]?: unknown };
  for (const method of ["describe", "startSession", "close"] as const) {
    callable()(runtime[method], `InferenceRuntime.${method}`);
  }
  optional(callable())(runtime.facts, "InferenceRuntime.facts");
  optional(flag)(runtime.ownsPacing, "InferenceRuntime.ownsPacing");
  optional(finite({ integer: true, min: 1 }))(runtime.maxSessions, "InferenceRuntime.maxSessions");
}

/** Checks the shape of what a runtime's `startSession` gave; throws `invalid_value` naming what is missing. */
export function assertSession(value: unknown): asserts value is InferenceSession {
  if (typeof value !== "object" || value === null) refuse("InferenceSession", "an object", value);
  const session = value as { readonly [Field in keyof InferenceSession]?: unknown };
  for (const method of ["nextStepRequest", "step", "reset", "close"] as const) {
    callable()(session[method], `InferenceSession.${method}`);
  }
  for (const method of ["finalizeStep", "discardStep", "snapshot", "restore"] as const) {
    optional(callable())(session[method], `InferenceSession.${method}`);
  }
}
