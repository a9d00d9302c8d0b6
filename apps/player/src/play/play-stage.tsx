import type { InputCapture } from "@dreamloop/client";
import { DreamloopView, usePlay, usePlayEvent, usePlayState } from "@dreamloop/client/react";
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { usePreferences } from "../preferences/preferences.ts";
import { useAnnouncements } from "./use-announcements.ts";
import { useDevice } from "./use-device.ts";
import { useIdle } from "./use-idle.ts";
import { useRecorder } from "./use-recorder.ts";
import { PAGE_KEYS, useShortcuts } from "./use-shortcuts.ts";
import { Legend } from "./legend.tsx";
import { Menu } from "./menu/menu.tsx";
import { Overlay } from "./overlay.tsx";
import { PromptBar } from "./prompt-bar.tsx";
import { StatsPanel } from "./stats-panel.tsx";
import { Toasts } from "./toasts.tsx";
import { TopBar } from "./top-bar.tsx";
import { TouchLayer } from "./touch-layer.tsx";

const PAUSABLE: ReadonlySet<string> = new Set(["running", "paused"]);

/** The picture with everything around it. */
export function PlayStage({ world, canLeave }: { readonly world: string; readonly canLeave: boolean }): ReactNode {
  const { session, error, retry } = usePlay();
  const state = usePlayState(session);
  const [preferences, changePreferences] = usePreferences();
  const [capture, setCapture] = useState<InputCapture | undefined>();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [isLocked, setLocked] = useState(false);
  const [, setWorldTurn] = useState(0);
  // A world that was loading tells its controls later.
  usePlayEvent(session, "world", () => setWorldTurn((turn) => turn + 1));
  const root = useRef<HTMLDivElement>(null);
  const prompt = useRef<HTMLInputElement>(null);
  const { device, noteGamepad, gamepadName } = useDevice();
  const { toasts, toast, dismiss } = useAnnouncements(session);
  const recorder = useRecorder(session, toast);
  const isIdle = useIdle(root);
  const remap = useMemo(() => preferences.remaps[world] ?? {}, [preferences.remaps, world]);

  const report = useCallback(
    (reason: unknown) => toast(reason instanceof Error ? reason.message : String(reason)),
    [toast],
  );
  // What the user wishes; the state follows it a moment later, and the menu must not take that moment for a wish.
  const wantsPause = useRef(false);
  useEffect(() => {
    wantsPause.current = false;
  }, [session]);
  const openMenu = useCallback(() => {
    setMenuOpen(true);
    capture?.block("menu");
    if (session !== undefined && PAUSABLE.has(session.state)) session.pause().catch(report);
  }, [capture, session, report]);
  const closeMenu = useCallback(() => {
    setMenuOpen(false);
    capture?.unblock();
    if (session !== undefined && !wantsPause.current && PAUSABLE.has(session.state)) session.resume().catch(report);
  }, [capture, session, report]);
  const togglePause = useCallback(() => {
    if (session === undefined || !PAUSABLE.has(session.state)) return;
    wantsPause.current = session.state === "running";
    (wantsPause.current ? session.pause() : session.resume()).catch(report);
  }, [session, report]);
  const toggleStats = useCallback(
    () => changePreferences({ showsStats: !preferences.showsStats }),
    [changePreferences, preferences.showsStats],
  );
  const onPointerLock = useCallback(
    (locked: boolean) => {
      setLocked(locked);
      // The browser takes Escape for itself while the pointer is locked, so that losing it is all that the page sees.
      if (!locked && document.hasFocus() && document.visibilityState === "visible") openMenu();
    },
    [openMenu],
  );
  useShortcuts({
    isMenuOpen,
    onMenu: () => (session === undefined ? undefined : openMenu()),
    onPrompt: () => prompt.current?.focus(),
    onStats: toggleStats,
    onPause: togglePause,
  });
  useEffect(() => {
    const online = (): void => session?.networkReturned();
    window.addEventListener("online", online);
    return () => window.removeEventListener("online", online);
  }, [session]);

  const isQuiet = (isIdle || isLocked) && state === "running" && !isMenuOpen;
  return (
    <div ref={root} className={isQuiet ? "stage is-quiet" : "stage"} data-device={device} data-state={state ?? "none"}>
      <h1 className="visually-hidden">{session?.world.title ?? world}</h1>
      <DreamloopView
        className="stage-view"
        label={`Generated video of ${session?.world.title ?? world}`}
        remap={remap}
        reservedKeys={PAGE_KEYS}
        onCapture={setCapture}
        onGamepad={noteGamepad}
        onPointerLock={onPointerLock}
      />
      <Overlay
        session={session}
        state={state}
        error={error}
        onRetry={retry}
        canLeave={canLeave}
        onResume={togglePause}
      />
      {session === undefined ? null : (
        <>
          <TopBar
            session={session}
            state={state}
            recorder={recorder}
            canLeave={canLeave}
            showsStats={preferences.showsStats}
            onStats={toggleStats}
            onPause={togglePause}
            onStep={() => void session.step().catch(report)}
            onMenu={openMenu}
            onFullscreen={() => void toggleFullscreen(root.current).catch(report)}
          />
          {preferences.showsStats ? <StatsPanel session={session} /> : null}
          <div className="stage-foot">
            {preferences.showsLegend && capture !== undefined ? (
              <Legend layout={capture.layout} device={device} gamepadName={gamepadName} remap={remap} />
            ) : null}
            <PromptBar session={session} inputRef={prompt} onError={report} />
          </div>
          {capture !== undefined && device === "touch" ? (
            <TouchLayer session={session} capture={capture} layout={capture.layout} />
          ) : null}
          {isMenuOpen && capture !== undefined ? (
            <Menu
              session={session}
              layout={capture.layout}
              recordings={recorder.recordings}
              preferences={preferences}
              onPreferences={changePreferences}
              remap={remap}
              onRemap={(next) => changePreferences({ remaps: { ...preferences.remaps, [world]: next } })}
              canLeave={canLeave}
              onError={report}
              onToast={toast}
              onClose={closeMenu}
            />
          ) : null}
        </>
      )}
      <Toasts toasts={toasts} onDismiss={dismiss} />
    </div>
  );
}

async function toggleFullscreen(element: HTMLElement | null): Promise<void> {
  if (document.fullscreenElement !== null) await document.exitFullscreen();
  else await element?.requestFullscreen({ navigationUI: "hide" });
}
