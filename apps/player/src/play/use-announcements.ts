import { PROMPT_WORDS, type PlaySession, type Transport } from "@dreamloop/client";
import { usePlayEvent, usePlayState } from "@dreamloop/client/react";
import { useCallback, useEffect, useRef, useState } from "react";
import { useAnnounce } from "../parts/announcer.tsx";
import { sentence } from "../parts/error-text.ts";

/** A message that stands for a while. */
export interface Toast {
  /** Which one. */
  readonly id: number;
  /** What it says. */
  readonly message: string;
  /** What it is about; a newer one takes the place of an older one. */
  readonly topic?: string;
}

const STATE_WORDS: Readonly<Record<string, string>> = {
  loading: "The world is loading.",
  running: "Playing.",
  paused: "Paused.",
  completed: "The run is complete.",
  reconnecting: "The connection was lost. Reconnecting.",
  closed: "The session has ended.",
};

const TOAST_MILLISECONDS = 6_000;

/** Says what happens, to eyes by messages that stand for a while and to screen readers. */
export function useAnnouncements(
  session: PlaySession | undefined,
  options: {
    /** What is told to screen readers once, as soon as it is known and the world runs. */
    readonly hint?: string;
    /** Whether the client has chosen the transport, so that it is news when it is not the usual one. */
    readonly hasChosenTransport: boolean;
  },
): {
  readonly toasts: readonly Toast[];
  readonly toast: (message: string, topic?: string) => void;
  readonly dismiss: (id: number) => void;
} {
  const { hint, hasChosenTransport } = options;
  const announce = useAnnounce();
  const state = usePlayState(session);
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const nextId = useRef(1);
  const dismiss = useCallback((id: number) => setToasts((all) => all.filter((each) => each.id !== id)), []);
  const toast = useCallback(
    (message: string, topic?: string) => {
      const id = nextId.current++;
      const isOld = (each: Toast): boolean => each.message === message || (topic !== undefined && each.topic === topic);
      const made: Toast = topic === undefined ? { id, message } : { id, message, topic };
      setToasts((all) => [...all.filter((each) => !isOld(each)).slice(-2), made]);
      announce(message);
      setTimeout(() => dismiss(id), TOAST_MILLISECONDS);
    },
    [announce, dismiss],
  );
  useEffect(() => {
    if (state !== undefined) announce(STATE_WORDS[state] ?? "");
  }, [state, announce]);
  const isHintTold = useRef(false);
  useEffect(() => {
    if (state !== "running" || hint === undefined || isHintTold.current) return;
    isHintTold.current = true;
    announce(`Playing. ${hint}`);
  }, [state, hint, announce]);
  // While somebody types, what was unknown a moment ago is of no interest any more.
  usePlayEvent(session, "notice", ({ kind, message }) =>
    toast(sentence(message), kind === PROMPT_WORDS ? kind : undefined),
  );
  // The first choice is made before there is a session to listen to; later ones follow lost connections.
  const tellTransport = useCallback(
    (transport: Transport | undefined) => {
      if (transport === "websocket" && hasChosenTransport) {
        toast("WebRTC is not to be had here: the video comes over a WebSocket.");
      }
    },
    [toast, hasChosenTransport],
  );
  useEffect(() => tellTransport(session?.transport), [session, tellTransport]);
  usePlayEvent(session, "transport", tellTransport);
  return { toasts, toast, dismiss };
}
