import { createRequire } from "node:module";
import { MessageChannel, Worker, type MessagePort } from "node:worker_threads";
import { DreamloopError, ERROR_CODES, errorFromRecord, type SessionDescription } from "@dreamloop/core";
import { HARDWARE_PREFERENCES, type VideoEncoderSettings } from "@dreamloop/outputs";
import type { FrameCodec } from "@dreamloop/protocol";
import {
  NO_ENCODER,
  type FromMedia,
  type MediaFrame,
  type MediaStats,
  type MediaWorkerStart,
  type RecordedVideo,
  type ToMedia,
} from "./media-messages.ts";

/** Seconds that the worker gets to end by itself. */
const END_SECONDS = 5;

/** What a session hears of its media. */
export interface MediaFeedEvents {
  /** Gets every encoded frame, for each codec in order. */
  readonly onFrame: (frame: MediaFrame) => void;
  /** Gets counters about once a second. */
  readonly onStats: (stats: MediaStats) => void;
  /** Told of every encoder that was started, with what holds in it. */
  readonly onEncoder: (settings: VideoEncoderSettings) => void;
  /** Told once when there will be no more frames because something failed. */
  readonly onFault: (error: DreamloopError) => void;
}

/** The media of one session, seen from the main thread. Whoever opened it closes it. */
export interface MediaFeed {
  /** To be given to the session as its `chunkPort`. */
  readonly chunkPort: MessagePort;
  /** Chooses the codecs that are made. */
  setCodecs(codecs: readonly FrameCodec[]): void;
  /** The next frame of a codec becomes a key frame. */
  requestKeyFrame(codec: FrameCodec): void;
  /** Aims at another size of the video. */
  setBitrate(bitsPerSecond: number): void;
  /** Begins a recording in a file. */
  startRecording(path: string): Promise<void>;
  /** Ends the recording. */
  stopRecording(): Promise<RecordedVideo>;
  /** Ends it; resolves when encoders and files are closed. Idempotent. */
  close(): Promise<void>;
}

interface Feed {
  readonly events: MediaFeedEvents;
  readonly markClosed: () => void;
  /** Whether its session has ended: what still comes is late. */
  isClosing: boolean;
}

/** The media worker of a server, and what is known of its encoders. */
export class MediaHost {
  /** What can be encoded here; JPEG always. */
  readonly codecs: readonly FrameCodec[];
  /** Name of the encoder backend; `none` without one. */
  readonly encoder: string;
  /** Why a codec is missing. */
  readonly faults: readonly string[];
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  readonly #feeds = new Map<number, Feed>();
  readonly #requests = new Map<
    number,
    { readonly resolve: (recorded: RecordedVideo | undefined) => void; readonly reject: (error: unknown) => void }
  >();
  #count = 0;
  #lateFrames = 0;
  #failure: DreamloopError | undefined;
  #closing: Promise<void> | undefined;

