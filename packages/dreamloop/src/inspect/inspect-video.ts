import { closeSync, openSync, readSync, statSync } from "node:fs";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { countOf, formatBytes, formatDuration, formatRate } from "../terminal/format.ts";
import { line, type Inspection } from "./inspection.ts";

/** Says what an MP4 file holds. */
export async function inspectMp4(path: string): Promise<Inspection> {
  const { EncodedPacketSink, FilePathSource, Input, MP4 } = await import("mediabunny");
  const input = new Input({ source: new FilePathSource(path), formats: [MP4] });
  try {
    const track = await input.getPrimaryVideoTrack();
    if (track === null) throw new Error("it has no video");
    let frameCount = 0;
    for await (const _ of new EncodedPacketSink(track).packets(undefined, undefined, { metadataOnly: true })) {
      frameCount += 1;
    }
    const { displayWidth: width, displayHeight: height, codec } = track;
    const durationSeconds = await track.computeDuration();
    const colorSpace = await track.getColorSpace();
    const bytes = statSync(path).size;
    return {
      kind: "mp4",
      facts: { codec, width, height, frameCount, durationSeconds, bytes, colorSpace },
      lines: [
        ...line("video", `${codec ?? "unknown codec"}, ${width}×${height}`),
        ...line("length", `${countOf(frameCount, "frame")}, ${formatDuration(durationSeconds)}`),
        ...line("rate", durationSeconds > 0 ? `${formatRate(frameCount / durationSeconds)} frames/s` : undefined),
        ...line("size", formatBytes(bytes)),
        ...line(
          "colour",
          `${colorSpace.matrix ?? "no matrix"}, ${colorSpace.primaries ?? "no primaries"}, ${colorSpace.transfer ?? "no transfer"}, ${colorSpace.fullRange === true ? "full" : "limited"} range`,
        ),
      ],
    };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DreamloopError(ERROR_CODES.invalidValue, `${path}: the MP4 file cannot be read: ${reason}`, { cause });
  } finally {
    input.dispose();
  }
}

/** Says what a YUV4MPEG2 file holds, from its header and size. */
export function inspectY4m(path: string): Inspection {
  const head = Buffer.alloc(512);
  const file = openSync(path, "r");
  try {
    readSync(file, head, 0, head.length, 0);
  } finally {
    closeSync(file);
  }
  const header = head.subarray(0, Math.max(0, head.indexOf(10))).toString("latin1");
  const width = Number(/ W(\d+)/.exec(header)?.[1]);
  const height = Number(/ H(\d+)/.exec(header)?.[1]);
  const [, numerator, denominator] = / F(\d+):(\d+)/.exec(header) ?? [];
  const framesPerSecond = Number(numerator) / Number(denominator);
  const frameBytes = 6 + width * height + 2 * Math.ceil(width / 2) * Math.ceil(height / 2);
  const { size } = statSync(path);
  const frameCount = Math.floor((size - header.length - 1) / frameBytes);
  if (![width, height, framesPerSecond].every((value) => value > 0)) {
    throw new DreamloopError(
      ERROR_CODES.invalidValue,
      `${path}: the header of the Y4M file is damaged: ${JSON.stringify(header)}`,
    );
  }
  return {
    kind: "y4m",
    facts: { width, height, framesPerSecond, frameCount, bytes: size, header },
    lines: [
      ...line("video", `uncompressed, ${width}×${height}`),
      ...line("length", `${countOf(frameCount, "frame")}, ${formatDuration(frameCount / framesPerSecond)}`),
      ...line("rate", `${formatRate(framesPerSecond)} frames/s`),
      ...line("size", formatBytes(size)),
      ...line("header", header),
    ],
  };
}
