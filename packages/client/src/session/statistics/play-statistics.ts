import type { ClientStats, EncoderStatus, FrameMetadata, SessionStatsMessage, Transport } from "@dreamloop/protocol";
import type { SentInput } from "../../input/input-sender.ts";
import type { PresentedFrame } from "../../present/stage.ts";
import { judgeQuality, WARM_UP_MILLISECONDS, type QualityFacts, type QualityVerdict } from "./quality.ts";
import { Samples, type Percentiles } from "./samples.ts";

/** How far back a rate looks, in milliseconds. */
const WINDOW_MILLISECONDS = 2_000;
/** Times that are kept; enough for 240 a second. */
const MAX_TIMES = 512;

/** Events a second over the last two seconds. Pure: times come in. */
export class RateMeter {
  readonly #times: number[] = [];

  /** An event happened. */
  add(now: number): void {
    this.#times.push(now);
    if (this.#times.length > MAX_TIMES) this.#times.shift();
  }

  /** Events a second; 0 before the second event and when all are too old. */
  perSecond(now: number): number {
    while (this.#times.length > 0 && now - this.#times[0] > WINDOW_MILLISECONDS) this.#times.shift();
    const first = this.#times[0];
    if (first === undefined || this.#times.length < 2) return 0;
    // Measured up to now, so that the rate falls when events stop; up to the last event while they come.
    const last = this.#times[this.#times.length - 1];
    const interval = (last - first) / (this.#times.length - 1);
    const span = now - last > 2 * interval ? now - first : last - first;
    return span <= 0 ? 0 : ((this.#times.length - 1) * 1000) / span;
  }

  /** Whether nothing has happened since the last `clear`, or not for two seconds. */
  get isEmpty(): boolean {
    return this.#times.length === 0;
  }

  /** Forgets everything. */
  clear(): void {
    this.#times.length = 0;
  }
}

/** What a session measures about itself. */
export interface PlayStats {
  /** Frames a second that the world makes; absent until it is known, and while session time stands still. */
  readonly generatedFramesPerSecond?: number;
  /** Wall time from one frame of the world to the next, in milliseconds; absent while none is made. */
  readonly frameMilliseconds?: number;
  /** Frames a second that the encoder gives; absent as above. */
  readonly encodedFramesPerSecond?: number;
  /** Frames a second whose metadata arrives here; absent before the first. */
  readonly receivedFramesPerSecond?: number;
  /** Frames a second that reach the screen, never more than are made; absent before the first. */
  readonly presentedFramesPerSecond?: number;
  /** Frames a second of the world's own time, where it is known. */
  readonly targetFramesPerSecond?: number;
  /** Median time in the model for one step, which may make several frames, in milliseconds; absent before the first. */
  readonly modelMilliseconds?: number;
  /** Median time in the encoder for one frame, in milliseconds; absent before the first. */
  readonly encodeMilliseconds?: number;
  /** Median of a message's way to the server and back, in milliseconds. */
  readonly roundTripMilliseconds?: number;
  /** From sending an input to presenting the first frame that knows it, in milliseconds. */
  readonly inputToPhoton?: Percentiles;
  /** The newest samples of that, oldest first, for a plot. */
  readonly inputToPhotonSamples: readonly number[];
  /** Frames presented since the start. */
  readonly presentedFrames: number;
  /** Frames that were not shown, by reason, on the server and here. */
  readonly drops: Readonly<Record<string, number>>;
  /** Steps that were later than due. */
  readonly underrunCount: number;
  /** How the frames travel. */
  readonly transport: Transport | undefined;
  /** The codec in use. */
  readonly codec: string | undefined;
  /** The encoder in use. */
  readonly encoder: string | undefined;
  /** What holds in the encoder, read back from its stream; absent before its first frame. */
  readonly encoderSettings: EncoderStatus | undefined;
  /** Bits a second that the encoder aims at. */
  readonly targetBitrateBitsPerSecond: number | undefined;
  /** Viewers of the session, the player included. */
  readonly viewerCount: number;
  /** How good it is, and why not better. */
  readonly quality: QualityVerdict;
}

/** Input messages that are waited for at once; beyond, the oldest is no sample. */
const MAX_WAITING_INPUTS = 256;
/** An input that no frame has shown after this time is no sample: the world was paused or the message lost. */
const LONGEST_PHOTON_MILLISECONDS = 10_000;

/** What has to be known beside what was measured. */
export interface StatsFacts {
  /** Now, in milliseconds of the same clock. */
  readonly now: number;
  /** Transport in use. */
  readonly transport: Transport | undefined;
  /** Frames dropped on this side, by reason. */
  readonly clientDrops: Readonly<Record<string, number>>;
  /** Frames a second of the world's own time. */
  readonly targetFramesPerSecond: number | undefined;
  /** Whether session time runs, so that frames are to be expected. */
  readonly isRunning: boolean;
}

/** Gathers what happens to inputs and frames and makes statistics of it. Pure: times come in. */
export class PlayStatistics {
  readonly #received = new RateMeter();
  readonly #presented = new RateMeter();
  readonly #photon = new Samples({ capacity: 240, maxAgeMilliseconds: 30_000 });
  readonly #roundTrip = new Samples({ capacity: 120, maxAgeMilliseconds: 10_000 });
  readonly #waiting: { readonly epoch: number; readonly sequence: number; readonly sentAt: number }[] = [];
  #presentedFrames = 0;
  /** When the first picture since the start or the last interruption was shown. */
  #pictureSince: number | undefined;
  #server: SessionStatsMessage | undefined;

  /** Frames presented since the start. */
  get presentedFrames(): number {
    return this.#presentedFrames;
  }

  /** An input message was sent; only one that tells something new is timed. */
  inputSent({ epoch, sequence, sentAtMilliseconds, isNews }: SentInput): void {
    // Before the first picture an input waits for the world to wake, which is no measure of freshness.
    if (!isNews || this.#pictureSince === undefined) return;
    this.#waiting.push({ epoch, sequence, sentAt: sentAtMilliseconds });
    if (this.#waiting.length > MAX_WAITING_INPUTS) this.#waiting.shift();
  }

  /** The server has answered an input message. */
  echoReceived(sentAtMilliseconds: number, now: number): void {
    this.#roundTrip.add(now, now - sentAtMilliseconds);
  }

  /** Metadata of a frame came in. */
  frameReceived(_metadata: FrameMetadata, now: number): void {
    this.#received.add(now);
  }

  /** A frame was shown. */
  framePresented({ metadata, presentedAtMilliseconds }: PresentedFrame): void {
    this.#presentedFrames += 1;
    this.#pictureSince ??= presentedAtMilliseconds;
    this.#presented.add(presentedAtMilliseconds);
    const seen = metadata?.inputSequence;
    if (seen === undefined) return;
    for (;;) {
      const oldest = this.#waiting[0];
      if (oldest === undefined || oldest.epoch !== metadata?.inputEpoch || oldest.sequence > seen) break;
      this.#waiting.shift();
      const delay = presentedAtMilliseconds - oldest.sentAt;
      if (delay >= 0 && delay <= LONGEST_PHOTON_MILLISECONDS) this.#photon.add(presentedAtMilliseconds, delay);
    }
  }

  /** Counters of the server came in. */
  serverStats(message: SessionStatsMessage): void {
    this.#server = message;
  }

  /** The link was lost, or session time stood still: rates and waiting inputs say nothing any more. */
  interrupted(): void {
    this.#received.clear();
    this.#presented.clear();
    this.#roundTrip.clear();
    this.#waiting.length = 0;
    this.#pictureSince = undefined;
  }

  /** Statistics of now. */
  read(facts: StatsFacts): PlayStats {
    const { now, transport, clientDrops, targetFramesPerSecond, isRunning } = facts;
    const server = this.#server;
    const photon = this.#photon.percentiles(now);
    const roundTrip = this.#roundTrip.percentiles(now);
    const measured = {
      generatedFramesPerSecond: server?.generatedFramesPerSecond ?? 0,
      encodedFramesPerSecond: server?.encodedFramesPerSecond ?? 0,
      receivedFramesPerSecond: this.#received.perSecond(now),
      presentedFramesPerSecond: this.#presented.perSecond(now),
      ...(targetFramesPerSecond === undefined ? {} : { targetFramesPerSecond }),
      ...(roundTrip === undefined ? {} : { roundTripMilliseconds: roundTrip.p50 }),
      ...(photon === undefined ? {} : { inputToPhoton: photon }),
    };
    const { inputToPhoton, roundTripMilliseconds } = measured;
    return {
      ...this.#told(measured, isRunning),
      ...(targetFramesPerSecond === undefined ? {} : { targetFramesPerSecond }),
      ...(roundTripMilliseconds === undefined ? {} : { roundTripMilliseconds }),
      ...(inputToPhoton === undefined ? {} : { inputToPhoton }),
      inputToPhotonSamples: this.#photon.values,
      presentedFrames: this.#presentedFrames,
      drops: merged(server?.drops ?? {}, clientDrops),
      underrunCount: server?.underrunCount ?? 0,
      transport,
      codec: server?.codec,
      encoder: server?.encoder,
      encoderSettings: server?.encoderSettings,
      targetBitrateBitsPerSecond: server?.targetBitrateBitsPerSecond,
      viewerCount: server?.viewerCount ?? 0,
      quality: this.#judge(measured, now, isRunning && server !== undefined),
    };
  }

  /** The rates and times that are known; what has not been measured is absent rather than 0. */
  #told(measured: Pick<QualityFacts, MeasuredRate>, isRunning: boolean): Partial<Pick<PlayStats, ToldNumber>> {
    const server = isRunning ? this.#server : undefined;
    const generated = server?.generatedFramesPerSecond;
    const { receivedFramesPerSecond: received, presentedFramesPerSecond: presented } = measured;
    return {
      ...(generated === undefined ? {} : { generatedFramesPerSecond: generated }),
      ...(generated === undefined || generated <= 0 ? {} : { frameMilliseconds: 1000 / generated }),
      ...(server === undefined ? {} : { encodedFramesPerSecond: server.encodedFramesPerSecond }),
      ...(this.#received.isEmpty ? {} : { receivedFramesPerSecond: received }),
      // Both are rates of different stretches of time: of a frame that was made a moment ago, more cannot have been shown.
      ...(this.#pictureSince === undefined
        ? {}
        : { presentedFramesPerSecond: Math.min(presented, generated ?? Number.POSITIVE_INFINITY) }),
      ...positive("modelMilliseconds", this.#server?.modelMilliseconds),
      ...positive("encodeMilliseconds", this.#server?.encodeMilliseconds),
    };
  }

  /** What was slow while everything warmed up is shown, and never held against the session. */
  #judge(
    measured: Omit<QualityFacts, "isRunning" | "settledMilliseconds">,
    now: number,
    isRunning: boolean,
  ): QualityVerdict {
    const since = this.#pictureSince;
    if (since === undefined) return judgeQuality({ ...measured, isRunning, settledMilliseconds: 0 });
    const { inputToPhoton: _, ...facts } = measured;
    const photon = this.#photon.percentiles(now, since + WARM_UP_MILLISECONDS);
    const warm = photon === undefined ? facts : { ...facts, inputToPhoton: photon };
    return judgeQuality({ ...warm, isRunning, settledMilliseconds: now - since });
  }
}

type MeasuredRate = "receivedFramesPerSecond" | "presentedFramesPerSecond";
type ToldNumber =
  | "generatedFramesPerSecond"
  | "frameMilliseconds"
  | "encodedFramesPerSecond"
  | MeasuredRate
  | "modelMilliseconds"
  | "encodeMilliseconds";

/** A time that was measured takes longer than nothing. */
function positive<Name extends "modelMilliseconds" | "encodeMilliseconds">(
  name: Name,
  value: number | undefined,
): Partial<Record<Name, number>> {
  return value === undefined || value <= 0 ? {} : ({ [name]: value } as Record<Name, number>);
}

/** What of the statistics the server is told. */
export function clientStatsOf(stats: PlayStats, drops: Readonly<Record<string, number>>): ClientStats {
  const photon = stats.inputToPhoton;
  return {
    presentedFrames: stats.presentedFrames,
    droppedFrames: Object.values(drops).reduce((sum, count) => sum + count, 0),
    ...(photon === undefined ? {} : { inputToPhotonSeconds: photon.p50 / 1000 }),
  };
}

function merged(
  left: Readonly<Record<string, number>>,
  right: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const sum: Record<string, number> = { ...left };
  for (const [reason, count] of Object.entries(right)) sum[reason] = (sum[reason] ?? 0) + count;
  return sum;
}
