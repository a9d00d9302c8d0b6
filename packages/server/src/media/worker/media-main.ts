import { parentPort, workerData } from "node:worker_threads";
import { ERROR_CODES, DreamloopError, sessionDescription } from "@dreamloop/core";
import { errorToRecord } from "@dreamloop/core/internal";
import { ProcessClock } from "@dreamloop/node";
import { selectEncoder, selfTestEncoder, VIDEO_CODECS, type VideoEncoderBackend } from "@dreamloop/outputs";
import { FRAME_CODECS, type FrameCodec } from "@dreamloop/protocol";
import { NO_ENCODER, type FromMedia, type MediaWorkerStart, type ToMedia } from "../media-messages.ts";
import { MediaSession } from "./media-session.ts";

/** Seconds between two reports of counters. */
const STATS_SECONDS = 1;

/** The media worker: presents and encodes for all sessions of a server, so that the main thread touches no pixel. */
class MediaWorker {
  readonly #start: MediaWorkerStart;
  readonly #clock = new ProcessClock();
  readonly #sessions = new Map<number, MediaSession>();
  readonly #stats = setInterval(() => this.#report(), STATS_SECONDS * 1000);
  #backend: VideoEncoderBackend | undefined;

  constructor(start: MediaWorkerStart) {
    this.#start = start;
  }

  /** Looks for encoders and tests them by pixel values; then takes sessions. */
  async begin(): Promise<void> {
    const codecs: FrameCodec[] = [];
    const faults: string[] = [];
    for (const codec of Object.values(VIDEO_CODECS)) {
      try {
        if (this.#backend === undefined) {
          const { encoder, hardware } = this.#start;
          this.#backend = await selectEncoder({ prefer: encoder, hardware, codecs: [codec] });
        } else await selfTestEncoder({ backend: this.#backend, codec });
        codecs.push(codec);
      } catch (error) {
        // What is wrong with an encoder is wrong with each of its codecs; once is enough.
        const { message } = errorToRecord(error);
        if (!faults.includes(message)) faults.push(message);
      }
    }
    codecs.push(FRAME_CODECS.jpeg);
    post({ type: "ready", codecs, encoder: this.#backend?.name ?? NO_ENCODER, faults });
    parentPort?.on("message", (message: ToMedia) => this.#take(message));
  }

  #take(message: ToMedia): void {
    switch (message.type) {
      case "open":
        this.#open(message);
        break;
      case "set_codecs":
        this.#sessions.get(message.mediaId)?.setCodecs(message.codecs);
        break;
      case "key_frame":
        this.#sessions.get(message.mediaId)?.wantKeyFrame(message.codec);
        break;
      case "set_bitrate":
        this.#sessions.get(message.mediaId)?.setBitrate(message.bitrateBitsPerSecond);
        break;
      case "record_start":
        this.#answer(message.requestId, async () => {
          await this.#sessionOf(message.mediaId).startRecording(message.path);
          return {};
        });
        break;
      case "record_stop":
        this.#answer(message.requestId, async () => ({
          recorded: await this.#sessionOf(message.mediaId).stopRecording(),
        }));
        break;
      case "close":
        void this.#close(message.mediaId);
        break;
      case "end":
        void this.#end();
        break;
    }
  }

  #open(message: Extract<ToMedia, { type: "open" }>): void {
    const { mediaId, description, chunkPort, bitrateBitsPerSecond } = message;
    const session = new MediaSession({
      clock: this.#clock,
      description: sessionDescription(description),
      chunkPort,
      ...(this.#backend === undefined ? {} : { backend: this.#backend }),
      jpegQuality: this.#start.jpegQuality,
      bitrateBitsPerSecond,
      onFrame: (frame) => {
        // What the encoders still give while they end is nobody's: no frame may follow "closed".
        if (!this.#sessions.has(mediaId)) return;
        const data = ownMemory(frame.data);
        parentPort?.postMessage({ type: "frame", mediaId, frame: { ...frame, data } } satisfies FromMedia, [
          data.buffer as ArrayBuffer,
        ]);
      },
      onSettings: (settings) => post({ type: "encoder", mediaId, settings }),
      onFault: (error) => post({ type: "fault", mediaId, error: errorToRecord(error) }),
    });
    this.#sessions.set(mediaId, session);
  }

  #sessionOf(mediaId: number): MediaSession {
    const session = this.#sessions.get(mediaId);
    if (session === undefined) throw new DreamloopError(ERROR_CODES.closed, "media: the session has ended");
    return session;
  }

  #answer(
    requestId: number,
    work: () => Promise<Omit<Extract<FromMedia, { type: "request_done" }>, "type" | "requestId">>,
  ): void {
    Promise.resolve()
      .then(work)
      .then(
        (result) => post({ type: "request_done", requestId, ...result }),
        (error: unknown) => post({ type: "request_failed", requestId, error: errorToRecord(error) }),
      );
  }

  async #close(mediaId: number): Promise<void> {
    const session = this.#sessions.get(mediaId);
    this.#sessions.delete(mediaId);
    await session?.close().catch(() => undefined);
    post({ type: "closed", mediaId });
  }

  async #end(): Promise<void> {
    clearInterval(this.#stats);
    await Promise.all([...this.#sessions.keys()].map((mediaId) => this.#close(mediaId)));
    await this.#backend?.close();
    parentPort?.close();
  }

  #report(): void {
    for (const [mediaId, session] of this.#sessions) post({ type: "stats", mediaId, stats: session.stats() });
  }
}

/** The same bytes in memory that can travel: small Buffers share theirs with others. */
function ownMemory(data: Uint8Array): Uint8Array {
  return data.buffer instanceof ArrayBuffer && data.byteLength === data.buffer.byteLength
    ? data
    : Uint8Array.from(data);
}

function post(message: FromMedia): void {
  parentPort?.postMessage(message);
}

const worker = new MediaWorker(workerData as MediaWorkerStart);
void worker.begin();
