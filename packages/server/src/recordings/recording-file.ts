import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import type { StoredRecording } from "./session-recordings.ts";
import { archiveBytes, readArchive, readTrace, traceBytes } from "./trace-archive.ts";

/** A part of a file: first and last byte, both included. */
export interface ByteRange {
  /** The first byte. */
  readonly start: number;
  /** The last byte. */
  readonly end: number;
}

/** A file of a recording as it is sent. */
export interface RecordingFile {
  /** Its name for people. */
  readonly name: string;
  /** Its content type. */
  readonly type: string;
  /** Its length. */
  readonly bytes: number;
  /** Whether parts of it can be asked for. */
  readonly hasRanges: boolean;
  /** Opens its content, or a part of it. Whoever opens it reads it to the end or destroys it. */
  open(range?: ByteRange): Readable;
}

/** The file of a recording that clients know by a name; nothing where there is none. No name becomes part of a path, and nothing is opened yet. */
export async function recordingFile(recording: StoredRecording, name: string): Promise<RecordingFile | undefined> {
  const { videoFile, trace } = recording;
  switch (name) {
    case "video.mp4": {
      const size = videoFile === undefined ? undefined : await stat(videoFile).catch(() => undefined);
      if (videoFile === undefined || size === undefined) return undefined;
      const open = (range?: ByteRange): Readable => createReadStream(videoFile, range);
      return { name, type: "video/mp4", bytes: size.size, hasRanges: true, open };
    }
    case "run.trace":
      if (trace === undefined || trace.addresses.size > 0) return undefined;
      return {
        name,
        type: "application/x-ndjson",
        bytes: traceBytes(trace),
        hasRanges: false,
        open: () => Readable.from(readTrace(trace)),
      };
    case "run.tar":
      if (trace === undefined || trace.addresses.size === 0) return undefined;
      return {
        name,
        type: "application/x-tar",
        bytes: archiveBytes(trace),
        hasRanges: false,
        open: () => Readable.from(readArchive(trace)),
      };
    default:
      return undefined;
  }
}
