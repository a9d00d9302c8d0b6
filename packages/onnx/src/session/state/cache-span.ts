import { DreamloopError, ERROR_CODES, type CachePolicy } from "@dreamloop/core";
import type { AppendedStateDeclaration } from "../../manifest/world-manifest.ts";

/** What a cache keeps, in entries along its axis. */
export interface CacheSpan {
  /** Newest entries that are kept. */
  readonly window: number;
  /** First entries that are kept for ever. */
  readonly sink: number;
  /** Entries after which the rollout is complete; absent: it has no end. */
  readonly limit?: number;
}

/**
 * What a cache keeps under a policy. `hasValidity` says whether graphs are told which places are valid, without which a
 * window that is smaller than the graph's would mix in zeros. Throws `unsupported_config` when the graph cannot do it.
 */
export function cacheSpan(
  name: string,
  state: AppendedStateDeclaration,
  policy: CachePolicy,
  hasValidity: boolean,
): CacheSpan {
  const places = state.window + state.sink;
  if (policy.kind === "auto") return { window: state.window, sink: state.sink };
  if (policy.kind === "full") {
    if (state.padding === "none" && state.fullLimit !== undefined) {
      return { window: state.fullLimit, sink: 0, limit: state.fullLimit };
    }
    throw refused(name, '"full"', 'it keeps a window; use "rolling" or "auto"');
  }
  const window = policy.windowFrames * state.entriesPerFrame;
  const sink = policy.sinkFrames * state.entriesPerFrame;
  const asked = `${policy.windowFrames} + ${policy.sinkFrames} frames (${window} + ${sink} entries)`;
  const largest = Math.max(places, state.fullLimit ?? 0);
  if (window + sink > largest) throw refused(name, asked, `it has room for ${largest} entries`);
  if (state.padding === "zeros" && window + sink < places && !hasValidity) {
    throw refused(name, asked, `its graphs are not told which entries are valid, so it has to keep ${places}`);
  }
  return { window, sink };
}

function refused(name: string, asked: string, reason: string): DreamloopError {
  return new DreamloopError(
    ERROR_CODES.unsupportedConfig,
    `ModelConfig.cachePolicy: ${asked} is not possible for the state ${JSON.stringify(name)}: ${reason}`,
  );
}
