import { DreamloopError, ERROR_CODES, isDreamloopError } from "@dreamloop/core";
import { nearest } from "@dreamloop/core/internal";
import { ffmpegBackend } from "./ffmpeg/ffmpeg-backend.ts";
import { HARDWARE_PREFERENCES, requireHardware, type HardwarePreference } from "./hardware.ts";
import { selfTestEncoder } from "./self-test/self-test.ts";
import { VIDEO_CODECS, type VideoCodec, type VideoEncoderBackend } from "./video-encoder.ts";
import { webCodecsBackend } from "./webcodecs/webcodecs-backend.ts";

/** The encoders that can be asked for. */
export const ENCODER_NAMES = {
  /** The first of the others that passes its self-test. */
  auto: "auto",
  /** node-webcodecs: installed with this package where a build for the platform exists. */
  webcodecs: "webcodecs",
  /** An ffmpeg that is installed on the machine. */
  ffmpeg: "ffmpeg",
} as const;

/** One of `ENCODER_NAMES`. */
export type EncoderName = (typeof ENCODER_NAMES)[keyof typeof ENCODER_NAMES];

/** What `selectEncoder` takes. */
export interface SelectEncoderOptions {
  /** Which encoder; default `auto`. */
  readonly prefer?: EncoderName;
  /** Where it has to run; default `auto`. */
  readonly hardware?: HardwarePreference;
  /** Codecs that are needed and tested; default H.264. */
  readonly codecs?: readonly VideoCodec[];
  /** The ffmpeg program; default `ffmpeg` on the PATH. */
  readonly ffmpegPath?: string;
}

/**
 * Starts an encoder backend and tests each codec by pixel values. With `auto`, one that cannot be had or fails its test is passed over.
 * The caller closes the result. Throws `unavailable` or `encoder_failed` that says what hindered each one tried.
 */
export async function selectEncoder(options: SelectEncoderOptions = {}): Promise<VideoEncoderBackend> {
  const { prefer = ENCODER_NAMES.auto, hardware = HARDWARE_PREFERENCES.auto, ffmpegPath } = options;
  const { codecs = [VIDEO_CODECS.h264] } = options;
  const ways: Readonly<Record<Exclude<EncoderName, "auto">, () => Promise<VideoEncoderBackend>>> = {
    webcodecs: async () => webCodecsBackend(),
    ffmpeg: () => ffmpegBackend(ffmpegPath === undefined ? {} : { path: ffmpegPath }),
  };
  if (prefer !== ENCODER_NAMES.auto) {
    const make = Object.hasOwn(ways, prefer) ? ways[prefer] : undefined;
    if (make === undefined) throw unknownEncoder(prefer);
    return tested(await make(), { codecs, hardware });
  }
  const faults: DreamloopError[] = [];
  for (const make of Object.values(ways)) {
    try {
      return await tested(await make(), { codecs, hardware });
    } catch (error) {
      if (!isDreamloopError(error)) throw error;
      faults.push(error);
    }
  }
  throw new DreamloopError(
    ERROR_CODES.unavailable,
    `no video encoder that was asked for works here; install ffmpeg, or choose images or raw frames. ${faults.map(({ message }) => message).join(". ")}`,
    { cause: faults[0] },
  );
}

async function tested(
  backend: VideoEncoderBackend,
  { codecs, hardware }: { readonly codecs: readonly VideoCodec[]; readonly hardware: HardwarePreference },
): Promise<VideoEncoderBackend> {
  try {
    requireHardware(backend, hardware);
    for (const codec of codecs) await selfTestEncoder({ backend, codec });
    return backend;
  } catch (error) {
    await backend.close();
    throw error;
  }
}

function unknownEncoder(name: string): DreamloopError {
  const known = Object.values(ENCODER_NAMES);
  const near = nearest(name, known);
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  return new DreamloopError(
    ERROR_CODES.invalidValue,
    `encoder: ${JSON.stringify(name)} is unknown${hint} Known encoders: ${known.join(", ")}`,
  );
}
