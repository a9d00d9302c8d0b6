import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from "react";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { errorFromRecord, errorToRecord } from "@dreamloop/core/internal";
import { connect } from "../session/connect.ts";
import type { ConnectOptions } from "../session/play-options.ts";
import type { BusyWait } from "../session/wait-for-place.ts";
import type { PlaySession } from "../session/play-session.ts";

/** Where a session of the provider stands. */
export interface PlayConnection {
  /** The session, once the link stands. */
  readonly session: PlaySession | undefined;
  /** Why there is none, or why it ended. */
  readonly error: DreamloopError | undefined;
  /** The wait for a full server, once a second; `undefined` while there is none. */
  readonly busy: BusyWait | undefined;
  /** Closes what there is and connects anew. */
  readonly retry: () => void;
}

const PlayContext = createContext<PlayConnection | undefined>(undefined);

/** What the provider takes: the options of `connect`, and what may use the session. */
export interface DreamloopProviderProps extends Omit<ConnectOptions, "signal"> {
  /** Whether a full server is waited for, with `busy` counting down; default false: it is an error. */
  readonly waitsWhenBusy?: boolean;
  /** Components that use the hooks. */
  readonly children?: ReactNode;
}

/** Starts a session when it appears and closes it when it goes, or when world, server, preset, seed or transport change. */
export function DreamloopProvider({ children, waitsWhenBusy = false, ...options }: DreamloopProviderProps): ReactNode {
  const [session, setSession] = useState<PlaySession | undefined>();
  const [error, setError] = useState<DreamloopError | undefined>();
  const [busy, setBusy] = useState<BusyWait | undefined>();
  const [attempt, setAttempt] = useState(0);
  const { url, world, preset, seed, transport } = options;
  useEffect(() => {
    const controller = new AbortController();
    let opened: PlaySession | undefined;
    setError(undefined);
    const onBusy = (wait: BusyWait): void => {
      options.onBusy?.(wait);
      if (!controller.signal.aborted) setBusy(wait);
    };
    const waits = waitsWhenBusy || options.onBusy !== undefined;
    connect({ ...options, signal: controller.signal, ...(waits ? { onBusy } : {}) }).then(
      (ready) => {
        setBusy(undefined);
        if (controller.signal.aborted) {
          void ready.close();
          return;
        }
        opened = ready;
        ready.on("closed", (reason) => {
          if (opened !== ready) return;
          setSession(undefined);
          setError(reason ?? new DreamloopError(ERROR_CODES.closed, "the session has ended"));
        });
        setSession(ready);
      },
      (reason: unknown) => {
        setBusy(undefined);
        if (!controller.signal.aborted) setError(errorFromRecord(errorToRecord(reason)));
      },
    );
    return () => {
      controller.abort();
      const closing = opened;
      opened = undefined;
      setSession(undefined);
      void closing?.close();
    };
    // The other options matter at the start only: a new object of the same meaning is no reason for a new session.
  }, [url, world, preset, seed, transport, attempt]);
  const value = useMemo(() => {
    return { session, error, busy, retry: () => setAttempt((count) => count + 1) };
  }, [session, error, busy]);
  return <PlayContext.Provider value={value}>{children}</PlayContext.Provider>;
}

/** The session of the provider around, its error, and `retry`. Throws outside a provider. */
export function usePlay(): PlayConnection {
  const connection = useContext(PlayContext);
  if (connection === undefined) {
    throw new DreamloopError(
      ERROR_CODES.invalidState,
      "usePlay: there is no <DreamloopProvider> around this component",
    );
  }
  return connection;
}
