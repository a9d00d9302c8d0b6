import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import type { StoredRecording } from "./session-recordings.ts";

/** A file of a recording as it is sent. */
export interface RecordingFile {
  /** Its name for people. */
  readonly name: string;
  /** Its content type. */
  readonly type: string;
  /** Its length. */
  readonly bytes: number;
  /** Its content. */
  readonly stream: Readable;
}

/** The file of a recording that clients know by a name; nothing where there is none. No name becomes part of a path. */
export async function recordingFile(recording: StoredRecording, name: string): Promise<RecordingFile | undefined> {
  const { videoFile, traceFile, archive } = recording;
  switch (name) {
    case "video.mp4":
      return videoFile === undefined ? undefined : fileOnDisk(name, "video/mp4", videoFile);
    case "run.trace":
      return traceFile === undefined ? undefined : fileOnDisk(name, "application/x-ndjson", traceFile);
    case "run.tar":
      if (archive === undefined) return undefined;
      return { name, type: "application/x-tar", bytes: await archive.size(), stream: Readable.from(archive.read()) };
    default:
      return undefined;
  }
}

async function fileOnDisk(name: string, type: string, path: string): Promise<RecordingFile> {
  const { size } = await stat(path);
  return { name, type, bytes: size, stream: createReadStream(path) };
}
