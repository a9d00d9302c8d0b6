import type { PlaySession, Recording } from "@dreamloop/client";
import { usePlayEvent } from "@dreamloop/client/react";
import { useCallback, useEffect, useState } from "react";

/** The recordings of a session. */
export interface Recorder {
  /** Whether one runs. */
  readonly isRecording: boolean;
  /** Whether the server is finishing one. */
  readonly isBusy: boolean;
  /** Seconds that the running one has lasted. */
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
  const isRecording = startedAt !== undefined;
  useEffect(() => {
    setStartedAt(undefined);
    setRecordings([]);
  }, [session]);
  usePlayEvent(session, "notice", () => {
    if (session?.isRecording === false) setStartedAt(undefined);
  });
  useEffect(() => {
    if (startedAt === undefined) return undefined;
    setSeconds(0);
    const timer = setInterval(() => setSeconds(Math.floor((performance.now() - startedAt) / 1000)), 500);
    return () => clearInterval(timer);
  }, [startedAt]);
  const toggle = useCallback(() => {
    if (session === undefined || isBusy) return;
    setBusy(true);
    const work = isRecording
      ? session.stopRecording().then((recording) => {
          setStartedAt(undefined);
          setRecordings((all) => [recording, ...all]);
          toast("Recording saved. Find it in the menu under Recordings.");
        })
      : session.startRecording().then(() => {
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
