import { isDreamloopError, DreamloopError, ERROR_CODES, openMoment } from "@dreamloop/core";
import type { MomentFacts } from "@dreamloop/core/internal";
import { momentTools } from "@dreamloop/node";
import type { ServerConfig } from "../platform/config/server-config.ts";
import type { ServedWorld } from "../worlds/served-world.ts";

/** A moment that a session is started from. */
export interface StartMoment {
  /** The file. */
  readonly file: Uint8Array;
  /** What it says of itself. */
  readonly facts: MomentFacts;
}

/** Looks into a moment file: its header is proven, its state is read where the session starts. Throws `snapshot_invalid` or `limit_exceeded`. */
export async function startMoment(
  file: Uint8Array,
  { momentBytes }: Pick<ServerConfig, "momentBytes">,
): Promise<StartMoment> {
  if (momentBytes === 0)
    throw new DreamloopError(ERROR_CODES.unavailable, "this server starts no session from a moment");
  try {
    const { facts } = await openMoment(file, momentTools, momentLimits(momentBytes));
    return { file, facts };
  } catch (error) {
    if (!isDreamloopError(error, ERROR_CODES.limitExceeded)) throw error;
    throw new DreamloopError(error.code, error.message, { cause: error, details: { ...error.details, status: 413 } });
  }
}

/** What is read of a moment at most: a compressed one may be several times as large once it is unpacked. */
export function momentLimits(momentBytes: number): { readonly fileBytes: number; readonly contentBytes: number } {
  return { fileBytes: momentBytes, contentBytes: momentBytes * 4 };
}

/** The world of a moment among those that are served. Throws `not_found`. */
export function worldOfMoment({ facts }: StartMoment, worlds: readonly ServedWorld[]): string {
  const { modelId, description } = facts.binding;
  const world = worlds.find(({ id }) => id === modelId || id === description.worldId);
  if (world !== undefined) return world.id;
  throw new DreamloopError(
    ERROR_CODES.notFound,
    `the moment is of the world ${JSON.stringify(modelId)}, which is not offered here`,
  );
}
