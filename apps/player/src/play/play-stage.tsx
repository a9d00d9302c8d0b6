import {
  mountTouchControls,
  type ControlLayout,
  type GamepadNews,
  type InputCapture,
  type PlaySession,
  type UnknownPadNews,
} from "@dreamloop/client";
import { DreamloopView, usePlay, usePlayEvent, usePlayState } from "@dreamloop/client/react";
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { useLeaveGuard } from "../address/use-route.tsx";
import { usePageTitle } from "../parts/use-page-title.ts";
import { usePreferences } from "../preferences/preferences.tsx";
import { errorText, sentence } from "../text/error-text.ts";
import { useText } from "../text/text-provider.tsx";
import { hintSentence, KeyHints } from "./controls/key-hints.tsx";
import { useKeyName } from "./controls/key-names.tsx";
import { Legend } from "./controls/legend.tsx";
import { pageKeyNames, RESERVED_KEYS } from "./controls/page-keys.ts";
import { padName, useDevice } from "./controls/use-device.ts";
import { usePadMenu } from "./controls/use-pad-menu.ts";
import { useShortcuts } from "./controls/use-shortcuts.ts";
import { Menu, type MenuTab } from "./menu/menu.tsx";
import { NumbersPanel } from "./numbers/numbers-panel.tsx";
import { Overlay } from "./overlay.tsx";
import { PromptBar } from "./prompt/prompt-bar.tsx";
import { LeaveQuestion } from "./recording/leave-question.tsx";
import { useRecorder } from "./recording/use-recorder.ts";
import { TimeLayer } from "./time/time-layer.tsx";
import { Toasts } from "./toasts.tsx";
import { TopBar } from "./top-bar.tsx";
import { useAnnouncements } from "./use-announcements.ts";
import { useIdle } from "./use-idle.ts";
import { useStage } from "./use-stage.ts";

/** How long the controls stay without being used, for those who know them and for those who see them first, in milliseconds. */
const IDLE_MILLISECONDS = 3_000;
const FIRST_IDLE_MILLISECONDS = 9_000;

/** What the stage takes. */
export interface PlayStageProps {
  /** Identifier of the world. */
  readonly world: string;
  /** What the world is called, as far as the gallery knows. */
  readonly title: string;
  /** Whether there is a gallery to go back to. */
  readonly canLeave: boolean;
  /** Whether the client has chosen the transport, and not the link. */
  readonly hasChosenTransport: boolean;
}

