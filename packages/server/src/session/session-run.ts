import {
  DreamloopError,
  ERROR_CODES,
  throwIfCancelled,
  type Clock,
  type Json,
  type LoadProgress,
  type Mapping,
  type SessionDescription,
} from "@dreamloop/core";
import type { HostedSession, HostedSessionOptions, SessionStart } from "@dreamloop/node";
import { defaultBitrate } from "@dreamloop/outputs";
import type { FrameCodec, RecordingFacts } from "@dreamloop/protocol";
import type { ServerConfig } from "../platform/config/server-config.ts";
import { within } from "../platform/limits/within.ts";
import type { MediaFeedEvents } from "../media/media-feeds.ts";
import type { MediaFeed, MediaHost } from "../media/media-host.ts";
import type { MediaStats } from "../media/media-messages.ts";
import type { RecordingStore } from "../recordings/recording-store.ts";
import { SessionRecordings } from "../recordings/session-recordings.ts";
import { BitrateController } from "../media/bitrate-controller.ts";
import { leadStepsFor } from "../worlds/warm-up.ts";
import { momentLimits, type StartMoment } from "./start-moment.ts";
import type { SessionPictures } from "./session-pictures.ts";
import type { WorldLease, WorldOrder, WorldPool } from "../worlds/world-pool.ts";

/** Seconds that the parts of a session get to end: what is recorded, the world (which ends at its next step), the encoders, and files. */
const RECORDING_SECONDS = 5;
const WORLD_SECONDS = 3;
const MEDIA_SECONDS = 5;
const FILE_SECONDS = 2;
/** Video begins with this much more than a file of the same picture, since it has no look-ahead. */
const LIVE_FACTOR = 1.5;

/** What a run is opened with. */
export interface SessionRunOptions {
  /** The session that it is of. */
  readonly sessionId: string;
  /** The clock of the server. */
  readonly clock: Clock;
  /** How the server runs. */
  readonly config: ServerConfig;
  /** The world that was asked for. */
  readonly order: WorldOrder;
  /** Seed of the first rollout. */
  readonly seed: number;
  /** Prompt at the start. */
  readonly prompt?: string;
  /** The moment to start from; its inputs count, and its seed unless `forkSeed` is given. */
  readonly moment?: StartMoment;
  /** Seed of every draw after the moment. */
  readonly forkSeed?: number;
  /** Pictures to start from; default none. */
  readonly pictures?: SessionPictures;
  /** Where worlds come from. */
  readonly pool: WorldPool;
  /** Where frames are encoded. */
  readonly media: MediaHost;
  /** Where recordings go; absent: there are none. */
  readonly recordings?: RecordingStore;
}

/** What the owner of a run hears. */
export interface SessionRunEvents extends MediaFeedEvents, Pick<HostedSessionOptions, "onWarning" | "onRefusedEvents"> {
  /** Told about the load. */
  readonly onProgress: (progress: LoadProgress) => void;
  /** Told when its world is lost because another session of it hangs. */
  readonly onLost: (error: DreamloopError) => void;
}

/** What a session holds once its world is loaded: the world, its rollout, its media and its recordings. Whoever opened it closes it. */
export class SessionRun {
  /** What the session delivers. */
  readonly description: SessionDescription;
  /** What its runtime says of itself. */
  readonly runtimeFacts: { readonly [key: string]: Json };
  /** The rollout in the world's worker. */
  readonly hosted: HostedSession;
  /** The recordings; absent when they are switched off. */
  readonly recordings: SessionRecordings | undefined;
  readonly #lease: WorldLease;
  readonly #feed: MediaFeed;
  readonly #bitrate: BitrateController;
  readonly #options: SessionRunOptions;
  #closing: Promise<void> | undefined;

  private constructor(parts: {
    readonly options: SessionRunOptions;
    readonly lease: WorldLease;
    readonly recordings: SessionRecordings | undefined;
    readonly initial: Mapping;
    readonly events: SessionRunEvents;
  }) {
    const { options, lease, recordings, initial, events } = parts;
    const { config, media } = options;
    const description = lease.host.description;
    const leadSteps = leadStepsFor({
      modelSeconds: lease.modelSeconds,
      stepSeconds: description.framesPerStep / description.framesPerSecond,
      maxLeadSteps: config.leadSteps,
    });
    const start = Math.min(config.maxBitrateBitsPerSecond, Math.round(defaultBitrate(description) * LIVE_FACTOR));
    this.#options = options;
    this.#lease = lease;
    this.description = description;
    this.runtimeFacts = lease.host.info.runtimeFacts;
    this.recordings = recordings;
    this.#bitrate = new BitrateController({ min: Math.min(config.minBitrateBitsPerSecond, start), start, max: start });
    this.#feed = media.open({ description, bitrateBitsPerSecond: start, events });
    this.hosted = lease.host.startSession({
      chunkPort: this.#feed.chunkPort,
      start: {
        ...startOf(options, initial),
        ...(config.historyBytes === 0
          ? {}
          : { history: { budgetBytes: config.historyBytes, spacingSeconds: config.historySeconds } }),
        leadFrames: leadSteps * description.framesPerStep,
        ...(recordings === undefined ? {} : { trace: true }),
      },
      onTraceLine: (line) => recordings?.trace.write(line),
      onTracePayload: (address, bytes) => recordings?.trace.keep(address, bytes),
      onWarning: events.onWarning,
      onRefusedEvents: events.onRefusedEvents,
    });
  }

