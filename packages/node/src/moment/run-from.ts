import { encodeMoment, openMoment, type CapturedState, type MomentPicture, type RunFrom } from "@dreamloop/core";
import { contentAddressOf, type MomentLimits } from "@dreamloop/core/internal";
import { momentTools } from "./zlib-compressor.ts";
import { sha256FrameHasher } from "../sha256-hasher.ts";

/** What may be put into a moment file beside the state. */
export interface MomentExtras {
  /** A name that a person gave it. */
  readonly name?: string;
  /** When it is saved (ISO 8601). */
  readonly savedAt?: string;
  /** Text of the trace up to there. */
  readonly trace?: Uint8Array;
  /** A picture of it. */
  readonly picture?: MomentPicture;
}

/** A captured state as a moment file. */
export function momentOf(captured: CapturedState, extras: MomentExtras = {}): Promise<Uint8Array> {
  return encodeMoment({ ...captured, ...extras }, momentTools);
}

/** What a run goes on from, read from a moment file; throws what `openMoment` and reading its state throw. */
export async function runFrom(
  file: Uint8Array,
  options: {
    /** Bounds of what is read. */
    readonly limits?: Partial<MomentLimits>;
    /** Seed of every draw from there on; absent: the moment's own. */
    readonly seed?: number;
    /** Goes on with another engine. */
    readonly allowOtherEngine?: boolean;
  } = {},
): Promise<RunFrom> {
  const { limits, seed, allowOtherEngine } = options;
  const moment = await openMoment(file, momentTools, limits);
  return {
    state: await moment.state(),
    binding: moment.facts.binding,
    moment: { address: await contentAddressOf(file, sha256FrameHasher), bytes: file },
    ...(seed === undefined ? {} : { seed }),
    ...(allowOtherEngine === undefined ? {} : { allowOtherEngine }),
  };
}
