import { ERROR_CODES } from "../foundation/dreamloop-error.ts";
import { callNamed } from "./call-named.ts";
import type { Waits } from "../foundation/time/wait-guard.ts";
import { frameHashInput } from "../model/frame-pixels.ts";
import type { StepResult } from "../model/step-result.ts";
import type { FrameHasher } from "../rollout/run-observer.ts";

/** Hashes every frame of a result, or nothing when no hasher is attached. */
export async function hashFrames(
  result: StepResult,
  hasher: FrameHasher | undefined,
  waits: Waits,
): Promise<readonly string[] | undefined> {
  if (hasher === undefined) return undefined;
  if (result.output === undefined) return [];
  const hashes: string[] = [];
  for (let index = 0; index < result.output.frameCount; index += 1) {
    const input = frameHashInput(result.output, index);
    const wait = { what: "the hash of a frame", kind: "output", code: ERROR_CODES.observerFailed } as const;
    const digest = callNamed(waits, wait, () => hasher.digest(input));
    hashes.push(typeof digest === "string" ? digest : await digest);
  }
  return hashes;
}
