import type { WorldHost } from "@dreamloop/node";

/** Steps of the trial, and how many of the first do not count, since code and caches are cold then. */
const STEPS = 12;
const COLD_STEPS = 4;
/** Time that a step needs beside the model's own, in seconds: reading, mapping, checking, handing over, and the timer's error. */
const MARGIN_SECONDS = 0.012;
/** The least by which generation leads, in steps. */
const LEAST_LEAD_STEPS = 1.2;

/**
 * Runs a few steps of a world that was just loaded, so that the first session finds it warm, and gives the longest of them in seconds.
 * A world that cannot run them gives nothing: its sessions will say why.
 */
export async function warmUp(host: WorldHost): Promise<number | undefined> {
  const seconds: number[] = [];
  const session = host.startSession({
    start: { stepLimit: STEPS, leadFrames: STEPS * host.description.framesPerStep },
    onChunk: (chunk) => {
      seconds.push(chunk.modelSeconds);
      chunk.release();
    },
  });
  try {
    await session.done;
  } catch {
    return undefined;
  }
  const warm = seconds.slice(COLD_STEPS);
  return warm.length === 0 ? undefined : Math.max(...warm);
}

/**
 * By how many steps generation should lead presentation: what the model was measured to need twice over, and the margin. Less lead shows
 * fresher input; too little lets steps come late.
 */
export function leadStepsFor(options: {
  /** The longest step of the trial; absent: unknown. */
  readonly modelSeconds: number | undefined;
  /** Seconds of one step at the world's rate. */
  readonly stepSeconds: number;
  /** The most that is allowed. */
  readonly maxLeadSteps: number;
}): number {
  const { modelSeconds, stepSeconds, maxLeadSteps } = options;
  if (modelSeconds === undefined) return maxLeadSteps;
  const needed = 1 + (2 * modelSeconds + MARGIN_SECONDS) / stepSeconds;
  return Math.min(maxLeadSteps, Math.max(LEAST_LEAD_STEPS, needed));
}
