import { DreamloopError, ERROR_CODES, isDreamloopError } from "@dreamloop/core";
import type { I420Picture } from "../../color/i420.ts";
import { codedSize } from "../coded-size.ts";
import { EncodedStream } from "../encoded-stream.ts";
import type {
  EncodeOptions,
  VideoEncoder,
  VideoEncoderConfig,
  VideoEncoderEvents,
  VideoEncoderSettings,
} from "../video-encoder.ts";
import { openChannel } from "./channel.ts";
import { KEY_FRAME_FLAG, MESSAGE_TYPES, type EncoderRequest } from "./messages.ts";
import type { EncoderProcess } from "./encoder-process-host.ts";

/** Name of the backend. */
export const WEBCODECS = "webcodecs";

/** The process asks the library for software, and takes only the build of it that has nothing else. */
export const WEBCODECS_IS_HARDWARE = false;

/** The rate above which OpenH264 counts as if it were this one. */
const OPENH264_MAX_RATE = 60;
/** Largest side and area that OpenH264 takes. */
const OPENH264_MAX_SIDE = 4096;
const OPENH264_MAX_AREA = 4096 * 2304;

/**
 * The library's only way to the distance between key frames is the rate (it makes one each "second"), a whole number. OpenH264
 * gives each frame bitrate ÷ rate, so the bitrate is scaled to keep the budget of a frame; libvpx goes by the timestamps.
 */
function libraryRequest(config: Required<VideoEncoderConfig>, size: { width: number; height: number }): EncoderRequest {
  const { codec, framesPerSecond, bitrateBitsPerSecond, keyFrameIntervalFrames, latency } = config;
  const isH264 = codec === "h264";
  const bitrate = isH264
    ? (bitrateBitsPerSecond * Math.min(keyFrameIntervalFrames, OPENH264_MAX_RATE)) / framesPerSecond
    : bitrateBitsPerSecond;
  return {
    // The level is chosen by the library; this only names profile and codec.
    codec: isH264 ? "avc1.42e01f" : "vp8",
    ...size,
    bitrate: Math.max(1, Math.round(bitrate)),
    framerate: keyFrameIntervalFrames,
    framesPerSecond,
    // libvpx reads anything but "realtime" as leave to hold frames back.
    latencyMode: isH264 ? latency : "realtime",
    isFullRange: config.range === "full",
  };
}

/** Starts an encoder in `host`. */
export async function createWebCodecsEncoder(
  host: EncoderProcess,
  config: Required<VideoEncoderConfig>,
  events: VideoEncoderEvents,
): Promise<VideoEncoder> {
  const size = codedSize(config.codec, config.width, config.height);
  const { codedWidth, codedHeight } = size;
  const isTooLarge =
    Math.max(codedWidth, codedHeight) > OPENH264_MAX_SIDE || codedWidth * codedHeight > OPENH264_MAX_AREA;
  if (config.codec === "h264" && isTooLarge) {
    throw new DreamloopError(
      ERROR_CODES.encoderFailed,
      `webcodecs encoder: H.264 takes at most ${OPENH264_MAX_SIDE} pixels a side and ${OPENH264_MAX_AREA} in all, found ${config.width}×${config.height}; choose a smaller size, images, or the ffmpeg encoder`,
    );
  }
  // The process answers before there is a stream to take its frames.
  const made: { stream?: EncodedStream } = {};
  const request = libraryRequest(config, { width: codedWidth, height: codedHeight });
  const channel = await openChannel(host, {
    type: MESSAGE_TYPES.createEncoder,
    request,
    onMessage: (header, payload) => {
      if (header.type === MESSAGE_TYPES.frame) made.stream?.deliver(payload);
    },
    onFailure: (error) => made.stream?.fail(error),
  });
  const stream = new EncodedStream({
    config,
    events,
    size,
    backend: WEBCODECS,
    implementation: channel.reply.implementation,
    isHardware: WEBCODECS_IS_HARDWARE,
    speed: request.latencyMode,
    hold: () => host.hold(),
  });
  made.stream = stream;
  return new WebCodecsEncoder(host, channel.number, stream);
}

class WebCodecsEncoder implements VideoEncoder {
  readonly #host: EncoderProcess;
  readonly #channel: number;
  readonly #stream: EncodedStream;
  #sequence = 0;
  #closed: Promise<void> | undefined;

  constructor(host: EncoderProcess, channel: number, stream: EncodedStream) {
    this.#host = host;
    this.#channel = channel;
    this.#stream = stream;
  }

  get settings(): VideoEncoderSettings {
    return this.#stream.settings;
  }

  get pendingFrames(): number {
    return this.#stream.pendingFrames;
  }

  async encode(picture: I420Picture, options: EncodeOptions): Promise<void> {
    this.#stream.accept(picture, options);
    const flags = options.keyFrame === true ? KEY_FRAME_FLAG : 0;
    const header = { type: MESSAGE_TYPES.picture, channel: this.#channel, sequence: this.#sequence, flags };
    this.#sequence += 1;
    try {
      await this.#host.send(header, picture.data);
    } catch (error) {
      if (isDreamloopError(error)) this.#stream.fail(error);
      throw this.#stream.fault ?? error;
    }
    await this.#stream.waitForRoom();
  }

  flush(): Promise<void> {
    return this.#stream.waitForAll();
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    this.#stream.end(new DreamloopError(ERROR_CODES.closed, "webcodecs encoder: closed"));
    await this.#host.release(this.#channel);
  }
}
