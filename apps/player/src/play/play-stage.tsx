import type { InputCapture } from "@dreamloop/client";
import { DreamloopView, usePlay, usePlayEvent, usePlayState } from "@dreamloop/client/react";
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { sentence } from "../parts/error-text.ts";
import { usePreferences } from "../preferences/preferences.ts";
import { hintSentence, KeyHints } from "./key-hints.tsx";
import { Legend } from "./legend.tsx";
import { Menu } from "./menu/menu.tsx";
import { Overlay } from "./overlay.tsx";
import { pageKeyNames, RESERVED_KEYS } from "./page-keys.ts";
import { PromptBar } from "./prompt-bar.tsx";
import { TimeLayer } from "./time/time-layer.tsx";
import { StatsPanel } from "./stats-panel.tsx";
import { Toasts } from "./toasts.tsx";
import { TopBar } from "./top-bar.tsx";
import { TouchLayer } from "./touch-layer.tsx";
import { useAnnouncements } from "./use-announcements.ts";
import { useDevice } from "./use-device.ts";
import { useIdle } from "./use-idle.ts";
import { useRecorder } from "./use-recorder.ts";
import { useShortcuts } from "./use-shortcuts.ts";
import { useStage } from "./use-stage.ts";

/** How long the controls stay without being used, for those who know them and for those who see them first, in milliseconds. */
const IDLE_MILLISECONDS = 3_000;
const FIRST_IDLE_MILLISECONDS = 9_000;

/** What the stage takes. */
export interface PlayStageProps {
  /** Identifier of the world. */
  readonly world: string;
  /** Whether there is a gallery to go back to. */
  readonly canLeave: boolean;
  /** Whether the client has chosen the transport, and not the link. */
  readonly hasChosenTransport: boolean;
}

/** The picture with everything around it. */
export function PlayStage({ world, canLeave, hasChosenTransport }: PlayStageProps): ReactNode {
  const { session, error, retry } = usePlay();
  const state = usePlayState(session);
  const [preferences, changePreferences] = usePreferences();
  const { knowsPrompt, knowsMenu } = preferences;
  const [capture, setCapture] = useState<InputCapture | undefined>();
  const [, setWorldTurn] = useState(0);
  // A world that was loading tells its controls later.
  usePlayEvent(session, "world", () => setWorldTurn((turn) => turn + 1));
  const root = useRef<HTMLDivElement>(null);
  const prompt = useRef<HTMLInputElement>(null);
  const device = useDevice();
  const remap = useMemo(() => preferences.remaps[world] ?? {}, [preferences.remaps, world]);
  const layout = capture?.layout;
  const isWorldKnown = session !== undefined && session.world.controls.length + session.world.initialFields.length > 0;
  const hasPrompt = session?.world.initialFields.some(({ name }) => name === "prompt") === true;
  const promptKeys = hasPrompt ? pageKeyNames("prompt", layout, remap) : [];
  const pauseKeys = pageKeyNames("pause", layout, remap);
  const isNew = !knowsMenu || (hasPrompt && !knowsPrompt);
  const { toasts, toast, dismiss } = useAnnouncements(session, {
    hasChosenTransport,
    ...(isNew && isWorldKnown ? { hint: hintSentence(promptKeys) } : {}),
  });
  const recorder = useRecorder(session, toast);
  const isIdle = useIdle(root, isNew ? FIRST_IDLE_MILLISECONDS : IDLE_MILLISECONDS);

  const report = useCallback(
    (reason: unknown) => toast(sentence(reason instanceof Error ? reason.message : String(reason))),
    [toast],
  );
  const stage = useStage({ session, state, capture, root, onError: report });
  const { isMenuOpen, isLocked, openMenu, togglePause } = stage;
  useEffect(() => {
    if (isMenuOpen && !knowsMenu) changePreferences({ knowsMenu: true });
  }, [isMenuOpen, knowsMenu, changePreferences]);
  const toggleStats = useCallback(
    () => changePreferences({ showsStats: !preferences.showsStats }),
    [changePreferences, preferences.showsStats],
  );
  const onPromptFocus = (): void => {
    capture?.unlockPointer();
    if (!knowsPrompt) changePreferences({ knowsPrompt: true });
  };
  useShortcuts({
    isMenuOpen,
    onMenu: () => (session === undefined ? undefined : openMenu()),
    onPrompt: () => {
      prompt.current?.focus();
      // A new prompt takes the place of the old one; whoever wants to change a word of it can click into it.
      prompt.current?.select();
    },
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
    <div
      ref={root}
      className={isQuiet ? "stage is-quiet" : "stage"}
      data-device={device.device}
      data-state={state ?? "none"}
    >
      <h1 className="visually-hidden">{session?.world.title ?? world}</h1>
      <DreamloopView
        className="stage-view"
        label={`Generated video of ${session?.world.title ?? world}`}
        remap={remap}
        reservedKeys={RESERVED_KEYS}
        keyScope="page"
        onMenu={isMenuOpen ? stage.closeMenu : openMenu}
        onCapture={setCapture}
        onGamepad={device.noteGamepad}
        onPointerLock={stage.onPointerLock}
      />
      <Overlay
        session={session}
        state={state}
        error={error}
        pauseKeys={device.device === "touch" ? [] : pauseKeys}
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
            pauseKeys={pauseKeys}
            statsKeys={pageKeyNames("numbers", layout, remap)}
            onStats={toggleStats}
            onPause={togglePause}
            onStep={() => void session.step().catch(report)}
            onMenu={openMenu}
            onFullscreen={stage.toggleFullscreen}
          />
          {preferences.showsStats ? <StatsPanel session={session} /> : null}
          <div className="stage-foot">
            {preferences.showsLegend && layout !== undefined ? (
              <Legend layout={layout} inHand={device} remap={remap} promptKeys={promptKeys} />
            ) : null}
            <PromptBar
              session={session}
              inputRef={prompt}
              keyNames={promptKeys}
              onFocus={onPromptFocus}
              onError={report}
            />
          </div>
          <TimeLayer
            session={session}
            capture={capture}
            root={root}
            isBlocked={isMenuOpen}
            onNews={toast}
            onError={report}
          />
          {isQuiet && (isNew || stage.isNewlyLocked) ? (
            <KeyHints
              device={device.device}
              isLocked={isLocked}
              promptKeys={knowsPrompt ? [] : promptKeys}
              showsMenu={!knowsMenu}
            />
          ) : null}
          {capture !== undefined && device.device === "touch" ? (
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
              onClose={stage.closeMenu}
            />
          ) : null}
        </>
      )}
      <Toasts toasts={toasts} onDismiss={dismiss} />
    </div>
  );
}
