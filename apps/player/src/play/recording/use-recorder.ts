import { RECORDING_LIMIT, type PlaySession, type Recording } from "@dreamloop/client";
import { usePlayEvent } from "@dreamloop/client/react";
import { useCallback, useEffect, useRef, useState } from "react";
import { useText } from "../../text/text-provider.tsx";
import { isMuchShorter, RecordingClock } from "./recording-clock.ts";

/** A finished recording with what its files are named after. */
export interface KeptRecording {
  /** The recording. */
  readonly recording: Recording;
  /** Seed of the rollout at its end; absent: not known. */
  readonly seed: number | undefined;
  /** When it ended. */
  readonly endedAt: Date;
}

/** The recordings of a session. */
export interface Recorder {
  /** Whether one runs. */
  readonly isRecording: boolean;
  /** Whether the server is finishing one. */
  readonly isBusy: boolean;
  /** Seconds that the running one has on the world's own timeline, as its video will. */
  readonly seconds: number;
  /** Finished ones, the newest first. */
  readonly recordings: readonly KeptRecording[];
  /** Starts or ends one; resolves when the server has. */
  readonly toggle: () => Promise<void>;
}

/** What says something, and what hears of refusals. */
export interface RecorderOptions {
  /** Says something. */
  readonly toast: (message: string) => void;
  /** Hears of refusals. */
  readonly onError: (error: unknown) => void;
}

/** Records on the server. */
export function useRecorder(session: PlaySession | undefined, { toast, onError }: RecorderOptions): Recorder {
  const text = useText();
  const [startedAt, setStartedAt] = useState<number | undefined>();
  const [isBusy, setBusy] = useState(false);
  const [seconds, setSeconds] = useState(0);
  const [recordings, setRecordings] = useState<readonly KeptRecording[]>([]);
  const clock = useRef<RecordingClock>(undefined);
  const isRecording = startedAt !== undefined;
  useEffect(() => {
    setStartedAt(undefined);
    setRecordings([]);
  }, [session]);
  const keep = useCallback(
    (recording: Recording) => setRecordings((all) => [{ recording, seed: session?.seed, endedAt: new Date() }, ...all]),
    [session],
  );
  usePlayEvent(session, "notice", ({ kind, details }) => {
    if (session?.isRecording !== false) return;
    if (kind === RECORDING_LIMIT && details !== undefined) keep(session.recordingOf(details));
    clock.current = undefined;
    setStartedAt(undefined);
  });
  usePlayEvent(session, "frame", ({ metadata }) => {
    if (metadata !== undefined) setSeconds(Math.floor(clock.current?.see(metadata.frameIndex) ?? 0));
  });
  const toggle = useCallback(async () => {
    if (session === undefined || isBusy) return;
    setBusy(true);
    try {
      if (isRecording) {
        const recording = await session.stopRecording();
        const tookSeconds = (performance.now() - startedAt) / 1000;
        const { videoSeconds } = recording;
        clock.current = undefined;
        setStartedAt(undefined);
        keep(recording);
        toast(
          isMuchShorter(videoSeconds, tookSeconds)
            ? text.recordings.savedSlow(videoSeconds, tookSeconds)
            : text.recordings.saved(videoSeconds),
        );
      } else {
        await session.startRecording();
        clock.current = new RecordingClock(session.description?.framesPerSecond ?? session.world.framesPerSecond);
        setSeconds(0);
        setStartedAt(performance.now());
        toast(text.recordings.started);
      }
    } catch (error) {
      setStartedAt(session.isRecording ? startedAt : undefined);
      onError(error);
    } finally {
      setBusy(false);
    }
  }, [session, isBusy, isRecording, startedAt, keep, toast, onError, text]);
  return { isRecording, isBusy, seconds, recordings, toggle };
}
