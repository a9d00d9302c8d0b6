import type { MessagePort } from "node:worker_threads";
import {
  DreamloopError,
  ERROR_CODES,
  LivePresenter,
  stepResult,
  type Clock,
  type SessionDescription,
} from "@dreamloop/core";
import { RateEstimator, summarize } from "@dreamloop/core/internal";
import { ChunkReceiver, type HostedChunk } from "@dreamloop/node";
import type { VideoEncoderBackend, VideoEncoderSettings } from "@dreamloop/outputs";
import type { FrameCodec } from "@dreamloop/protocol";
import type { MediaFrame, MediaStats, RecordedVideo } from "../media-messages.ts";
import { EncodeTarget } from "./encode-target.ts";
import { RecordingSink } from "./recording-sink.ts";

/** Values that are looked at: three seconds at 30 a second. */
const MEDIAN_VALUES = 90;

/** What a `MediaSession` is made with. */
export interface MediaSessionOptions {
  /** The clock of the process. */
  readonly clock: Clock;
  /** What the session delivers. */
  readonly description: SessionDescription;
  /** Where its chunks come from. */
  readonly chunkPort: MessagePort;
  /** Where video encoders come from; absent: there is only JPEG. */
  readonly backend?: VideoEncoderBackend;
  /** Quality of JPEG pictures. */
  readonly jpegQuality: number;
  /** Aim for the size of the video. */
  readonly bitrateBitsPerSecond: number;
  /** Gets every encoded frame. */
  readonly onFrame: (frame: MediaFrame) => void;
  /** Told of every encoder that was started. */
  readonly onSettings: (settings: VideoEncoderSettings) => void;
  /** Told when nothing can be encoded any more. */
  readonly onFault: (error: unknown) => void;
}

/** The media of one session: chunks come in, encoded frames go out at their times. */
export class MediaSession {
  readonly #options: MediaSessionOptions;
  readonly #target: EncodeTarget;
  readonly #presenter: LivePresenter;
  readonly #receiver: ChunkReceiver;
  readonly #generated = new RateEstimator();
  readonly #encoded = new RateEstimator();
  readonly #modelSeconds = new RecentMedian();
  readonly #encodeSeconds = new RecentMedian();
  #recording: RecordingSink | undefined;
  #status: HostedChunk["status"] | undefined;
  #droppedChunkFrames = 0;
  #sentBytes = 0;
  #statsSeconds: number;
  #closing: Promise<void> | undefined;

  /** Takes chunks at once. */
  constructor(options: MediaSessionOptions) {
    this.#options = options;
    this.#statsSeconds = options.clock.nowSeconds();
    this.#target = new EncodeTarget({
      ...options,
      onFrame: (frame) => {
        this.#encoded.note(1, options.clock.nowSeconds());
        this.#encodeSeconds.note(frame.encodeSeconds);
        this.#sentBytes += frame.data.byteLength;
        options.onFrame(frame);
      },
    });
    this.#presenter = new LivePresenter({
      clock: options.clock,
      target: this.#target,
      onError: (error) => options.onFault(error),
    });
    const opened = this.#presenter.open(options.description);
    this.#receiver = new ChunkReceiver({
      port: options.chunkPort,
      onChunk: (chunk) => void opened.then(() => this.#take(chunk)),
      onGeneration: (generation) => this.#presenter.beginGeneration(generation),
    });
  }

  /** Chooses the codecs that are made. */
  setCodecs(codecs: readonly FrameCodec[]): void {
    this.#target.setCodecs(codecs).catch(this.#options.onFault);
  }

  /** The next frame of a codec becomes a key frame. */
  wantKeyFrame(codec: FrameCodec): void {
    this.#target.wantKeyFrame(codec).catch(this.#options.onFault);
  }

  /** Aims at another size of the video. */
  setBitrate(bitsPerSecond: number): void {
    this.#target.setBitrate(bitsPerSecond);
  }

  /** Begins a recording; there is one at a time. */
  async startRecording(path: string): Promise<void> {
    const { backend, description, onFault: _onFault } = this.#options;
    if (backend === undefined)
      throw new DreamloopError(ERROR_CODES.unavailable, "recording: no video encoder works on this machine");
    if (this.#recording !== undefined)
      throw new DreamloopError(ERROR_CODES.invalidState, "recording: one is under way already; stop it first");
    this.#recording = await RecordingSink.open({ path, description, backend, onError: () => undefined });
  }

  /** Ends the recording and completes its file. */
  async stopRecording(): Promise<RecordedVideo> {
    const recording = this.#recording;
    if (recording === undefined)
      throw new DreamloopError(ERROR_CODES.invalidState, "recording: none is under way; start one first");
    this.#recording = undefined;
    return recording.close();
  }

  /** Counters of now; the bits sent are those since the last call. */
  stats(): MediaStats {
    const now = this.#options.clock.nowSeconds();
    const seconds = Math.max(1e-3, now - this.#statsSeconds);
    const sentBitsPerSecond = (this.#sentBytes * 8) / seconds;
    this.#sentBytes = 0;
    this.#statsSeconds = now;
    return {
      generatedFramesPerSecond: this.#generated.framesPerSecond ?? 0,
      encodedFramesPerSecond: this.#encoded.framesPerSecond ?? 0,
      modelSeconds: this.#modelSeconds.value,
      encodeSeconds: this.#encodeSeconds.value,
      underrunCount: this.#status?.underrunCount ?? 0,
      drops: {
        ...this.#presenter.drops,
        receiverSlow: this.#droppedChunkFrames,
        resetPending: this.#status?.discardedFrames ?? 0,
      },
      bitrateBitsPerSecond: this.#target.bitrateBitsPerSecond,
      sentBitsPerSecond,
      presentedFrames: this.#presenter.presentedCount,
      encoderStarts: this.#target.encoderStarts,
    };
  }

  /** Takes no more chunks and ends encoders and recording; idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    this.#receiver.close();
    await this.#presenter.close();
    await this.#recording?.close().catch(() => undefined);
    this.#recording = undefined;
  }

  #take(chunk: HostedChunk): void {
    const { result, firstDueSeconds, readSeconds, modelSeconds, status, droppedChunks } = chunk;
    this.#status = status;
    this.#droppedChunkFrames = droppedChunks * this.#options.description.framesPerStep;
    this.#generated.note(result.frameCount, this.#options.clock.nowSeconds());
    this.#modelSeconds.note(modelSeconds);
    this.#recording?.push(result, firstDueSeconds);
    const facts = { firstFrameIndex: status.frameCount - result.frameCount, readSeconds, modelSeconds };
    const told = stepResult({ ...result, metadata: { ...result.metadata, ...facts } });
    this.#presenter.push(told, firstDueSeconds, () => chunk.release());
  }
}

/** The median of the newest values. */
class RecentMedian {
  readonly #values: number[] = [];
  #next = 0;

  /** Adds a value, in place of the oldest one when there are many. */
  note(value: number): void {
    this.#values[this.#next] = value;
    this.#next = (this.#next + 1) % MEDIAN_VALUES;
  }

  /** The median; 0 before the first value. */
  get value(): number {
    return this.#values.length === 0 ? 0 : (summarize(this.#values)?.p50 ?? 0);
  }
}