  private constructor(worker: Worker, ready: Extract<FromMedia, { type: "ready" }>) {
    this.#worker = worker;
    this.codecs = ready.codecs;
    this.encoder = ready.encoder;
    this.faults = ready.faults;
    this.#ended = new Promise((resolve) => worker.once("exit", () => resolve()));
    worker.on("message", (message: FromMedia) => this.#take(message));
    worker.on("error", (error) => this.#fail(`failed: ${error.message}`, error));
    worker.on("exit", (code) => {
      if (this.#closing === undefined) this.#fail(`ended with code ${code}`);
    });
  }

  /** Starts the worker and tests its encoders. Throws `worker_failed`, and `unavailable` when none runs where it was asked to. */
  static async start(options: MediaWorkerStart): Promise<MediaHost> {
    const worker = new Worker(createRequire(import.meta.url).resolve("@dreamloop/server/media-worker"), {
      workerData: options,
    });
    const ready = await new Promise<Extract<FromMedia, { type: "ready" }>>((resolve, reject) => {
      const fail = (cause: unknown): void =>
        reject(new DreamloopError(ERROR_CODES.workerFailed, "the media worker failed while it started", { cause }));
      worker.once("error", fail);
      worker.once("message", (message: FromMedia) => {
        worker.off("error", fail);
        if (message.type === "ready") resolve(message);
        else fail(message);
      });
    });
    const host = new MediaHost(worker, ready);
    if (options.hardware === HARDWARE_PREFERENCES.auto || ready.encoder !== NO_ENCODER) return host;
    await host.close();
    throw new DreamloopError(
      ERROR_CODES.unavailable,
      `encoderHardware: an encoder in ${options.hardware} was asked for, and there is none here: ${ready.faults.join(". ")}`,
    );
  }

  /** Frames that came for a session that had ended; they were discarded. */
  get lateFrames(): number {
    return this.#lateFrames;
  }

  /** Sessions whose media are open. */
  get feedCount(): number {
    return this.#feeds.size;
  }

  /** Why the worker failed; absent while it is well. */
  get failure(): DreamloopError | undefined {
    return this.#failure;
  }

  /** Opens the media of a session. */
  open(options: {
    readonly description: SessionDescription;
    readonly bitrateBitsPerSecond: number;
    readonly events: MediaFeedEvents;
  }): MediaFeed {
    if (this.#failure !== undefined) throw this.#failure;
    const { description, bitrateBitsPerSecond, events } = options;
    this.#count += 1;
    const mediaId = this.#count;
    const { port1, port2 } = new MessageChannel();
    let markClosed: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => (markClosed = resolve));
    const feed: Feed = { events, markClosed, isClosing: false };
    this.#feeds.set(mediaId, feed);
    this.#post({ type: "open", mediaId, description: { ...description }, chunkPort: port2, bitrateBitsPerSecond }, [
      port2,
    ]);
    return {
      chunkPort: port1,
      setCodecs: (codecs) => this.#post({ type: "set_codecs", mediaId, codecs }),
      requestKeyFrame: (codec) => this.#post({ type: "key_frame", mediaId, codec }),
      setBitrate: (bitsPerSecond) => this.#post({ type: "set_bitrate", mediaId, bitrateBitsPerSecond: bitsPerSecond }),
      startRecording: async (path) => {
        await this.#request((requestId) => ({ type: "record_start", mediaId, requestId, path }));
      },
      stopRecording: async () =>
        (await this.#request((requestId) => ({ type: "record_stop", mediaId, requestId }))) as RecordedVideo,
      close: () => {
        if (!feed.isClosing) {
          feed.isClosing = true;
          if (this.#failure === undefined) this.#post({ type: "close", mediaId });
          else markClosed();
        }
        return closed.then(() => void this.#feeds.delete(mediaId));
      },
    };
  }

  /** Ends the worker; idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    this.#post({ type: "end" });
    const timer = setTimeout(() => void this.#worker.terminate(), END_SECONDS * 1000);
    timer.unref();
    await this.#ended;
    clearTimeout(timer);
    for (const { markClosed } of this.#feeds.values()) markClosed();
  }

  #request(message: (requestId: number) => ToMedia): Promise<RecordedVideo | undefined> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.#count += 1;
    const requestId = this.#count;
    return new Promise((resolve, reject) => {
      this.#requests.set(requestId, { resolve, reject });
      this.#post(message(requestId));
    });
  }

  #take(message: FromMedia): void {
    switch (message.type) {
      case "ready":
        break;
      case "frame": {
        const feed = this.#feeds.get(message.mediaId);
        if (feed === undefined || feed.isClosing) this.#lateFrames += 1;
        else feed.events.onFrame(message.frame);
        break;
      }
      case "stats":
        this.#feeds.get(message.mediaId)?.events.onStats(message.stats);
        break;
      case "encoder":
        this.#feeds.get(message.mediaId)?.events.onEncoder(message.settings);
        break;
      case "fault":
        this.#feeds.get(message.mediaId)?.events.onFault(errorFromRecord(message.error));
        break;
      case "request_done":
        this.#requests.get(message.requestId)?.resolve(message.recorded);
        this.#requests.delete(message.requestId);
        break;
      case "request_failed":
        this.#requests.get(message.requestId)?.reject(errorFromRecord(message.error));
        this.#requests.delete(message.requestId);
        break;
      case "closed":
        this.#feeds.get(message.mediaId)?.markClosed();
        break;
    }
  }

  #fail(what: string, cause?: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = new DreamloopError(ERROR_CODES.workerFailed, `the media worker ${what}`, { cause });
    for (const request of this.#requests.values()) request.reject(this.#failure);
    this.#requests.clear();
    for (const { events, markClosed } of [...this.#feeds.values()]) {
      markClosed();
      events.onFault(this.#failure);
    }
  }

  #post(message: ToMedia, transfer: readonly MessagePort[] = []): void {
    this.#worker.postMessage(message, [...transfer]);
  }
}
