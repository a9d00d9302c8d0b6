import { stepResult, type RealtimeStatus, type StepResult } from "@dreamloop/core";
import type { FromChunkSender } from "./messages.ts";

/** A chunk that came from the worker. */
export interface HostedChunk {
  /** The result with its frames. */
  readonly result: StepResult;
  /** When its first frame is due, in seconds of the process clock, which all threads share. */
  readonly firstDueSeconds: number;
  /** When the input of its step was read, in seconds of the process clock. */
  readonly readSeconds: number;
  /** Counters as of the chunk. */
  readonly status: RealtimeStatus;
  /** Chunks dropped so far because this side was too slow. */
  readonly droppedChunks: number;
  /** Seconds that the model's step took. */
  readonly modelSeconds: number;
  /** Gives the memory back; must be called once. */
  release(): void;
}

/** Makes a chunk of a message; `giveBack` gets its memory, once. */
export function hostedChunk(
  message: Extract<FromChunkSender, { type: "chunk" }>,
  giveBack: (pixels: ArrayBuffer) => void,
): HostedChunk {
  const { firstDueSeconds, readSeconds, status, droppedChunks, modelSeconds } = message;
  const result = stepResult(message.result);
  const pixels = result.output?.data.buffer as ArrayBuffer | undefined;
  let released = false;
  const release = (): void => {
    if (released || pixels === undefined) return;
    released = true;
    giveBack(pixels);
  };
  return { result, firstDueSeconds, readSeconds, status, droppedChunks, modelSeconds, release };
}