  /** Changes the prompt right after the moment that it started from. */
  applyForkPrompt(timestampSeconds: number): void {
    const { moment, prompt } = this.#options;
    if (moment === undefined || prompt === undefined) return;
    this.hosted.push([{ timestampSeconds, eventType: "prompt_set", payload: { prompt }, source: "server" }]);
  }

  /** Loads the world and starts the rollout; `signal` gives up. Leaves nothing behind when it throws. */
  static async open(options: SessionRunOptions, events: SessionRunEvents, signal: AbortSignal): Promise<SessionRun> {
    const { pool, order, config, clock, sessionId } = options;
    const lease = await pool.acquire(order, { signal, onProgress: events.onProgress, onLost: events.onLost });
    let recordings: SessionRecordings | undefined;
    try {
      throwIfCancelled(signal, "the session");
      if (options.recordings !== undefined) {
        const limits = { count: config.maxRecordings, traceBytes: config.recordingBytes };
        recordings = await SessionRecordings.open({ store: options.recordings, sessionId, limits, clock });
      }
      const pictures = await options.pictures?.frames(order.world.id, lease.host.info.initialFields);
      throwIfCancelled(signal, "the session");
      const { prompt } = options;
      const initial = { ...(prompt === undefined ? {} : { prompt }), ...pictures };
      return new SessionRun({ options, lease, recordings, initial, events });
    } catch (error) {
      await recordings?.close();
      lease.release();
      throw error;
    }
  }

  /** What a log says of it when it begins. */
  get logFacts(): { readonly [key: string]: Json } {
    const { width, height } = this.description;
    return { width, height, runtime: this.runtimeFacts };
  }

  /** Chooses the codecs that are made. */
  setCodecs(codecs: readonly FrameCodec[]): void {
    this.#feed.setCodecs(codecs);
  }

  /** The next frame of a codec becomes a key frame. */
  orderKeyFrame(codec: FrameCodec): void {
    this.#feed.requestKeyFrame(codec);
  }

  /** Notes what a receiver says of its path. */
  reportPath(report: { readonly fractionLost?: number; readonly estimatedBitsPerSecond?: number }): void {
    this.#bitrate.report(report);
  }

  /** Changes the bitrate where reports call for it; gives the new one when it has changed. */
  adaptBitrate({ sentBitsPerSecond }: MediaStats): number | undefined {
    const target = this.#bitrate.decide(this.#options.clock.nowSeconds(), sentBitsPerSecond);
    if (target !== undefined) this.#feed.setBitrate(target);
    return target;
  }

  /** Begins a recording; gives its id. */
  async startRecording(): Promise<string> {
    const recordings = this.#needRecordings();
    const { recordingId, videoFile } = await recordings.begin();
    try {
      await this.#feed.startRecording(videoFile);
    } catch (error) {
      await recordings.abandon();
      throw error;
    }
    return recordingId;
  }

  /** Ends the recording and says where it is. */
  async stopRecording(): Promise<RecordingFacts> {
    const recordings = this.#needRecordings();
    if (recordings.activeSeconds === undefined)
      throw new DreamloopError(ERROR_CODES.invalidState, "record_stop: no recording is under way; start one first");
    return recordings.finish(await this.#feed.stopRecording(), this.description.framesPerSecond);
  }

  /** Completes the recording under way when it has reached its limit; gives it then. */
  async boundRecording(): Promise<RecordingFacts | undefined> {
    const { recordingSeconds, recordingBytes } = this.#options.config;
    const seconds = this.recordings?.activeSeconds;
    if (seconds === undefined || this.recordings === undefined) return undefined;
    const isFull = seconds >= recordingSeconds || (await this.recordings.activeBytes()) >= recordingBytes;
    return isFull ? this.stopRecording().catch(() => undefined) : undefined;
  }

  /** Ends it and frees everything but finished recordings; idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  /** Every wait has an end, so that nothing that hangs keeps the rest from being freed. */
  async #end(): Promise<void> {
    if (this.recordings?.activeSeconds !== undefined) await within(this.stopRecording(), RECORDING_SECONDS);
    const answers = await within(this.hosted.close(), WORLD_SECONDS);
    await within(this.#feed.close(), MEDIA_SECONDS);
    this.#feed.chunkPort.close();
    if (this.recordings !== undefined) await within(this.recordings.trace.close(), FILE_SECONDS);
    if (answers) this.#lease.release();
    else this.#lease.abandon();
  }

  #needRecordings(): SessionRecordings {
    if (this.recordings !== undefined) return this.recordings;
    throw new DreamloopError(ERROR_CODES.unavailable, "recording is switched off on this server");
  }
}

/** What the rollout begins with: the world's own start, or a moment. */
function startOf(options: SessionRunOptions, initial: Mapping): SessionStart {
  const { moment, forkSeed, seed, config } = options;
  if (moment === undefined) {
    return { seed, ...(Object.keys(initial).length === 0 ? {} : { initialInputs: { initial } }) };
  }
  return {
    from: moment.file,
    momentLimits: momentLimits(config.momentBytes),
    ...(forkSeed === undefined ? {} : { seed: forkSeed }),
  };
}
