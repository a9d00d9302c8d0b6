import { finite, oneOf, recordFactory, withDefault } from "@dreamloop/core/internal";
import type { VideoRange } from "../color/i420.ts";
import {
  ENCODER_LATENCIES,
  VIDEO_CODECS,
  type EncoderLatency,
  type VideoCodec,
  type VideoEncoderConfig,
} from "./video-encoder.ts";

const RANGES = { limited: "limited", full: "full" } as const;

/** Largest side of a picture. */
const MAX_SIDE = 16_384;

/** Smallest bitrate that is taken, in bits each second. */
export const MIN_BITRATE_BITS_PER_SECOND = 1000;

const make = recordFactory<Required<VideoEncoderConfig>>("VideoEncoderConfig", {
  codec: oneOf<Record<string, VideoCodec>>(VIDEO_CODECS),
  width: finite({ integer: true, min: 1, max: MAX_SIDE }),
  height: finite({ integer: true, min: 1, max: MAX_SIDE }),
  framesPerSecond: finite({ min: 0, aboveMin: true, max: 1000 }),
  bitrateBitsPerSecond: finite({ min: MIN_BITRATE_BITS_PER_SECOND, max: 1e9 }),
  keyFrameIntervalFrames: finite({ integer: true, min: 1, max: 100_000 }),
  latency: withDefault(oneOf<Record<string, EncoderLatency>>(ENCODER_LATENCIES), ENCODER_LATENCIES.quality),
  range: withDefault(oneOf<Record<string, VideoRange>>(RANGES), RANGES.limited),
});

/** Checks a configuration and fills in defaults; throws `invalid_value` naming the field. */
export function readEncoderConfig(config: VideoEncoderConfig): Required<VideoEncoderConfig> {
  return make(config);
}
