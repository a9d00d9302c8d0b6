import { createRequire } from "node:module";
import { MessageChannel, Worker, type MessagePort } from "node:worker_threads";
import { DreamloopError, ERROR_CODES, type SessionDescription } from "@dreamloop/core";
import { errorFromRecord } from "@dreamloop/core/internal";
import { HARDWARE_PREFERENCES } from "@dreamloop/outputs";
import type { FrameCodec } from "@dreamloop/protocol";
import { MediaFeeds, type MediaFeedEvents } from "./media-feeds.ts";
import {
  NO_ENCODER,
  type FromMedia,
  type MediaWorkerStart,
  type RecordedVideo,
  type ToMedia,
} from "./media-messages.ts";

/** Seconds that the worker gets to end by itself. */
const END_SECONDS = 5;

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
  readonly #feeds = new MediaFeeds();
  readonly #requests = new Map<
    number,
    { readonly resolve: (recorded: RecordedVideo | undefined) => void; readonly reject: (error: unknown) => void }
  >();
  #count = 0;
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

  /** Frames for media that were closed already; see `MediaFeeds`. */
  get lateFrames(): number {
    return this.#feeds.lateFrames;
  }

  /** Sessions whose media are open. */
  get feedCount(): number {
    return this.#feeds.count;
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
    const closed = this.#feeds.open(mediaId, events);
    let isClosing = false;
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
        if (!isClosing) this.#post({ type: "close", mediaId });
        isClosing = true;
        return closed;
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
    this.#feeds.closeAll();
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
    if (this.#failure !== undefined) return;
    switch (message.type) {
      case "ready":
        break;
      case "request_done":
        this.#requests.get(message.requestId)?.resolve(message.recorded);
        this.#requests.delete(message.requestId);
        break;
      case "request_failed":
        this.#requests.get(message.requestId)?.reject(errorFromRecord(message.error));
        this.#requests.delete(message.requestId);
        break;
      default:
        this.#feeds.take(message);
    }
  }

  #fail(what: string, cause?: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = new DreamloopError(ERROR_CODES.workerFailed, `the media worker ${what}`, { cause });
    for (const request of this.#requests.values()) request.reject(this.#failure);
    this.#requests.clear();
    this.#feeds.closeAll(this.#failure);
  }

  #post(message: ToMedia, transfer: readonly MessagePort[] = []): void {
    this.#worker.postMessage(message, [...transfer]);
  }
}
