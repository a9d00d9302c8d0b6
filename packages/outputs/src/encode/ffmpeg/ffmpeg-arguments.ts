import type { CodedSize } from "../coded-size.ts";
import type { VideoEncoderConfig } from "../video-encoder.ts";

/** Options before the input: quiet, and nothing is asked. */
const QUIET = ["-hide_banner", "-loglevel", "error", "-nostdin"];

const QUALITY_PRESET = "veryfast";
const REALTIME_PRESET = "ultrafast";
const REALTIME_TUNE = "zerolatency";
const VP8_SPEEDS = { realtime: "8", quality: "4" } as const;

/** Command line that reads I420 pictures from standard input and writes frames to standard output, each as soon as it is encoded. */
export function encodeArguments(config: Required<VideoEncoderConfig>, size: CodedSize): string[] {
  const { range, latency, keyFrameIntervalFrames } = config;
  const rangeName = range === "full" ? "pc" : "tv";
  const colors = [
    "-colorspace",
    "bt709",
    "-color_primaries",
    "bt709",
    "-color_trc",
    "bt709",
    "-color_range",
    rangeName,
  ];
  const bitrate = String(Math.round(config.bitrateBitsPerSecond));
  const codec = config.codec === "vp8" ? vp8Arguments(latency) : h264Arguments(latency, config.bitrateBitsPerSecond);
  return [
    ...QUIET,
    ...["-f", "rawvideo", "-pix_fmt", "yuv420p", ...colors],
    ...["-video_size", `${size.codedWidth}x${size.codedHeight}`, "-framerate", String(config.framesPerSecond)],
    ...["-i", "pipe:0", "-an", "-pix_fmt", "yuv420p", ...colors],
    ...["-b:v", bitrate, "-g", String(keyFrameIntervalFrames), "-bf", "0", ...codec],
    ...["-flush_packets", "1", "-f", config.codec === "vp8" ? "ivf" : "flv", "pipe:1"],
  ];
}

/** What the library is told about speed. */
export function speedName({ codec, latency }: Required<VideoEncoderConfig>): string {
  if (codec === "vp8") return `realtime, cpu-used ${VP8_SPEEDS[latency]}`;
  return latency === "quality" ? QUALITY_PRESET : `${REALTIME_PRESET}, ${REALTIME_TUNE}`;
}

function h264Arguments(latency: "realtime" | "quality", bitrateBitsPerSecond: number): string[] {
  const common = ["-c:v", "libx264", "-chroma_sample_location", "left"];
  if (latency === "quality") {
    // Look-ahead only delays here; without B-frames and with one pass it earns little.
    return [...common, "-preset", QUALITY_PRESET, "-rc-lookahead", "0", "-x264-params", "sync-lookahead=0:mbtree=0"];
  }
  const limit = ["-maxrate", String(bitrateBitsPerSecond), "-bufsize", String(bitrateBitsPerSecond)];
  return [...common, "-preset", REALTIME_PRESET, "-tune", REALTIME_TUNE, ...limit];
}

function vp8Arguments(latency: "realtime" | "quality"): string[] {
  const speed = VP8_SPEEDS[latency];
  return ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", speed, "-lag-in-frames", "0", "-auto-alt-ref", "0"];
}

/** Command line that reads a stream (Annex B or IVF) from standard input and writes I420 pictures to standard output. */
export function decodeArguments(format: "h264" | "ivf"): string[] {
  // No format is asked for, so nothing is converted: what comes out are the numbers in the stream, 4:2:0 as they are.
  return [...QUIET, "-f", format, "-i", "pipe:0", "-f", "rawvideo", "pipe:1"];
}
