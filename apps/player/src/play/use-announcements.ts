import { PROMPT_WORDS, type PlaySession, type Transport } from "@dreamloop/client";
import { usePlayEvent, usePlayState } from "@dreamloop/client/react";
import { useCallback, useEffect, useRef, useState } from "react";
import { useAnnounce } from "../parts/announcer.tsx";
import { lookUp } from "../text/messages.ts";
import { noticeText } from "../text/notice-text.ts";
import { useText } from "../text/text-provider.tsx";

/** A message that stays for a while. */
export interface Toast {
  /** Which one. */
  readonly id: number;
  /** What it says. */
  readonly message: string;
  /** What it is about; a newer one takes the place of an older one. */
  readonly topic?: string;
}

/** How long a message stays, and how much longer for each letter of it, in milliseconds. */
const TOAST_MILLISECONDS = 4_000;
const LETTER_MILLISECONDS = 50;
/** Messages that stay beside a new one. */
const MAX_OLDER_TOASTS = 2;

/** Says what happens: to eyes by messages that stay for a while, and to screen readers. */
export function useAnnouncements(
  session: PlaySession | undefined,
  options: {
    /** What screen readers hear once, as soon as it is known and the world runs. */
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
  const text = useText();
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
      setToasts((all) => [...all.filter((each) => !isOld(each)).slice(-MAX_OLDER_TOASTS), made]);
      announce(message);
      setTimeout(() => dismiss(id), TOAST_MILLISECONDS + LETTER_MILLISECONDS * message.length);
    },
    [announce, dismiss],
  );
  useEffect(() => {
    if (state !== undefined) announce(lookUp(text.said, state) ?? "");
  }, [state, announce, text]);
  const isHintTold = useRef(false);
  useEffect(() => {
    if (state !== "running" || hint === undefined || isHintTold.current) return;
    isHintTold.current = true;
    announce(`${text.said.running} ${hint}`);
  }, [state, hint, announce, text]);
  usePlayEvent(session, "notice", (notice) =>
    toast(noticeText(notice, text), notice.kind === PROMPT_WORDS ? notice.kind : undefined),
  );
  // The first choice is made before there is a session to listen to; later ones follow lost connections.
  const tellTransport = useCallback(
    (transport: Transport | undefined) => {
      if (transport === "websocket" && hasChosenTransport) toast(text.said.noWebRtc);
    },
    [toast, hasChosenTransport, text],
  );
  useEffect(() => tellTransport(session?.transport), [session, tellTransport]);
  usePlayEvent(session, "transport", tellTransport);
  return { toasts, toast, dismiss };
}
