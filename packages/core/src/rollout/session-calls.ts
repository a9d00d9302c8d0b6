import { ERROR_CODES } from "../foundation/dreamloop-error.ts";
import { assertSession } from "../model/assert-runtime.ts";
import type { InferenceRuntime, InferenceSession, StartSessionOptions } from "../model/inference-session.ts";
import type { ModelInputs } from "../mapping/model-inputs.ts";
import { sessionDescription, type SessionDescription } from "../model/session-description.ts";
import { UNLIMITED_WAITS, type Waits } from "../foundation/time/wait-guard.ts";
import type { StepResult } from "../model/step-result.ts";
import { asStepError } from "./step-contract.ts";

/** Starts a session and reads what it delivers; throws what the adapter threw, `load_failed` where that was no `DreamloopError`. */
export async function startSession(
  runtime: InferenceRuntime,
  inputs: ModelInputs,
  options: StartSessionOptions,
  waits: Waits,
): Promise<{ readonly session: InferenceSession; readonly description: SessionDescription }> {
  let session: unknown;
  try {
    session = await waits.wait<unknown>(
      {
        what: "the start of the session",
        kind: "load",
        free: (late) => (late as Partial<InferenceSession> | undefined)?.close?.(),
      },
      async () => runtime.startSession(inputs, options),
    );
  } catch (error) {
    throw asStepError(error, "the start of the session", ERROR_CODES.loadFailed, options.signal);
  }
  assertSession(session);
  try {
    return { session, description: sessionDescription(runtime.describe()) };
  } catch (error) {
    await quietly(() => session.close());
    throw asStepError(error, "InferenceRuntime.describe()", ERROR_CODES.loadFailed);
  }
}

/** Closes a part of a world; what it throws is told as the world's failure. */
export async function closeNamed(
  part: Pick<InferenceSession, "close">,
  what: string,
  waits: Waits = UNLIMITED_WAITS,
): Promise<void> {
  try {
    await waits.wait({ what, kind: "close" }, async () => part.close());
  } catch (error) {
    throw asStepError(error, what);
  }
}

/** Takes a step back whose failure is on its way to the caller: a second failure would hide the first. */
export function discardQuietly(session: InferenceSession): void {
  try {
    session.discardStep?.();
  } catch {
    // The step's own error says more.
  }
}

/** Gives back the frames of a result that is refused; the refusal is the error to be told. */
export function releaseQuietly(returned: unknown): void {
  try {
    (returned as Partial<StepResult> | null | undefined)?.output?.release?.();
  } catch {
    // The refusal says more.
  }
}

/** Ends something where the reason for ending it is the error to be told. */
async function quietly(end: () => unknown): Promise<void> {
  try {
    await end();
  } catch {
    // The first error says more.
  }
}
