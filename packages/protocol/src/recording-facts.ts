/** A recording that can be fetched; also the result of `record_stop`. */
export interface RecordingFacts {
  /** Made by the server. */
  readonly recordingId: string;
  /** Path of the video; add `?token=`. */
  readonly videoPath?: string;
  /** Path of the exact trace of the session from its start to the end of the recording, where one was kept: `run.trace`, or `run.tar` when it needs arrays that stand in no line; add `?token=`. */
  readonly tracePath?: string;
  /** Frames of the video. */
  readonly frameCount: number;
  /** Frames left out of the video because the encoder was too slow. */
  readonly droppedFrames: number;
  /** Bytes of the video. */
  readonly videoBytes: number;
  /** Length of the video in seconds, on the world's own timeline: frames by rate, however long they took. */
  readonly videoSeconds: number;
}
