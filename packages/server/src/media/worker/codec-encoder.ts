import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import {
  i420Bytes,
  rgbToI420,
  type VideoCodec,
  type VideoEncoder,
  type VideoEncoderBackend,
  type VideoEncoderSettings,
} from "@dreamloop/outputs";
import { SettingsReading } from "./settings-reading.ts";

/** Seconds between key frames when nobody asks for one: viewers ask, so this is only for those that cannot. */
const KEY_FRAME_INTERVAL_SECONDS = 10;
/** Failures of the encoder in a row after which the session is given up. */
const MAX_FAILURES_IN_A_ROW = 3;

/** What an `CodecEncoder` is made with. */
export interface CodecEncoderOptions {
  /** Where encoders come from. */
  readonly backend: VideoEncoderBackend;
  /** The codec of this slot. */
  readonly codec: VideoCodec;
  /** Columns of the world's pictures. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** The world's rate. */
  readonly framesPerSecond: number;
  /** Aim for the size. */
  readonly bitrateBitsPerSecond: number;
  /** Gets each encoded frame with the timestamp of its picture. */
  readonly onFrame: (frame: {
    readonly data: Uint8Array;
    readonly timestamp: number;
    readonly isKeyFrame: boolean;
    readonly settings: VideoEncoderSettings;
  }) => void;
  /** Told for every encoder when its settings are known from its stream, and again when the stream shows others. */
  readonly onSettings: (settings: VideoEncoderSettings) => void;
}

/**
 * The encoder of one codec of one session. It is made when the first picture comes, made anew when the bitrate changes (which costs a key
 * frame) and after a failure. Pictures are handed in one after the other.
 */
export class CodecEncoder {
  readonly #options: CodecEncoderOptions;
  #encoder: VideoEncoder | undefined;
  #failed: Error | undefined;
  #failuresInARow = 0;
  #bitrate: number;
  #isStale = false;
  #keyFrameWanted = true;
  #memory: Uint8Array | undefined;
  #starts = 0;
  #closed = false;

  /** Nothing is started before the first picture. */
  constructor(options: CodecEncoderOptions) {
    this.#options = options;
    this.#bitrate = options.bitrateBitsPerSecond;
  }

  /** Encoders made so far. */
  get starts(): number {
    return this.#starts;
  }

  /** Whether the next picture becomes a key frame. */
  get keyFrameWanted(): boolean {
    return this.#keyFrameWanted || this.#isStale;
  }

  /** The next picture becomes a key frame. */
  wantKeyFrame(): void {
    this.#keyFrameWanted = true;
  }

  /** Aims at another size from the next picture on. */
  setBitrate(bitsPerSecond: number): void {
    if (bitsPerSecond === this.#bitrate) return;
    this.#bitrate = bitsPerSecond;
    this.#isStale = this.#encoder !== undefined;
  }

  /** Encodes a picture of packed RGB; resolves when its memory may be used again and there is room for another. */
  async encode(rgb: Uint8Array, timestamp: number): Promise<void> {
    if (this.#closed) return;
    try {
      const encoder = await this.#ready();
      const { codedWidth, codedHeight, range } = encoder.settings;
      const { width, height } = this.#options;
      this.#memory ??= new Uint8Array(i420Bytes(codedWidth, codedHeight));
      const picture = rgbToI420({ rgb, width, height, codedWidth, codedHeight, range, into: this.#memory });
      const keyFrame = this.#keyFrameWanted;
      this.#keyFrameWanted = false;
      await encoder.encode(picture, { timestamp, keyFrame });
    } catch (error) {
      await this.#fail(error);
    }
  }

  /** Ends the encoder; idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#encoder?.close();
    this.#encoder = undefined;
  }

  async #ready(): Promise<VideoEncoder> {
    if (this.#failed !== undefined) {
      const error = this.#failed;
      this.#failed = undefined;
      throw error;
    }
    if (this.#isStale && this.#encoder !== undefined) {
      // What is on its way goes out first, so that frames keep their order.
      await this.#encoder.flush();
      await this.#encoder.close();
      this.#encoder = undefined;
    }
    this.#isStale = false;
    this.#encoder ??= await this.#make();
    return this.#encoder;
  }

  async #make(): Promise<VideoEncoder> {
    const { backend, codec, width, height, framesPerSecond, onFrame, onSettings } = this.#options;
    const reading = new SettingsReading();
    this.#starts += 1;
    this.#keyFrameWanted = true;
    const encoder = await backend.createEncoder(
      {
        codec,
        width,
        height,
        framesPerSecond,
        bitrateBitsPerSecond: this.#bitrate,
        keyFrameIntervalFrames: Math.max(1, Math.round(framesPerSecond * KEY_FRAME_INTERVAL_SECONDS)),
        latency: "realtime",
      },
      {
        onFrame: (frame) => {
          if (this.#closed) return;
          this.#failuresInARow = 0;
          const found = reading.note(encoder.settings, encoder.pendingFrames);
          if (found !== undefined) onSettings(found);
          onFrame({ ...frame, settings: encoder.settings });
        },
        onError: (error) => {
          if (this.#encoder === encoder) this.#failed = error;
        },
      },
    );
    return encoder;
  }

  async #fail(cause: unknown): Promise<void> {
    const encoder = this.#encoder;
    this.#encoder = undefined;
    this.#failed = undefined;
    this.#keyFrameWanted = true;
    await encoder?.close().catch(() => undefined);
    if (this.#closed) return;
    this.#failuresInARow += 1;
    if (this.#failuresInARow < MAX_FAILURES_IN_A_ROW) return;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DreamloopError(
      ERROR_CODES.encoderFailed,
      `the ${this.#options.codec} encoder failed ${MAX_FAILURES_IN_A_ROW} times in a row: ${reason}`,
      { cause },
    );
  }
}
