import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import type { I420Picture } from "../color/i420.ts";
import { i420Bytes } from "../color/i420.ts";
import type { CodedSize } from "./coded-size.ts";
import { streamMender, type StreamMender } from "./stream-mender.ts";
import {
  ENCODER_LATENCIES,
  type EncodeOptions,
  type VideoEncoderConfig,
  type VideoEncoderEvents,
  type VideoEncoderSettings,
} from "./video-encoder.ts";

/** What `EncodedStream` is made from. */
export interface EncodedStreamOptions {
  /** What was asked for. */
  readonly config: VideoEncoderConfig;
  /** Who gets the frames. */
  readonly events: VideoEncoderEvents;
  /** Sizes after padding. */
  readonly size: CodedSize;
  /** Name of the backend, for errors and settings. */
  readonly backend: string;
  /** The library behind it. */
  readonly implementation: string;
  /** Whether it runs on special hardware. */
  readonly isHardware: boolean;
  /** What the library was told about speed. */
  readonly speed: string;
  /** Called when pictures begin to be pending; what it gives is called when none is. Default: nothing. */
  readonly hold?: () => () => void;
  /** Pictures on their way before `encode` waits; default 2 for realtime and 8 for quality. */
  readonly pendingLimit?: number;
  /** How long someone may wait without any frame coming out, in seconds; default 20. */
  readonly stallSeconds?: number;
}

/** Default of `EncodedStreamOptions.stallSeconds`. */
export const DEFAULT_STALL_SECONDS = 20;

/** Pictures on their way before `encode` waits, by what counts more. */
const PENDING_LIMITS = { realtime: 2, quality: 8 } as const;

interface Waiter {
  /** Resolves when at most this many pictures are pending. */
  readonly atMost: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * The bookkeeping that all encoders share: which pictures are pending and with which timestamps, who waits for room or for the end, the
 * one fault, and the mending of the stream. Encoders here give exactly one frame for each picture, in order.
 */
export class EncodedStream {
  readonly #options: EncodedStreamOptions;
  readonly #mender: StreamMender;
  readonly #timestamps: number[] = [];
  readonly #waiters = new Set<Waiter>();
  readonly #pendingLimit: number;
  #settings: VideoEncoderSettings;
  #bFramesInARow = 0;
  #fault: Error | undefined;
  #release: (() => void) | undefined;
  #stallTimer: NodeJS.Timeout | undefined;

  /** Starts with nothing pending. */
  constructor(options: EncodedStreamOptions) {
    const { config, size } = options;
    const latency = config.latency ?? ENCODER_LATENCIES.quality;
    this.#options = options;
    this.#mender = streamMender(config.codec, { size, range: config.range ?? "limited" });
    this.#pendingLimit = options.pendingLimit ?? PENDING_LIMITS[latency];
    this.#settings = {
      backend: options.backend,
      implementation: options.implementation,
      isHardware: options.isHardware,
      speed: options.speed,
      codec: config.codec,
      codecString: config.codec,
      ...size,
      bitrateBitsPerSecond: config.bitrateBitsPerSecond,
      keyFrameIntervalFrames: config.keyFrameIntervalFrames,
      latency,
      lookAheadFrames: 0,
      bFrames: 0,
      range: config.range ?? "limited",
    };
  }

  /** What holds. */
  get settings(): VideoEncoderSettings {
    return this.#settings;
  }

  /** Pictures whose frames have not come out. */
  get pendingFrames(): number {
    return this.#timestamps.length;
  }

  /** The fault, once there is one. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  /** Notes a picture that is about to be handed over; throws the fault, and refuses a picture of another size. */
  accept(picture: I420Picture, options: EncodeOptions): void {
    if (this.#fault !== undefined) throw this.#fault;
    const { codedWidth, codedHeight } = this.#settings;
    const bytes = i420Bytes(codedWidth, codedHeight);
    if (picture.codedWidth !== codedWidth || picture.codedHeight !== codedHeight || picture.data.byteLength !== bytes) {
      throw new DreamloopError(
        ERROR_CODES.encoderFailed,
        `${this.#options.backend} encoder: expected a picture of ${codedWidth}×${codedHeight} (${bytes} bytes), found ${picture.codedWidth}×${picture.codedHeight} (${picture.data.byteLength} bytes)`,
      );
    }
    if (this.#timestamps.length === 0) this.#release = this.#options.hold?.();
    this.#timestamps.push(options.timestamp);
  }

  /** Takes the frame of the oldest pending picture, with whatever the encoder wrote into it. */
  deliver(accessUnit: Uint8Array): void {
    const timestamp = this.#timestamps.shift();
    if (timestamp === undefined || this.#fault !== undefined) return;
    try {
      const { data, isKeyFrame, isBFrame, facts } = this.#mender.mend(accessUnit);
      if (facts !== undefined) this.#settings = { ...this.#settings, ...facts };
      this.#bFramesInARow = isBFrame ? this.#bFramesInARow + 1 : 0;
      if (this.#bFramesInARow > this.#settings.bFrames) {
        this.#settings = { ...this.#settings, bFrames: this.#bFramesInARow };
      }
      this.#options.events.onFrame({ data, timestamp, isKeyFrame });
    } catch (cause) {
      this.fail(
        new DreamloopError(
          ERROR_CODES.encoderFailed,
          `${this.#options.backend} encoder: its stream cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`,
          { cause },
        ),
      );
      return;
    }
    this.#stopWatch();
    this.#settle();
  }

  /** Takes parameter sets that come apart from the frames. */
  takeParameterSets(units: readonly Uint8Array[]): void {
    this.#mender.takeParameterSets?.(units);
  }

  /** Ends everything with a fault; only the first counts. */
  fail(error: Error): void {
    if (this.#fault !== undefined) return;
    this.#fault = error;
    this.#timestamps.length = 0;
    this.#settle();
    this.#options.events.onError?.(error);
  }

  /** Ends without a fault of its own: who still waits is refused, `onError` is not told. */
  end(error: Error): void {
    this.#fault ??= error;
    this.#timestamps.length = 0;
    this.#settle();
  }

  /** Resolves when there is room for another picture; rejects with the fault. */
  waitForRoom(): Promise<void> {
    return this.#waitFor(this.#pendingLimit - 1);
  }

  /** Resolves when nothing is pending; rejects with the fault. */
  waitForAll(): Promise<void> {
    return this.#waitFor(0);
  }

  #waitFor(atMost: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiters.add({ atMost, resolve, reject });
      this.#settle();
    });
  }

  #settle(): void {
    if (this.#timestamps.length === 0) {
      this.#release?.();
      this.#release = undefined;
    }
    for (const waiter of this.#waiters) {
      if (this.#fault === undefined && this.#timestamps.length > waiter.atMost) continue;
      this.#waiters.delete(waiter);
      if (this.#fault === undefined) waiter.resolve();
      else waiter.reject(this.#fault);
    }
    if (this.#waiters.size === 0) this.#stopWatch();
    else this.#startWatch();
  }

  #stopWatch(): void {
    clearTimeout(this.#stallTimer);
    this.#stallTimer = undefined;
  }

  #startWatch(): void {
    if (this.#stallTimer !== undefined) return;
    const seconds = this.#options.stallSeconds ?? DEFAULT_STALL_SECONDS;
    this.#stallTimer = setTimeout(() => {
      const pending = this.#timestamps.length;
      this.fail(
        new DreamloopError(
          ERROR_CODES.encoderFailed,
          `${this.#options.backend} encoder: no frame came out for ${seconds} s with ${pending} pictures pending`,
        ),
      );
    }, seconds * 1000);
    this.#stallTimer.unref();
  }
}
