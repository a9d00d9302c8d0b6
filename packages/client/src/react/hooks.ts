import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { watchKeyLabels, type KeyLabels } from "../input/key-labels.ts";
import type { PlaySession } from "../session/play-session.ts";
import { PlayTimeline, type TimelineState } from "../session/play-timeline.ts";
import type { PlayEvents, PlayState } from "../session/session-events.ts";
import type { PlayStats } from "../session/statistics/play-statistics.ts";

/** What the session is doing; `undefined` without one. */
export function usePlayState(session: PlaySession | undefined): PlayState | undefined {
  const subscribe = useCallback(
    (onChange: () => void) => session?.on("state", onChange) ?? (() => undefined),
    [session],
  );
  const read = (): PlayState | undefined => session?.state;
  return useSyncExternalStore(subscribe, read, read);
}

/** Statistics, new once a second. */
export function usePlayStats(session: PlaySession | undefined): PlayStats | undefined {
  const subscribe = useCallback(
    (onChange: () => void) => session?.on("stats", onChange) ?? (() => undefined),
    [session],
  );
  const read = (): PlayStats | undefined => session?.stats;
  return useSyncExternalStore(subscribe, read, read);
}

/** Calls back at every event of a name; the newest callback counts. */
export function usePlayEvent<Name extends keyof PlayEvents>(
  session: PlaySession | undefined,
  name: Name,
  listener: (event: PlayEvents[Name]) => void,
): void {
  const [box] = useState<{ listener: (event: PlayEvents[Name]) => void }>({ listener });
  useEffect(() => {
    box.listener = listener;
  });
  useEffect(() => session?.on(name, (event) => box.listener(event)), [session, name, box]);
}

/** Labels of the person's own keyboard, for `codeLabel`; they grow as they become known. */
export function useKeyLabels(): KeyLabels {
  const [labels, setLabels] = useState<KeyLabels>(() => new Map());
  useEffect(() => {
    const watch = watchKeyLabels(setLabels);
    return () => watch.close();
  }, []);
  return labels;
}

const NO_TIMELINE: TimelineState = Object.freeze({ nowSeconds: 0, keptFromSeconds: 0, stepSeconds: 0 });

/** Follows a session for a timeline; `state` is new with every step that is shown. */
export function usePlayTimeline(session: PlaySession | undefined): {
  readonly timeline: PlayTimeline | undefined;
  readonly state: TimelineState;
} {
  const [timeline, setTimeline] = useState<PlayTimeline | undefined>();
  useEffect(() => {
    if (session === undefined) return undefined;
    const made = new PlayTimeline(session);
    setTimeline(made);
    return () => {
      setTimeline(undefined);
      made.close();
    };
  }, [session]);
  const subscribe = useCallback(
    (onChange: () => void) => timeline?.onChange(onChange) ?? (() => undefined),
    [timeline],
  );
  const read = (): TimelineState => timeline?.state ?? NO_TIMELINE;
  const state = useSyncExternalStore(subscribe, read, read);
  return { timeline, state };
}
