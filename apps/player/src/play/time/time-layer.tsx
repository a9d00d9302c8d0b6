import type { InputCapture, PlaySession } from "@dreamloop/client";
import { useCallback, useEffect, useRef, useState, type ReactNode, type RefObject } from "react";
import { Icon } from "../../parts/icons.tsx";
import { BranchTree } from "./branch-tree.tsx";
import { CompareForm, OtherFuture } from "./comparison.tsx";
import { PhotoMode } from "./photo-mode.tsx";
import { fileName, saveFile } from "./save-file.ts";
import { ScrubPicture } from "./scrub-picture.tsx";
import { useText } from "../../text/text-provider.tsx";
import { timeText } from "../../text/time-text.ts";
import { TimelineBar } from "./timeline-bar.tsx";
import { useTimeTravel } from "./use-time-travel.ts";

/** What the layer takes. */
export interface TimeLayerProps {
  /** The session. */
  readonly session: PlaySession;
  /** The captured input. */
  readonly capture: InputCapture | undefined;
  /** The stage, which shows less or two pictures in some modes. */
  readonly root: RefObject<HTMLElement | null>;
  /** Whether something else has the keys: a menu or a question. */
  readonly isBlocked: boolean;
  /** Says what happened, to eyes and ears. */
  readonly onNews: (message: string) => void;
  /** Hears of refusals. */
  readonly onError: (reason: unknown) => void;
}

/** Everything about time on the stage: timeline, branches, comparison, moments, photographs. */
export function TimeLayer({ session, capture, root, isBlocked, onNews, onError }: TimeLayerProps): ReactNode {
  const language = document.documentElement.lang || navigator.language;
  const text = timeText(language);
  const { bar } = useText();
  const travel = useTimeTravel({ session, text, language, onNews, onError });
  const { state, isAvailable, scrubSeconds, back } = travel;
  const [panel, setPanel] = useState<"branches" | "compare" | undefined>();
  const [isPhoto, setPhoto] = useState(false);
  const [other, setOther] = useState<PlaySession | undefined>();
  const endPhoto = useCallback(() => setPhoto(false), []);

  const mode = isPhoto ? "photo" : scrubSeconds !== undefined ? "scrub" : other === undefined ? undefined : "compare";
  useEffect(() => {
    const stage = root.current;
    if (stage === null) return;
    if (mode === undefined) delete stage.dataset.time;
    else stage.dataset.time = mode;
  }, [root, mode]);

  const endOther = useCallback(() => {
    setOther((before) => {
      void before?.close();
      return undefined;
    });
  }, []);
  useEffect(() => endOther, [session, endOther]);
  const compare = (prompt: string | undefined): void => {
    setPanel(undefined);
    session
      .fork({ sharesInput: true, ...(prompt === undefined ? {} : { prompt }) })
      .then((fork) => {
        fork.on("closed", () => setOther((now) => (now === fork ? undefined : now)));
        setOther(fork);
      })
      .catch(onError);
  };
  const save = (): void => {
    session
      .saveMoment()
      .then((moment) => {
        saveFile(moment, fileName(session.world.id, "dream"));
        onNews(text.saved);
      })
      .catch(onError);
  };

  const newest = useRef({ isBlocked, isPhoto, back });
  useEffect(() => {
    newest.current = { isBlocked: isBlocked || panel === "compare", isPhoto, back };
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const now = newest.current;
      if (now.isBlocked || now.isPhoto || event.defaultPrevented || event.repeat) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target as HTMLElement | null;
      if (target !== null && target.closest("input, textarea, select, [contenteditable]") !== null) return;
      if (event.code === "Backspace") now.back();
      else if (event.code === "KeyO") setPhoto(true);
      else if (event.code === "KeyT") root.current?.querySelector<HTMLElement>(".timeline-track")?.focus();
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [root]);
  useEffect(() => {
    if (scrubSeconds !== undefined) capture?.unlockPointer();
  }, [scrubSeconds, capture]);

  const hasPrompt = session.world.initialFields.some(({ name }) => name === "prompt");
  const generations = state.history?.generations ?? [];
  return (
    <>
      <ScrubPicture travel={travel} />
      {other === undefined ? null : <OtherFuture session={other} text={text} onEnd={endOther} />}
      {isPhoto ? (
        <PhotoMode session={session} text={text} onNews={onNews} onError={onError} onEnd={endPhoto} />
      ) : (
        <div className="timeline-dock">
          {panel === "branches" ? (
            <BranchTree
              generations={generations}
              current={state.now?.generation ?? 0}
              timeline={travel.timeline}
              text={text}
              onTakeUp={(at, name) => {
                setPanel(undefined);
                travel.takeUp(at, name);
              }}
            />
          ) : null}
          {isAvailable ? (
            <TimelineBar travel={travel} text={text} language={language}>
              <span className="timeline-tools" role="toolbar" aria-label={text.timeline}>
                <ToolButton
                  name="branch"
                  label={text.branches}
                  isPressed={panel === "branches"}
                  onClick={() => setPanel(panel === "branches" ? undefined : "branches")}
                >
                  {generations.length > 1 ? <span className="timeline-count">{generations.length}</span> : null}
                </ToolButton>
                <ToolButton
                  name="compare"
                  label={other === undefined ? text.compare : text.endCompare}
                  isPressed={other !== undefined}
                  onClick={() => (other === undefined ? setPanel("compare") : endOther())}
                />
                <ToolButton name="moment" label={text.save} onClick={save} />
                <ToolButton name="camera" label={bar.withKey(text.photo, "O")} onClick={() => setPhoto(true)} />
              </span>
            </TimelineBar>
          ) : null}
        </div>
      )}
      {panel === "compare" ? (
        <CompareForm
          prompt={session.currentPrompt ?? ""}
          hasPrompt={hasPrompt}
          text={text}
          onStart={compare}
          onClose={() => setPanel(undefined)}
        />
      ) : null}
    </>
  );
}

function ToolButton(props: {
  readonly name: Parameters<typeof Icon>[0]["name"];
  readonly label: string;
  readonly isPressed?: boolean;
  readonly onClick: () => void;
  readonly children?: ReactNode;
}): ReactNode {
  const { name, label, isPressed, onClick, children } = props;
  return (
    <button
      type="button"
      className="button is-icon"
      aria-label={label.replace(/ \(.*\)$/, "")}
      title={label}
      {...(isPressed === undefined ? {} : { "aria-pressed": isPressed })}
      onClick={onClick}
    >
      <Icon name={name} />
      {children}
    </button>
  );
}
