import { isDreamloopError } from "@dreamloop/core";
import type { HistoryFacts, MomentPosition } from "@dreamloop/core/internal";
import type { PresentedFrame } from "../present/stage.ts";
import { branchPath, momentOnPath } from "./branch-path.ts";
import type { Unsubscribe } from "./emitter.ts";
import type { PlaySession } from "./play-session.ts";

/** How often the server is asked what its history holds, in milliseconds. */
const HISTORY_MILLISECONDS = 2_000;
/** World time between two thumbnails, in seconds. */
const THUMBNAIL_SECONDS = 0.5;
/** Columns of a thumbnail. */
const THUMBNAIL_WIDTH = 320;
/** Thumbnails that are kept; beyond that the denser ones go first. */
const MAX_THUMBNAILS = 240;

/** A small picture of a moment. */
export interface Thumbnail {
  /** The moment right after the step that it shows. */
  readonly position: MomentPosition;
  /** World time of it within its rollout, in seconds. */
  readonly seconds: number;
  /** The picture. */
  readonly image: ImageBitmap;
}

/** What a timeline shows. */
export interface TimelineState {
  /** What the server keeps; absent before it was asked. */
  readonly history?: HistoryFacts;
  /** The moment on the screen; absent before the first frame. */
  readonly now?: MomentPosition;
  /** World time of it within its rollout, in seconds. */
  readonly nowSeconds: number;
  /** The earliest world time on this branch that can be gone back to, in seconds. */
  readonly keptFromSeconds: number;
  /** World time of one step in seconds. */
  readonly stepSeconds: number;
}

/**
 * Follows a session for a timeline: where it is, which moments the server keeps, and a small picture of every half second as it was shown here. Whoever made it
 * closes it.
 */
export class PlayTimeline {
  readonly #session: PlaySession;
  readonly #listeners = new Set<() => void>();
  readonly #leave: Unsubscribe[];
  readonly #thumbnails: Thumbnail[] = [];
  #canvas: OffscreenCanvas | undefined;
  #state: TimelineState = { nowSeconds: 0, keptFromSeconds: 0, stepSeconds: 0 };
  #timer: ReturnType<typeof setInterval> | undefined;
  #isAsking = false;

  /** Begins to follow. */
  constructor(session: PlaySession) {
    this.#session = session;
    this.#leave = [
      session.on("frame", (frame) => this.#take(frame)),
      session.on("server", () => void this.refresh()),
      session.on("state", (state) => (state === "running" ? void this.refresh() : undefined)),
    ];
    this.#timer = setInterval(() => void this.refresh(), HISTORY_MILLISECONDS);
    void this.refresh();
  }

  /** What it shows now; a new object after each change. */
  get state(): TimelineState {
    return this.#state;
  }

  /** Listens to changes until the returned function is called. */
  onChange(listener: () => void): Unsubscribe {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The moment at a world time of this branch, the nearest that is kept; `undefined` when nothing is. */
  momentAt(seconds: number): MomentPosition | undefined {
    const { history, now, stepSeconds } = this.#state;
    if (history === undefined || now === undefined || stepSeconds === 0) return undefined;
    return momentOnPath(branchPath(history.generations, now), Math.round(seconds / stepSeconds));
  }

  /** The pictures on the way to a moment, oldest first; default to now. */
  thumbnails(to: MomentPosition | undefined = this.#state.now): readonly Thumbnail[] {
    const { history } = this.#state;
    if (to === undefined) return [];
    const path = branchPath(history?.generations ?? [], to);
    return this.#thumbnails
      .filter(({ position: { generation, stepIndex } }) =>
        path.length === 0
          ? generation === to.generation
          : path.some(
              (span) =>
                span.generation === generation && stepIndex >= span.firstStepIndex && stepIndex <= span.endStepIndex,
            ),
      )
      .sort((left, right) => left.seconds - right.seconds);
  }

  /** The picture nearest to a world time of this branch. */
  thumbnailAt(seconds: number): Thumbnail | undefined {
    let nearest: Thumbnail | undefined;
    for (const each of this.thumbnails()) {
      const distance = Math.abs(each.seconds - seconds);
      if (nearest === undefined || distance <= Math.abs(nearest.seconds - seconds)) nearest = each;
    }
    return nearest;
  }

  /** Asks the server what it keeps. */
  async refresh(): Promise<void> {
    const { state } = this.#session;
    if (this.#isAsking || (state !== "running" && state !== "paused")) return;
    this.#isAsking = true;
    try {
      const history = await this.#session.history();
      this.#change({ history });
    } catch (error) {
      // A connection that is lost comes back, and the timeline asks again.
      if (!isDreamloopError(error)) throw error;
    } finally {
      this.#isAsking = false;
    }
  }

  /** Stops following and frees the pictures. Idempotent. */
  close(): void {
    for (const leave of this.#leave.splice(0)) leave();
    clearInterval(this.#timer);
    for (const { image } of this.#thumbnails.splice(0)) image.close();
    this.#listeners.clear();
  }

  #take({ metadata }: PresentedFrame): void {
    const { description } = this.#session;
    if (metadata === undefined || description === undefined) return;
    const stepSeconds = description.framesPerStep / description.framesPerSecond;
    const now = { generation: metadata.generation, stepIndex: metadata.stepIndex + 1 };
    const before = this.#state.now;
    if (before?.generation === now.generation && before.stepIndex === now.stepIndex) return;
    this.#change({ now, nowSeconds: now.stepIndex * stepSeconds, stepSeconds });
    if (before !== undefined && before.generation !== now.generation) void this.refresh();
    this.#picture(now, now.stepIndex * stepSeconds);
  }

  #picture(position: MomentPosition, seconds: number): void {
    const last = this.#thumbnails.at(-1);
    const isSame = last?.position.generation === position.generation;
    if (isSame && seconds < last.seconds + THUMBNAIL_SECONDS) return;
    const element = this.#session.pictureElement;
    if (element === undefined || typeof OffscreenCanvas !== "function") return;
    const width = element instanceof HTMLVideoElement ? element.videoWidth : element.width;
    const height = element instanceof HTMLVideoElement ? element.videoHeight : element.height;
    if (width === 0 || height === 0) return;
    const columns = Math.min(THUMBNAIL_WIDTH, width);
    this.#canvas ??= new OffscreenCanvas(columns, 1);
    this.#canvas.width = columns;
    this.#canvas.height = Math.max(1, Math.round((columns * height) / width));
    const context = this.#canvas.getContext("2d");
    if (context === null) return;
    context.drawImage(element, 0, 0, this.#canvas.width, this.#canvas.height);
    this.#thumbnails.push({ position, seconds, image: this.#canvas.transferToImageBitmap() });
    if (this.#thumbnails.length > MAX_THUMBNAILS) this.#thin();
  }

  /** Lets every other picture of the older half go. */
  #thin(): void {
    const half = Math.floor(this.#thumbnails.length / 2);
    const kept = this.#thumbnails.filter(({ image }, index) => {
      const stays = index >= half || index % 2 === 0;
      if (!stays) image.close();
      return stays;
    });
    this.#thumbnails.splice(0, this.#thumbnails.length, ...kept);
  }

  #change(change: Partial<TimelineState>): void {
    const next = { ...this.#state, ...change };
    const { history, now, stepSeconds } = next;
    const first =
      history === undefined || now === undefined ? undefined : momentOnPath(branchPath(history.generations, now), 0);
    this.#state = { ...next, keptFromSeconds: (first?.stepIndex ?? 0) * stepSeconds };
    for (const listener of this.#listeners) listener();
  }
}
