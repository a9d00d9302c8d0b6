import { RECORDING_LIMIT, type PlaySession, type Recording } from "@dreamloop/client";
import { usePlayEvent } from "@dreamloop/client/react";
import { useCallback, useEffect, useRef, useState } from "react";
import { RecordingClock, savedText } from "./recording-clock.ts";

/** The recordings of a session. */
export interface Recorder {
  /** Whether one runs. */
  readonly isRecording: boolean;
  /** Whether the server is finishing one. */
  readonly isBusy: boolean;
  /** Seconds that the running one has on the world's own timeline, as its video will. */
  readonly seconds: number;
  /** Finished ones, the newest first. */
  readonly recordings: readonly Recording[];
  /** Starts or ends one. */
  readonly toggle: () => void;
}

/** Records on the server. */
export function useRecorder(session: PlaySession | undefined, toast: (message: string) => void): Recorder {
  const [startedAt, setStartedAt] = useState<number | undefined>();
  const [isBusy, setBusy] = useState(false);
  const [seconds, setSeconds] = useState(0);
  const [recordings, setRecordings] = useState<readonly Recording[]>([]);
  const clock = useRef<RecordingClock>(undefined);
  const isRecording = startedAt !== undefined;
  useEffect(() => {
    setStartedAt(undefined);
    setRecordings([]);
  }, [session]);
  usePlayEvent(session, "notice", ({ kind, details }) => {
    if (session?.isRecording !== false) return;
    if (kind === RECORDING_LIMIT && details !== undefined) {
      const recording = session.recordingOf(details);
      setRecordings((all) => [recording, ...all]);
    }
    clock.current = undefined;
    setStartedAt(undefined);
  });
  usePlayEvent(session, "frame", ({ metadata }) => {
    if (metadata !== undefined) setSeconds(Math.floor(clock.current?.see(metadata.frameIndex) ?? 0));
  });
  const toggle = useCallback(() => {
    if (session === undefined || isBusy) return;
    setBusy(true);
    const work = isRecording
      ? session.stopRecording().then((recording) => {
          const tookSeconds = startedAt === undefined ? 0 : (performance.now() - startedAt) / 1000;
          clock.current = undefined;
          setStartedAt(undefined);
          setRecordings((all) => [recording, ...all]);
          toast(savedText(recording.videoSeconds, tookSeconds));
        })
      : session.startRecording().then(() => {
          clock.current = new RecordingClock(session.description?.framesPerSecond ?? session.world.framesPerSecond);
          setSeconds(0);
          setStartedAt(performance.now());
          toast("Recording.");
        });
    work
      .catch((error: unknown) => {
        setStartedAt(session.isRecording ? startedAt : undefined);
        toast(error instanceof Error ? error.message : String(error));
      })
      .finally(() => setBusy(false));
  }, [session, isBusy, isRecording, startedAt, toast]);
  return { isRecording, isBusy, seconds, recordings, toggle };
}