/** The picture with everything around it. */
export function PlayStage(props: PlayStageProps): ReactNode {
  const { world, canLeave, hasChosenTransport } = props;
  const text = useText();
  const { session, error, retry } = usePlay();
  const state = usePlayState(session);
  const title = session?.world.title ?? props.title;
  const [preferences, changePreferences] = usePreferences();
  const { knowsPrompt, knowsMenu } = preferences;
  const [capture, setCapture] = useState<InputCapture | undefined>();
  const [, setWorldTurn] = useState(0);
  // A world that was loading names its controls later.
  usePlayEvent(session, "world", () => setWorldTurn((turn) => turn + 1));
  const root = useRef<HTMLDivElement>(null);
  const prompt = useRef<HTMLInputElement>(null);
  const remap = useMemo(() => preferences.remaps[world] ?? {}, [preferences.remaps, world]);
  const layout = capture?.layout;
  const isWorldKnown = session !== undefined && session.world.controls.length + session.world.initialFields.length > 0;
  const hasPrompt = session?.world.initialFields.some(({ name }) => name === "prompt") === true;
  const keyName = useKeyName();
  const keyFacts = { layout, remap, keyName };
  const promptKeys = hasPrompt ? pageKeyNames("prompt", keyFacts) : [];
  const pauseKeys = pageKeyNames("pause", keyFacts);
  const isNew = !knowsMenu || (hasPrompt && !knowsPrompt);
  const { toasts, toast, dismiss } = useAnnouncements(session, {
    hasChosenTransport,
    ...(isNew && isWorldKnown ? { hint: hintSentence(promptKeys, text) } : {}),
  });
  const report = useCallback(
    (reason: unknown) => toast(sentence(errorText(reason, text).details ?? errorText(reason, text).message)),
    [toast, text],
  );
  const onPadNews = (news: GamepadNews): void => {
    const { controls } = text;
    const name = padName(news.id) ?? (news.kind === "wheel" ? controls.wheel : controls.gamepad);
    toast(news.connected ? controls.padConnected(name) : controls.padGone(name), "pad");
  };
  const onUnknownPad = ({ id, connected }: UnknownPadNews): void => {
    const name = padName(id) ?? text.controls.gamepad;
    toast(connected ? text.controls.padUnknown(name) : text.controls.padGone(name), "pad");
  };
  const device = useDevice(onPadNews);
  const recorder = useRecorder(session, { toast, onError: report });
  const isIdle = useIdle(root, isNew ? FIRST_IDLE_MILLISECONDS : IDLE_MILLISECONDS);
  const stage = useStage({ session, state, capture, root, onError: report });
  const { isMenuOpen, isLocked, openMenu, closeMenu, togglePause } = stage;
  const [tab, setTab] = useState<MenuTab>("session");

  usePageTitle(recorder.isRecording ? text.common.titleWhileRecording(text.common.titleOfWorld(title)) : undefined);
  const [leave, setLeave] = useState<(() => void) | undefined>();
  const askToLeave = useCallback(
    (go: () => void) => {
      closeMenu();
      setLeave(() => go);
    },
    [closeMenu],
  );
  useEffect(() => {
    if (leave === undefined) return undefined;
    capture?.block("menu");
    return () => capture?.unblock();
  }, [leave, capture]);
  useLeaveGuard(recorder.isRecording ? askToLeave : undefined);

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
  const openMenuOf = (wanted: MenuTab): void => {
    if (session === undefined) return;
    setTab(wanted);
    openMenu();
  };
  useShortcuts({
    isMenuOpen: isMenuOpen || leave !== undefined,
    onMenu: () => openMenuOf("session"),
    onPrompt: () => {
      prompt.current?.focus();
      // A new prompt takes the place of the old one; whoever wants to change a word of it can click into it.
      prompt.current?.select();
    },
    onStats: toggleStats,
    onPause: togglePause,
  });
  usePadMenu({ isMenuOpen, onClose: closeMenu });
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
      <h1 className="visually-hidden">{title}</h1>
      <DreamloopView
        className="stage-view"
        label={text.play.video(title)}
        remap={remap}
        reservedKeys={RESERVED_KEYS}
        keyScope="page"
        padDeadZone={preferences.deadZone}
        onMenu={() => (isMenuOpen ? closeMenu() : openMenuOf("session"))}
        onUnknownPad={onUnknownPad}
        onCapture={setCapture}
        onGamepad={device.noteGamepad}
        onPointerLock={stage.onPointerLock}
      />
      <Overlay
        session={session}
        state={state}
        error={error}
        pauseKeys={pauseKeys}
        isTouch={device.device === "touch"}
        onRetry={retry}
        canLeave={canLeave}
        onResume={togglePause}
        onError={report}
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
            statsKeys={pageKeyNames("numbers", keyFacts)}
            onStats={toggleStats}
            onPause={togglePause}
            onStep={() => void session.step().catch(report)}
            onMenu={() => openMenuOf("session")}
            onFullscreen={stage.toggleFullscreen}
          />
          {preferences.showsStats ? <NumbersPanel session={session} state={state} /> : null}
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
              tab={tab}
              onTab={setTab}
              recordings={recorder.recordings}
              remap={remap}
              onRemap={(next) => changePreferences({ remaps: { ...preferences.remaps, [world]: next } })}
              canLeave={canLeave}
              gamepadId={device.gamepadId}
              onCalibrate={() => {
                capture.calibratePads();
                toast(text.menu.calibrated, "pad");
              }}
              onError={report}
              onToast={toast}
              onClose={closeMenu}
            />
          ) : null}
        </>
      )}
      {leave === undefined ? null : (
        <LeaveQuestion
          onStay={() => setLeave(undefined)}
          onLeave={leave}
          onSave={() => {
            setLeave(undefined);
            void recorder.toggle().then(() => openMenuOf("recordings"));
          }}
        />
      )}
      <Toasts toasts={toasts} onDismiss={dismiss} />
    </div>
  );
}

/** Stick and buttons for fingers. */
function TouchLayer(props: {
  readonly session: PlaySession;
  readonly capture: InputCapture;
  readonly layout: ControlLayout;
}): ReactNode {
  const { session, capture, layout } = props;
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (container.current === null) return undefined;
    const controls = mountTouchControls(session, capture, container.current);
    return () => controls.close();
  }, [session, capture, layout]);
  return <div ref={container} className="touch-layer" />;
}
