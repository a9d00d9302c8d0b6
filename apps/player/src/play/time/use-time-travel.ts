import type { MomentPosition, PlaySession, PlayTimeline, TimelineState } from "@dreamloop/client";
import { usePlayTimeline } from "@dreamloop/client/react";
import { useCallback, useEffect, useRef, useState } from "react";
import { shortTime, type TimeText } from "../../text/time-text.ts";

/** How far the key goes back, in seconds of world time. */
const BACK_SECONDS = 10;

/** What time travel works with. */
export interface TimeTravelOptions {
  /** The session, once there is one. */
  readonly session: PlaySession | undefined;
  /** What the page says. */
  readonly text: TimeText;
  /** Its language, for numbers. */
  readonly language: string;
  /** Says what happened. */
  readonly onNews: (message: string) => void;
  /** Hears of refusals. */
  readonly onError: (reason: unknown) => void;
}

/** Going back and forth in a session's time. */
export interface TimeTravel {
  /** Follows the session. */
  readonly timeline: PlayTimeline | undefined;
  /** What the timeline shows. */
  readonly state: TimelineState;
  /** Whether the session can go back. */
  readonly isAvailable: boolean;
  /** World time that is being looked at, in seconds; absent: the session runs. */
  readonly scrubSeconds: number | undefined;
  /** Whether the server is on its way to a moment. */
  readonly isTravelling: boolean;
  /** Looks at a world time; the session stands still meanwhile. */
  readonly scrub: (seconds: number) => void;
  /** Continues from what is looked at; false when nothing is. */
  readonly release: () => boolean;
  /** Continues from where the session was; false when nothing is looked at. */
  readonly cancel: () => boolean;
  /** Goes ten seconds back. */
  readonly back: () => void;
  /** Continues a branch from its end. */
  readonly takeUp: (at: MomentPosition, name: string) => void;
}

/** Keeps scrubbing, going back and the session's pause together. */
export function useTimeTravel({ session, text, language, onNews, onError }: TimeTravelOptions): TimeTravel {
  const { timeline, state } = usePlayTimeline(session);
  const [scrubSeconds, setScrub] = useState<number | undefined>();
  // The same at once: a key may come before the page has been drawn again.
  const looking = useRef<number | undefined>(undefined);
  const look = useCallback((seconds: number | undefined) => {
    looking.current = seconds;
    setScrub(seconds);
  }, []);
  const [isTravelling, setTravelling] = useState(false);
  // Whether the session ran before, so that it does again after.
  const resumes = useRef(false);
  useEffect(() => {
    look(undefined);
    setTravelling(false);
  }, [session, look]);

  const travel = useCallback(
    (to: MomentPosition, news: string) => {
      if (session === undefined) return;
      setTravelling(true);
      const resume = resumes.current;
      resumes.current = false;
      session
        .rewind(to)
        .then(async () => {
          onNews(news);
          if (resume) await session.resume();
        })
        .catch((reason: unknown) => {
          onError(reason);
          return resume ? session.resume() : undefined;
        })
        .catch(onError)
        .finally(() => {
          look(undefined);
          setTravelling(false);
        });
    },
    [session, look, onNews, onError],
  );
  const { nowSeconds, keptFromSeconds, history } = state;
  const isAvailable = history?.available === true;

  const scrub = useCallback(
    (seconds: number) => {
      if (session === undefined || !isAvailable || isTravelling) return;
      if (looking.current === undefined) {
        resumes.current = session.state === "running";
        if (resumes.current) session.pause().catch(onError);
      }
      look(Math.min(nowSeconds, Math.max(keptFromSeconds, seconds)));
    },
    [session, isAvailable, isTravelling, nowSeconds, keptFromSeconds, look, onError],
  );
  const cancel = useCallback(() => {
    if (looking.current === undefined) return false;
    look(undefined);
    onNews(text.stayed);
    if (resumes.current) session?.resume().catch(onError);
    resumes.current = false;
    return true;
  }, [session, look, text, onNews, onError]);
  const release = useCallback(() => {
    const seconds = looking.current;
    if (seconds === undefined || timeline === undefined || isTravelling) return false;
    const target = timeline.momentAt(seconds);
    if (target === undefined || nowSeconds - seconds < state.stepSeconds) return cancel();
    travel(target, text.wentBack(shortTime(nowSeconds - seconds, language)));
    return true;
  }, [timeline, isTravelling, nowSeconds, state.stepSeconds, cancel, travel, text, language]);
  const back = useCallback(() => {
    if (session === undefined || !isAvailable || isTravelling) return;
    const target = timeline?.momentAt(nowSeconds - BACK_SECONDS);
    if (target === undefined) return;
    const seconds = Math.min(BACK_SECONDS, nowSeconds - target.stepIndex * state.stepSeconds);
    travel(target, text.wentBack(shortTime(Math.max(0, seconds), language)));
  }, [session, isAvailable, isTravelling, timeline, nowSeconds, state.stepSeconds, travel, text, language]);
  const takeUp = useCallback(
    (at: MomentPosition, name: string) => {
      if (session === undefined || isTravelling) return;
      travel(at, text.tookUp(name));
    },
    [session, isTravelling, travel, text],
  );
  return { timeline, state, isAvailable, scrubSeconds, isTravelling, scrub, release, cancel, back, takeUp };
}
