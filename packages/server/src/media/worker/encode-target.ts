import {
  frameRgb8,
  type Clock,
  type OutputArtifact,
  type OutputTarget,
  type SessionDescription,
  type StepResult,
} from "@dreamloop/core";
import {
  mjpegEncoder,
  VIDEO_TICKS_PER_SECOND,
  type VideoEncoderBackend,
  type VideoEncoderSettings,
} from "@dreamloop/outputs";
import { FRAME_CODECS, type FrameCodec } from "@dreamloop/protocol";
import type { MediaFrame } from "../media-messages.ts";
import { CodecEncoder } from "./codec-encoder.ts";

/** What travels with a chunk to its frames, in the metadata of its result. */
export interface ChunkFacts {
  /** Number of the chunk's first frame since the session started. */
  readonly firstFrameIndex: number;
  /** When the input of its step was read, in seconds of the process clock. */
  readonly readSeconds: number;
  /** Seconds in the model. */
  readonly modelSeconds: number;
}

/** The facts of a frame that do not depend on how it is coded. */
type FrameFacts = Omit<
  MediaFrame,
  "codec" | "data" | "keyFrame" | "encodeSeconds" | "codecString" | "width" | "height"
> & { readonly handedInSeconds: number };

/** What an `EncodeTarget` is made with. */
export interface EncodeTargetOptions {
  /** The clock of the process. */
  readonly clock: Clock;
  /** Where video encoders come from; absent: there is only JPEG. */
  readonly backend?: VideoEncoderBackend;
  /** Quality of JPEG pictures. */
  readonly jpegQuality: number;
  /** Aim for the size of the video at the start. */
  readonly bitrateBitsPerSecond: number;
  /** Gets every encoded frame, for each codec in order. */
  readonly onFrame: (frame: MediaFrame) => void;
  /** Told of every encoder that was started, with what holds in it. */
  readonly onSettings: (settings: VideoEncoderSettings) => void;
}

/** A picture that has stood still this many frame times is encoded again for who asks for a key frame. */
const STILL_FRAME_TIMES = 3;

/**
 * Encodes the frames that are due, once for each codec that anybody watches. The newest picture is kept, so that a viewer who comes while
 * the world is paused sees it.
 */
export class EncodeTarget implements OutputTarget {
  readonly #options: EncodeTargetOptions;
  readonly #slots = new Map<FrameCodec, CodecEncoder>();
  readonly #frameClock = new FrameClock();
  readonly #facts = new Map<string, FrameFacts>();
  #description: SessionDescription | undefined;
  #codecs: readonly FrameCodec[] = [];
  #jpeg: ((rgb: Uint8Array) => Promise<Uint8Array>) | undefined;
  #bitrate: number;
  #lastRgb: Uint8Array | undefined;
  #lastFacts: Omit<FrameFacts, "rtpTimestamp" | "handedInSeconds"> | undefined;
  #lastWriteSeconds = 0;
  #tail: Promise<void> = Promise.resolve();
  #encoderStarts = 0;
  #closed = false;

  /** Nothing is encoded before `setCodecs` names a codec. */
  constructor(options: EncodeTargetOptions) {
    this.#options = options;
    this.#bitrate = options.bitrateBitsPerSecond;
  }

  /** What the encoders aim at. */
  get bitrateBitsPerSecond(): number {
    return this.#bitrate;
  }

