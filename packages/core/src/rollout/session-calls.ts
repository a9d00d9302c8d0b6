import { DreamloopError, ERROR_CODES } from "../foundation/dreamloop-error.ts";
import { assertSession } from "../model/assert-runtime.ts";
import type { InferenceRuntime, InferenceSession, StartSessionOptions } from "../model/inference-session.ts";
import type { ModelInputs } from "../mapping/model-inputs.ts";
import { sessionDescription, type SessionDescription } from "../model/session-description.ts";
import { asStepError } from "./step-contract.ts";

/** Starts a session and reads what it delivers; throws what the adapter threw, `load_failed` where that was no `DreamloopError`. */
export async function startSession(
  runtime: InferenceRuntime,
  inputs: ModelInputs,
  options: StartSessionOptions,
): Promise<{ readonly session: InferenceSession; readonly description: SessionDescription }> {
  let session: unknown;
  try {
    session = await unlessCancelled(async () => runtime.startSession(inputs, options), {
      signal: options.signal,
      what: "the start of the session",
      free: async (late) => (late as Partial<InferenceSession> | undefined)?.close?.(),
    });
  } catch (error) {
    throw asStepError(error, "the start of the session", ERROR_CODES.loadFailed);
  }
  assertSession(session);
  try {
    return { session, description: sessionDescription(runtime.describe()) };
  } catch (error) {
    await quietly(() => session.close());
    throw asStepError(error, "InferenceRuntime.describe()", ERROR_CODES.loadFailed);
  }
}

/**
 * Does work that cannot be broken off from outside: when `signal` fires first, it throws `cancelled` at once, and what the work gives
 * later is freed.
 */
export async function unlessCancelled<T>(
  work: () => Promise<T>,
  options: {
    readonly signal: AbortSignal | undefined;
    readonly what: string;
    readonly free: (late: T) => unknown;
  },
): Promise<T> {
  const { signal, what, free } = options;
  const running = work();
  if (signal === undefined) return running;
  let stopListening = (): void => undefined;
  const cancelled = new Promise<never>((_resolve, reject) => {
    const onAbort = (): void => {
      reject(new DreamloopError(ERROR_CODES.cancelled, `${what} was cancelled`, { cause: signal.reason }));
    };
    stopListening = () => signal.removeEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([running, cancelled]);
  } catch (error) {
    void running.then((late) => quietly(() => free(late))).catch(() => undefined);
    throw error;
  } finally {
    stopListening();
  }
}

/** Closes a part of a world; what it throws is told as the world's failure. */
export async function closeNamed(part: Pick<InferenceSession, "close">, what: string): Promise<void> {
  try {
    await part.close();
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

/** Ends something where the reason for ending it is the error to be told. */
async function quietly(end: () => unknown): Promise<void> {
  try {
    await end();
  } catch {
    // The first error says more.
  }
}
