import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import type { I420Picture } from "../../color/i420.ts";
import { writeToStream } from "../../target/write-to-stream.ts";
import { codedSize, type CodedSize } from "../coded-size.ts";
import { EncodedStream } from "../encoded-stream.ts";
import { joinAnnexB, splitLengthPrefixed } from "../h264/annex-b.ts";
import type {
  EncodeOptions,
  VideoEncoder,
  VideoEncoderConfig,
  VideoEncoderEvents,
  VideoEncoderSettings,
} from "../video-encoder.ts";
import { encodeArguments, speedName } from "./ffmpeg-arguments.ts";
import { FlvReader, readAvcConfiguration } from "./flv-reader.ts";
import { IvfReader } from "./ivf.ts";
import { ffmpegFailure, startFfmpeg, type FfmpegProcess } from "./run-ffmpeg.ts";

/** Name of the backend. */
export const FFMPEG = "ffmpeg";

/** libx264 and libvpx run on the processor. */
export const FFMPEG_IS_HARDWARE = false;

/** What `FfmpegEncoder` is made from. */
export interface FfmpegEncoderOptions {
  /** The program. */
  readonly path: string;
  /** The library and version that it reports. */
  readonly implementation: string;
  /** Settings. */
  readonly config: Required<VideoEncoderConfig>;
  /** Who gets the frames. */
  readonly events: VideoEncoderEvents;
}

/**
 * An encoder that is an ffmpeg process. The pipe is its back-pressure, since ffmpeg itself may hold back as many pictures as it has threads; so
 * `flush` ends the process, and the next picture starts another one. So does a demand for a key frame.
 */
export class FfmpegEncoder implements VideoEncoder {
  readonly #options: FfmpegEncoderOptions;
  readonly #size: CodedSize;
  readonly #stream: EncodedStream;
  #process: FfmpegProcess | undefined;
  #tail: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;

  /** Starts no process before the first picture. */
  constructor(options: FfmpegEncoderOptions) {
    const { config, events, implementation } = options;
    this.#options = options;
    this.#size = codedSize(config.codec, config.width, config.height);
    this.#stream = new EncodedStream({
      config,
      events,
      size: this.#size,
      backend: FFMPEG,
      implementation,
      isHardware: FFMPEG_IS_HARDWARE,
      speed: speedName(config),
      pendingLimit: Number.POSITIVE_INFINITY,
    });
  }

  /** What holds. */
  get settings(): VideoEncoderSettings {
    return this.#stream.settings;
  }

  /** Pictures whose frames have not come out. */
  get pendingFrames(): number {
    return this.#stream.pendingFrames;
  }

  /** Takes one picture. */
  encode(picture: I420Picture, options: EncodeOptions): Promise<void> {
    return this.#inTurn(() => this.#encode(picture, options));
  }

  /** Ends the process after its last frame. */
  flush(): Promise<void> {
    return this.#inTurn(() => this.#drain());
  }

  /** Runs work after all that was asked for before, since a restart takes time in which more may be asked for. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#tail.then(work);
    this.#tail = done.catch(() => undefined);
    return done;
  }

  async #encode(picture: I420Picture, options: EncodeOptions): Promise<void> {
    if (options.keyFrame === true && this.#process !== undefined) await this.#drain();
    this.#stream.accept(picture, options);
    this.#process ??= this.#start();
    const { child, ended } = this.#process;
    try {
      await writeToStream(child.stdin, picture.data);
    } catch (cause) {
      await ended.catch((error: Error) => this.#stream.fail(error));
      this.#stream.fail(ffmpegFailure("it stopped reading", { cause }));
    }
    if (this.#stream.fault !== undefined) throw this.#stream.fault;
  }

  async #drain(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (running !== undefined) {
      running.child.stdin.end();
      await running.ended.catch((error: Error) => this.#stream.fail(error));
      if (this.#stream.pendingFrames > 0) {
        this.#stream.fail(ffmpegFailure(`it ended with ${this.#stream.pendingFrames} pictures missing`, {}));
      }
    }
    await this.#stream.waitForAll();
  }

  /** Ends the process at once. */
  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    this.#stream.end(new DreamloopError(ERROR_CODES.closed, "ffmpeg encoder: closed"));
    const running = this.#process;
    this.#process = undefined;
    if (running === undefined) return;
    running.child.kill("SIGKILL");
    await running.ended.catch(() => undefined);
  }

  #start(): FfmpegProcess {
    const { path, config } = this.#options;
    const running = startFfmpeg(path, encodeArguments(config, this.#size));
    const reader = config.codec === "vp8" ? this.#vp8Reader() : this.#h264Reader();
    running.child.stdout.on("data", (piece: Uint8Array) => {
      try {
        reader.push(piece);
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        this.#stream.fail(ffmpegFailure(`its output cannot be read: ${reason}`, { cause }));
        running.child.kill("SIGKILL");
      }
    });
    running.ended.catch((error: Error) => this.#stream.fail(error));
    return running;
  }

  #vp8Reader(): { push(piece: Uint8Array): void } {
    return new IvfReader((frame) => this.#stream.deliver(frame));
  }

  #h264Reader(): { push(piece: Uint8Array): void } {
    let lengthBytes = 4;
    return new FlvReader(({ kind, data }) => {
      if (kind === "header") {
        const configuration = readAvcConfiguration(data);
        lengthBytes = configuration.lengthBytes;
        this.#stream.takeParameterSets(configuration.units);
      } else if (kind === "frame") this.#stream.deliver(joinAnnexB(splitLengthPrefixed(data, lengthBytes)));
    });
  }
}