  /** Encoders that were made so far. */
  get encoderStarts(): number {
    let starts = this.#encoderStarts;
    for (const slot of this.#slots.values()) starts += slot.starts;
    return starts;
  }

  /** Notes what will come. */
  open(description: SessionDescription): void {
    this.#description = description;
  }

  /** Encodes one frame; resolves when there is room for another. */
  write(result: StepResult): Promise<void> {
    return this.#inTurn(() => this.#write(result));
  }

  /** Chooses the codecs that are made; encoders of others end. */
  setCodecs(codecs: readonly FrameCodec[]): Promise<void> {
    return this.#inTurn(async () => {
      this.#codecs = codecs;
      for (const [codec, slot] of this.#slots) {
        if (codecs.includes(codec)) continue;
        this.#slots.delete(codec);
        this.#encoderStarts += slot.starts;
        await slot.close();
      }
    });
  }

  /** The next frame becomes a key frame; where the picture stands still, it is encoded again. */
  wantKeyFrame(codec: FrameCodec): Promise<void> {
    this.#slots.get(codec)?.wantKeyFrame();
    return this.#inTurn(async () => {
      const { framesPerSecond } = this.#description ?? { framesPerSecond: 1 };
      const now = this.#options.clock.nowSeconds();
      const isStill = now - this.#lastWriteSeconds > STILL_FRAME_TIMES / framesPerSecond;
      const isAnswered = this.#slots.get(codec)?.keyFrameWanted === false && codec !== FRAME_CODECS.jpeg;
      if (!isStill || isAnswered || this.#lastRgb === undefined || this.#lastFacts === undefined) return;
      await this.#encode(codec, this.#lastRgb, this.#factsAt(now, this.#lastFacts));
    });
  }

  /** Aims at another size. */
  setBitrate(bitsPerSecond: number): void {
    this.#bitrate = bitsPerSecond;
    for (const slot of this.#slots.values()) slot.setBitrate(bitsPerSecond);
  }

  /** Ends the encoders. */
  async close(): Promise<readonly OutputArtifact[]> {
    this.#closed = true;
    await this.#tail;
    for (const slot of this.#slots.values()) await slot.close();
    this.#slots.clear();
    return [];
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#tail.then(() => (this.#closed ? undefined : work()));
    this.#tail = done.catch(() => undefined);
    return done;
  }

  async #write(result: StepResult): Promise<void> {
    const { output, generation, stepIndex, inputSequence, metadata } = result;
    if (output === undefined) return;
    const { firstFrameIndex, readSeconds, modelSeconds } = metadata as unknown as ChunkFacts;
    const frameInStep = metadata.frameInStep as number;
    const rgb = frameRgb8(output, 0);
    if (this.#lastRgb?.byteLength !== rgb.byteLength) this.#lastRgb = Uint8Array.from(rgb);
    else this.#lastRgb.set(rgb);
    this.#lastWriteSeconds = this.#options.clock.nowSeconds();
    this.#lastFacts = {
      frameIndex: firstFrameIndex + frameInStep,
      generation,
      stepIndex,
      frameInStep,
      ...(inputSequence === undefined ? {} : { messageNumber: inputSequence }),
      readSeconds,
      modelSeconds,
    };
    const facts = this.#factsAt(metadata.dueSeconds as number, this.#lastFacts);
    await Promise.all(this.#codecs.map((codec) => this.#encode(codec, rgb, facts)));
  }

  #factsAt(dueSeconds: number, facts: Omit<FrameFacts, "rtpTimestamp" | "handedInSeconds">): FrameFacts {
    const rtpTimestamp = this.#frameClock.ticks(dueSeconds);
    return { ...facts, rtpTimestamp, handedInSeconds: this.#options.clock.nowSeconds() };
  }

  async #encode(codec: FrameCodec, rgb: Uint8Array, facts: FrameFacts): Promise<void> {
    if (!this.#codecs.includes(codec)) return;
    if (codec === FRAME_CODECS.jpeg) return this.#encodeJpeg(rgb, facts);
    const slot = this.#slot(codec);
    if (slot === undefined) return;
    this.#facts.set(`${codec} ${facts.rtpTimestamp}`, facts);
    await slot.encode(rgb, facts.rtpTimestamp);
  }

  async #encodeJpeg(rgb: Uint8Array, facts: FrameFacts): Promise<void> {
    const { width, height } = this.#description as SessionDescription;
    this.#jpeg ??= await mjpegEncoder({ width, height, quality: this.#options.jpegQuality });
    const data = await this.#jpeg(rgb);
    const coding = { codec: FRAME_CODECS.jpeg, codecString: "image/jpeg", width, height, keyFrame: true, data };
    this.#deliver(facts, coding);
  }

  #slot(codec: "h264" | "vp8"): CodecEncoder | undefined {
    const { backend, onSettings } = this.#options;
    const { width, height, framesPerSecond } = this.#description as SessionDescription;
    if (backend === undefined) return undefined;
    const present = this.#slots.get(codec);
    if (present !== undefined) return present;
    const slot = new CodecEncoder({
      backend,
      codec,
      width,
      height,
      framesPerSecond,
      bitrateBitsPerSecond: this.#bitrate,
      onSettings,
      onFrame: ({ data, timestamp, isKeyFrame, settings }) => {
        const key = `${codec} ${timestamp}`;
        const facts = this.#facts.get(key);
        this.#facts.delete(key);
        if (facts === undefined) return;
        const { codecString, width: shownWidth, height: shownHeight } = settings;
        this.#deliver(facts, {
          codec,
          codecString,
          width: shownWidth,
          height: shownHeight,
          keyFrame: isKeyFrame,
          data,
        });
        this.#forgetBefore(codec, timestamp);
      },
    });
    this.#slots.set(codec, slot);
    return slot;
  }

  /** Frames come out in order: facts of older ones that never came (the encoder failed) are of no use. */
  #forgetBefore(codec: FrameCodec, timestamp: number): void {
    for (const [key, facts] of this.#facts) {
      if (key.startsWith(codec) && facts.rtpTimestamp < timestamp) this.#facts.delete(key);
    }
  }

  #deliver(facts: FrameFacts, coding: Omit<MediaFrame, keyof FrameFacts | "encodeSeconds">): void {
    if (this.#closed) return;
    const { handedInSeconds, rtpTimestamp, ...rest } = facts;
    this.#options.onFrame({
      ...rest,
      ...coding,
      rtpTimestamp: rtpTimestamp % 2 ** 32,
      encodeSeconds: this.#options.clock.nowSeconds() - handedInSeconds,
    });
  }
}

/** Gives each frame its time in RTP ticks: from the time at which it is due, and strictly rising. */
class FrameClock {
  #originSeconds: number | undefined;
  #last = -1;

  /** Ticks since the first frame for a frame that is due at `dueSeconds`; never wraps. */
  ticks(dueSeconds: number): number {
    this.#originSeconds ??= dueSeconds;
    const ticks = Math.round((dueSeconds - this.#originSeconds) * VIDEO_TICKS_PER_SECOND);
    this.#last = Math.max(this.#last + 1, ticks);
    return this.#last;
  }
}
