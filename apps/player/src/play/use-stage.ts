import type { InputCapture, PlaySession, PlayState, PointerLockEnd } from "@dreamloop/client";
import { useCallback, useEffect, useRef, useState, type RefObject } from "react";

/** How long it is said how a captured pointer is freed, also to those who know, in milliseconds. */
const LOCK_HINT_MILLISECONDS = 6_000;
const PAUSABLE: ReadonlySet<string> = new Set(["running", "paused"]);

/** What the stage works with. */
export interface StageOptions {
  /** The session, once there is one. */
  readonly session: PlaySession | undefined;
  /** What it is doing. */
  readonly state: PlayState | undefined;
  /** The captured input. */
  readonly capture: InputCapture | undefined;
  /** The element that can fill the screen. */
  readonly root: RefObject<HTMLElement | null>;
  /** Hears of refusals. */
  readonly onError: (reason: unknown) => void;
}

/** Menu, pause, pointer and full screen, which hang together: whoever leaves the world lets go of it and stops it. */
export interface Stage {
  /** Whether the menu is open. */
  readonly isMenuOpen: boolean;
  /** Whether the pointer is captured. */
  readonly isLocked: boolean;
  /** Whether the pointer was captured a moment ago. */
  readonly isNewlyLocked: boolean;
  /** Opens the menu: releases everything, frees the pointer, pauses. Idempotent. */
  readonly openMenu: () => void;
  /** Closes it, and goes on unless the user had paused before. */
  readonly closeMenu: () => void;
  /** Pauses, or goes on. */
  readonly togglePause: () => void;
  /** Fills the screen, or no more. */
  readonly toggleFullscreen: () => void;
  /** To be told of the pointer. */
  readonly onPointerLock: (isLocked: boolean, endedBy?: PointerLockEnd) => void;
}

/** Keeps menu, pause, pointer and full screen together. */
export function useStage({ session, state, capture, root, onError }: StageOptions): Stage {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [isLocked, setLocked] = useState(false);
  const [isNewlyLocked, setNewlyLocked] = useState(false);
  // What the user wishes; the state follows it a moment later, and the menu must not take that moment for a wish.
  const wantsPause = useRef(false);
  const leavesFullscreen = useRef(false);
  useEffect(() => {
    wantsPause.current = false;
  }, [session]);
  const openMenu = useCallback(() => {
    setMenuOpen(true);
    capture?.block("menu");
  }, [capture]);
  const closeMenu = useCallback(() => {
    setMenuOpen(false);
    capture?.unblock();
    if (session !== undefined && !wantsPause.current && PAUSABLE.has(session.state)) session.resume().catch(onError);
  }, [capture, session, onError]);
  // Not when it is opened, since a world that loads or reconnects meanwhile would run behind the menu.
  useEffect(() => {
    if (isMenuOpen && state === "running") session?.pause().catch(onError);
  }, [isMenuOpen, state, session, onError]);
  const togglePause = useCallback(() => {
    if (session === undefined || !PAUSABLE.has(session.state)) return;
    wantsPause.current = session.state === "running";
    (wantsPause.current ? session.pause() : session.resume()).catch(onError);
  }, [session, onError]);
  // A world that stands still needs no pointer, and the page does.
  useEffect(() => {
    if (state !== "running") capture?.unlockPointer();
  }, [state, capture]);

  const onPointerLock = useCallback(
    (locked: boolean, endedBy?: PointerLockEnd) => {
      setLocked(locked);
      setNewlyLocked(locked);
      // The browser takes Escape for itself while the pointer is captured, so that losing it is all that the page sees.
      if (endedBy === "user" && document.hasFocus() && document.visibilityState === "visible") openMenu();
    },
    [openMenu],
  );
  useEffect(() => {
    if (!isNewlyLocked) return undefined;
    const timer = setTimeout(() => setNewlyLocked(false), LOCK_HINT_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [isNewlyLocked]);

  const toggleFullscreen = useCallback(() => {
    leavesFullscreen.current = document.fullscreenElement !== null;
    const change = leavesFullscreen.current
      ? document.exitFullscreen()
      : root.current?.requestFullscreen({ navigationUI: "hide" });
    change?.catch(onError);
  }, [root, onError]);
  useEffect(() => {
    // Escape leaves the full screen without the page hearing of the key.
    const onChange = (): void => {
      if (document.fullscreenElement === null && !leavesFullscreen.current && session !== undefined) openMenu();
      leavesFullscreen.current = false;
    };
    document.addEventListener("fullscreenchange", onChange);
    return () => document.removeEventListener("fullscreenchange", onChange);
  }, [session, openMenu]);
  return { isMenuOpen, isLocked, isNewlyLocked, openMenu, closeMenu, togglePause, toggleFullscreen, onPointerLock };
}
