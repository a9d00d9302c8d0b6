import type { Percentiles } from "./samples.ts";

/** Where quality is lost. */
export const QUALITY_CAUSES = {
  /** The model makes fewer frames than the world asks for. */
  model: "model",
  /** The encoder does not keep up with the model. */
  encode: "encode",
  /** Frames are lost or late on the way. */
  network: "network",
  /** This device does not show all frames that arrive. */
  decode: "decode",
  /** Inputs take long to take effect although frames come. */
  input: "input",
} as const;

/** One of `QUALITY_CAUSES`. */
export type QualityCause = (typeof QUALITY_CAUSES)[keyof typeof QUALITY_CAUSES];

/** How good a session is. */
export interface QualityVerdict {
  /** `unknown` until there is enough to judge. */
  readonly level: "unknown" | "good" | "fair" | "poor";
  /** The first place on the frames' way where something is lost; absent when all is good. */
  readonly cause?: QualityCause;
}

/** What is judged. */
export interface QualityFacts {
  /** Frames a second of the world's own time. */
  readonly targetFramesPerSecond?: number;
  /** Made by the model. */
  readonly generatedFramesPerSecond: number;
  /** Given by the encoder. */
  readonly encodedFramesPerSecond: number;
  /** Arrived. */
  readonly receivedFramesPerSecond: number;
  /** Shown. */
  readonly presentedFramesPerSecond: number;
  /** Way to the server and back, in milliseconds. */
  readonly roundTripMilliseconds?: number;
  /** Input to photon since the warm-up, in milliseconds. */
  readonly inputToPhoton?: Percentiles;
  /** Whether frames are to be expected. */
  readonly isRunning: boolean;
  /** For how long pictures have been coming without an interruption, in milliseconds. */
  readonly settledMilliseconds: number;
}

/** Time from the first picture on in which nothing is judged: caches, decoders and rates are still warming up. In milliseconds. */
export const WARM_UP_MILLISECONDS = 4_000;
/** Inputs that were measured after that before their times are judged; fewer would make one slow one a verdict. */
export const MIN_JUDGED_INPUTS = 20;

/** Shares of the rate before that count as good and as fair. */
const GOOD_SHARE = 0.88;
const FAIR_SHARE = 0.65;
/** Input to photon at the 95th percentile that counts as good and as fair, in milliseconds. */
const GOOD_PHOTON = 180;
const FAIR_PHOTON = 350;
/** Round trips beyond this share of input to photon blame the network for it. */
const NETWORK_SHARE = 0.5;

/** Judges by the stage that loses most; between equals the earlier one, since it starves those behind it. */
export function judgeQuality(facts: QualityFacts): QualityVerdict {
  if (!facts.isRunning || facts.settledMilliseconds < WARM_UP_MILLISECONDS) return { level: "unknown" };
  const { generatedFramesPerSecond: generated, encodedFramesPerSecond: encoded } = facts;
  const { receivedFramesPerSecond: received, presentedFramesPerSecond: presented } = facts;
  const target = facts.targetFramesPerSecond ?? generated;
  if (target <= 0) return { level: "unknown" };
  const stages: readonly (readonly [QualityCause, number])[] = [
    [QUALITY_CAUSES.model, share(generated, target)],
    [QUALITY_CAUSES.encode, share(encoded, generated)],
    [QUALITY_CAUSES.network, share(received, encoded)],
    [QUALITY_CAUSES.decode, share(presented, Math.min(received, encoded))],
  ];
  const [cause, kept] = stages.reduce((worst, stage) => (stage[1] < worst[1] - 0.02 ? stage : worst));
  if (kept < FAIR_SHARE) return { level: "poor", cause };
  const { inputToPhoton } = facts;
  const photon = inputToPhoton === undefined || inputToPhoton.count < MIN_JUDGED_INPUTS ? 0 : inputToPhoton.p95;
  // Inputs cannot be seen sooner than in the next frame.
  const spare = 1000 / target;
  const inputCause =
    (facts.roundTripMilliseconds ?? 0) > photon * NETWORK_SHARE ? QUALITY_CAUSES.network : QUALITY_CAUSES.input;
  if (photon > FAIR_PHOTON + spare) return { level: "poor", cause: inputCause };
  if (kept < GOOD_SHARE) return { level: "fair", cause };
  if (photon > GOOD_PHOTON + spare) return { level: "fair", cause: inputCause };
  return { level: "good" };
}

function share(part: number, whole: number): number {
  return whole <= 0 ? 1 : part / whole;
}
