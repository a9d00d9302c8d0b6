import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { i420Bytes, type I420Picture } from "../../color/i420.ts";
import { readEncoderConfig } from "../read-encoder-config.ts";
import {
  KEY_FRAME_DEMANDS,
  VIDEO_CODECS,
  type DecodeOptions,
  type VideoCodec,
  type VideoEncoder,
  type VideoEncoderBackend,
} from "../video-encoder.ts";
import { decodeArguments } from "./ffmpeg-arguments.ts";
import { FFMPEG, FfmpegEncoder, FFMPEG_IS_HARDWARE } from "./ffmpeg-encoder.ts";
import { writeIvf } from "./ivf.ts";
import { runFfmpeg } from "./run-ffmpeg.ts";

/** What `ffmpegBackend` takes. */
export interface FfmpegBackendOptions {
  /** The program: a name that is looked up on the PATH, or a path; default `ffmpeg`. */
  readonly path?: string;
}

/** The encoder that serves each codec. */
const LIBRARIES: Readonly<Record<VideoCodec, string>> = { h264: "libx264", vp8: "libvpx" };

/**
 * Encodes through an installed ffmpeg, one process for each encoder. Asks it first what it can do; throws `unavailable` when there is none or
 * when it has none of the encoders needed (libx264, libvpx).
 */
export async function ffmpegBackend(options: FfmpegBackendOptions = {}): Promise<VideoEncoderBackend> {
  const path = options.path ?? "ffmpeg";
  const { version, codecs } = await probe(path);
  const encoders = new Set<VideoEncoder>();
  return {
    name: FFMPEG,
    codecs,
    isHardware: FFMPEG_IS_HARDWARE,
    keyFrameDemand: KEY_FRAME_DEMANDS.restart,
    createEncoder: async (config, events) => {
      const checked = readEncoderConfig(config);
      if (!codecs.includes(checked.codec)) {
        throw new DreamloopError(
          ERROR_CODES.encoderFailed,
          `ffmpeg encoder: ${path} was built without ${LIBRARIES[checked.codec]}; choose another encoder or codec`,
        );
      }
      const implementation = `${LIBRARIES[checked.codec]} (${version})`;
      const encoder = new FfmpegEncoder({ path, implementation, config: checked, events });
      encoders.add(encoder);
      return encoder;
    },
    decode: (decodeOptions) => decode(path, decodeOptions),
    close: async () => {
      await Promise.all([...encoders].map((encoder) => encoder.close()));
      encoders.clear();
    },
  };
}

async function probe(path: string): Promise<{ readonly version: string; readonly codecs: readonly VideoCodec[] }> {
  const empty = new Uint8Array(0);
  try {
    const { output: head } = await runFfmpeg(path, ["-version"], empty);
    const { output: list } = await runFfmpeg(path, ["-hide_banner", "-encoders"], empty);
    const version = /^ffmpeg version (\S+)/.exec(head.toString())?.[1] ?? "unknown version";
    const names = new Set([...list.toString().matchAll(/^\s*V\S*\s+(\S+)/gm)].map((match) => match[1]));
    const codecs = Object.values(VIDEO_CODECS).filter((codec) => names.has(LIBRARIES[codec]));
    if (codecs.length > 0) return { version: `FFmpeg ${version}`, codecs };
  } catch (cause) {
    throw new DreamloopError(
      ERROR_CODES.unavailable,
      `ffmpeg encoder: ${path} could not be run; install ffmpeg, name its path, or choose another encoder`,
      { cause },
    );
  }
  throw new DreamloopError(
    ERROR_CODES.unavailable,
    `ffmpeg encoder: ${path} was built without libx264 and libvpx; install another build or choose another encoder`,
  );
}

async function decode(path: string, options: DecodeOptions): Promise<readonly I420Picture[]> {
  const { codec, frames, width, height } = options;
  const isVp8 = codec === VIDEO_CODECS.vp8;
  const input = isVp8 ? writeIvf(options) : Buffer.concat(frames.map(({ data }) => data));
  const { output } = await runFfmpeg(path, decodeArguments(isVp8 ? "ivf" : "h264"), input);
  const bytes = i420Bytes(width, height);
  return Array.from({ length: Math.floor(output.byteLength / bytes) }, (_, index) => {
    const data = Uint8Array.from(output.subarray(index * bytes, (index + 1) * bytes));
    return { codedWidth: width, codedHeight: height, data };
  });
}
