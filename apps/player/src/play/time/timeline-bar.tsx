import type { Thumbnail } from "@dreamloop/client";
import { useEffect, useRef, type KeyboardEvent, type PointerEvent, type ReactNode } from "react";
import { Icon } from "../../parts/icons.tsx";
import { clockTime, shortTime, type TimeText } from "../../text/time-text.ts";
import type { TimeTravel } from "./use-time-travel.ts";

/** Pictures in the strip. */
const STRIP_PICTURES = 14;
/** The strip shows at least so much world time, so that the first seconds do not rush by, in seconds. */
const LEAST_SPAN_SECONDS = 20;

/** What the bar takes. */
export interface TimelineBarProps {
  /** Going back and forth. */
  readonly travel: TimeTravel;
  /** What it says. */
  readonly text: TimeText;
  /** Its language. */
  readonly language: string;
  /** What is done with the moment that is shown: buttons. */
  readonly children?: ReactNode;
}

/** The timeline under the picture: a strip of small pictures; hold to look back, release to continue from there. */
export function TimelineBar({ travel, text, language, children }: TimelineBarProps): ReactNode {
  const { state, timeline, scrubSeconds, isTravelling, scrub, release, cancel } = travel;
  const { nowSeconds, keptFromSeconds } = state;
  const track = useRef<HTMLDivElement>(null);
  const isHeld = useRef(false);
  const first = Math.max(0, keptFromSeconds);
  const span = Math.max(LEAST_SPAN_SECONDS, nowSeconds - first);
  const shown = scrubSeconds ?? nowSeconds;
  const placeOf = (seconds: number): number => Math.min(1, Math.max(0, (seconds - first) / span));
  const secondsAt = (event: PointerEvent): number => {
    const box = track.current?.getBoundingClientRect();
    return box === undefined ? shown : first + ((event.clientX - box.left) / box.width) * span;
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>): void => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    isHeld.current = true;
    scrub(secondsAt(event));
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>): void => {
    if (isHeld.current) scrub(secondsAt(event));
  };
  const onPointerUp = (): void => {
    if (!isHeld.current) return;
    isHeld.current = false;
    release();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: shown - (event.shiftKey ? state.stepSeconds : 1),
      ArrowDown: shown - 1,
      ArrowRight: shown + (event.shiftKey ? state.stepSeconds : 1),
      ArrowUp: shown + 1,
      PageDown: shown - 5,
      PageUp: shown + 5,
      Home: first,
      End: nowSeconds,
    };
    const target = steps[event.key];
    const isGo = event.key === "Enter" || event.key === " ";
    if (target !== undefined) scrub(target);
    else if (isGo ? !release() : event.key !== "Escape" || !cancel()) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const told = shown >= nowSeconds ? text.now : text.ago(shortTime(nowSeconds - shown, language));
  return (
    <section className="timeline" aria-label={text.timeline} data-scrubbing={scrubSeconds !== undefined}>
      <button
        type="button"
        className="button is-icon"
        aria-label={text.back}
        title={`${text.back} (⌫)`}
        disabled={isTravelling || nowSeconds <= first}
        onClick={travel.back}
      >
        <Icon name="back10" />
      </button>
      <span className="timeline-clock">{clockTime(shown)}</span>
      <div
        ref={track}
        className="timeline-track"
        role="slider"
        tabIndex={0}
        aria-label={text.position}
        aria-orientation="horizontal"
        aria-valuemin={Math.round(first)}
        aria-valuemax={Math.round(nowSeconds)}
        aria-valuenow={Math.round(shown)}
        aria-valuetext={told}
        aria-busy={isTravelling}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={() => {
          isHeld.current = false;
          cancel();
        }}
        onKeyDown={onKeyDown}
      >
        <Strip thumbnails={timeline?.thumbnails() ?? []} first={first} span={span} />
        <span className="timeline-past" style={{ width: `${placeOf(shown) * 100}%` }} />
        <span className="timeline-future" style={{ left: `${placeOf(nowSeconds) * 100}%` }} />
        <span className="timeline-head" style={{ left: `${placeOf(shown) * 100}%` }}>
          {scrubSeconds === undefined ? null : <span className="timeline-tip">{told}</span>}
        </span>
      </div>
      {children}
    </section>
  );
}

/** Small pictures side by side, each the nearest to its place. */
function Strip(props: {
  readonly thumbnails: readonly Thumbnail[];
  readonly first: number;
  readonly span: number;
}): ReactNode {
  const { thumbnails, first, span } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const last = thumbnails.at(-1);
  // Drawn when a picture comes or the scale has moved by a picture's width, and not with every frame.
  const key = `${thumbnails.length}:${last?.position.generation ?? ""}:${Math.round(span)}:${Math.round(first)}`;
  useEffect(() => {
    const context = canvas.current?.getContext("2d") ?? null;
    if (canvas.current === null || context === null) return;
    const { clientWidth, clientHeight } = canvas.current;
    const scale = Math.min(2, window.devicePixelRatio);
    canvas.current.width = Math.max(1, Math.round(clientWidth * scale));
    canvas.current.height = Math.max(1, Math.round(clientHeight * scale));
    const { width, height } = canvas.current;
    const cell = width / STRIP_PICTURES;
    for (let index = 0; index < STRIP_PICTURES; index += 1) {
      const seconds = first + ((index + 0.5) / STRIP_PICTURES) * span;
      const picture = pictureNear(thumbnails, seconds, span / STRIP_PICTURES);
      if (picture === undefined) continue;
      const { image } = picture;
      const ratio = Math.max(cell / image.width, height / image.height);
      const [drawnWidth, drawnHeight] = [cell / ratio, height / ratio];
      const left = (image.width - drawnWidth) / 2;
      const top = (image.height - drawnHeight) / 2;
      context.drawImage(image, left, top, drawnWidth, drawnHeight, index * cell, 0, cell + 1, height);
    }
    // What else would change with `thumbnails` is in the key.
  }, [key]);
  return <canvas ref={canvas} className="timeline-strip" aria-hidden="true" />;
}

function pictureNear(thumbnails: readonly Thumbnail[], seconds: number, within: number): Thumbnail | undefined {
  let found: Thumbnail | undefined;
  for (const each of thumbnails) {
    const distance = Math.abs(each.seconds - seconds);
    if (distance > within || (found !== undefined && distance > Math.abs(found.seconds - seconds))) continue;
    found = each;
  }
  return found;
}
