import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { watchKeyLabels, type KeyLabels } from "../input/key-labels.ts";
import type { PlaySession } from "../session/play-session.ts";
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
