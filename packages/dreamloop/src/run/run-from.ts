import { resolve } from "node:path";
import {
  DreamloopError,
  eventListSource,
  isDreamloopError,
  type FiniteInputSource,
  type RunFrom,
} from "@dreamloop/core";
import type { MomentFacts } from "@dreamloop/core/internal";
import { openMomentFile, readMomentBytes, runFrom } from "@dreamloop/node";
import { usageError } from "../program/usage-error.ts";

/** A moment that a command goes on from. */
export interface OpenedMoment {
  /** What it says of itself. */
  readonly facts: MomentFacts;
  /** What the driver goes on from. */
  readonly from: RunFrom;
}

/** Opens the moment of `--from`; a fault names the file. */
export async function openFrom(
  path: string,
  options: { readonly cwd: string; readonly seed?: number; readonly allowOtherEngine?: boolean },
): Promise<OpenedMoment> {
  const full = resolve(options.cwd, path);
  const { seed, allowOtherEngine } = options;
  try {
    const { facts } = await openMomentFile(full);
    const from = await runFrom(await readMomentBytes(full), {
      ...(seed === undefined ? {} : { seed }),
      ...(allowOtherEngine === undefined ? {} : { allowOtherEngine }),
    });
    return { facts, from };
  } catch (error) {
    if (!isDreamloopError(error) || error.message.includes(full)) throw error;
    throw new DreamloopError(error.code, `${path}: ${error.message}`, { cause: error, details: error.details });
  }
}

/** Events that change the prompt right after the moment. Refuses a prompt beside an input of its own, which says it itself. */
export function promptSource(
  prompt: string,
  atSeconds: number,
  input: FiniteInputSource | undefined,
): FiniteInputSource {
  if (input !== undefined) throw usageError("--prompt: with --from and an input, let the input set the prompt");
  return eventListSource({ events: [{ timestampSeconds: atSeconds, eventType: "prompt_set", payload: { prompt } }] });
}
