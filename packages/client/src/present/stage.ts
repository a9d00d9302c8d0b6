import type { FrameMetadata } from "@dreamloop/protocol";
import type { ClientEnvironment } from "../browser/client-environment.ts";
import type { PictureSource } from "../link/picture-source.ts";
import { showPictures, showStream, type Showing } from "./showing.ts";

/** Frames whose metadata is kept until they are shown. */
const MAX_WAITING = 256;

/** Finds the metadata of the frame that is shown by its RTP timestamp; both may come first. Pure. */
export class FrameMatcher {
  readonly #waiting = new Map<number, FrameMetadata>();

  /** Metadata came in. */
  add(metadata: FrameMetadata): void {
    const key = metadata.rtpTimestamp >>> 0;
    this.#waiting.delete(key);
    this.#waiting.set(key, metadata);
    for (const oldest of this.#waiting.keys()) {
      if (this.#waiting.size <= MAX_WAITING) break;
      this.#waiting.delete(oldest);
    }
  }

  /** The metadata of the frame with this timestamp; all older ones are forgotten. `undefined` when it was lost or is not there yet. */
  take(rtpTimestamp: number): FrameMetadata | undefined {
    const key = rtpTimestamp >>> 0;
    const found = this.#waiting.get(key);
    if (found === undefined) return undefined;
    for (const older of this.#waiting.keys()) {
      this.#waiting.delete(older);
      if (older === key) break;
    }
    return found;
  }

  /** Nothing is waited for any more. */
  clear(): void {
    this.#waiting.clear();
  }
}

/** What the button says that plays what the browser refused to. */
const DEFAULT_START_LABEL = "Show the picture";

/** What pictures can be shown in: a video, a canvas, or an element into which the client puts whichever suits the transport. */
export type Surface = HTMLVideoElement | HTMLCanvasElement | HTMLElement;

/** How pictures are shown on a surface. */
export interface AttachOptions {
  /** What the button says that appears in an element of the page's own where the browser plays no video by itself; default `Show the picture`. */
  readonly startLabel?: string;
}

/** A frame was shown. */
export interface PresentedFrame {
  /** What is known of it; absent when its metadata was lost. */
  readonly metadata?: FrameMetadata;
  /** When its metadata arrived, in milliseconds of the same clock; absent when it was lost. */
  readonly receivedAtMilliseconds?: number;
  /** When it was, or will be, on the screen, in milliseconds of `performance.now()`. */
  readonly presentedAtMilliseconds: number;
  /** Its columns. */
  readonly width: number;
  /** Its rows. */
  readonly height: number;
}

/** Brings the pictures of whatever link stands onto whatever surface is attached. */
export class PictureStage {
  readonly #environment: ClientEnvironment;
  readonly #onPresented: (frame: PresentedFrame) => void;
  readonly #matcher = new FrameMatcher();
  #surface: Surface | undefined;
  #source: PictureSource | undefined;
  #showing: Showing | undefined;
  #superseded = 0;
  #startLabel = DEFAULT_START_LABEL;
  #isRefused = false;
  readonly #onRefused: (isRefused: boolean) => void;

  /** `onPresented` hears of every frame that is shown, `onRefused` that the browser plays no video before a click or a key, and that it does now. */
  constructor(
    environment: ClientEnvironment,
    onPresented: (frame: PresentedFrame) => void,
    onRefused: (isRefused: boolean) => void = () => undefined,
  ) {
    this.#environment = environment;
    this.#onPresented = onPresented;
    this.#onRefused = onRefused;
  }

  /** Whether a frame that arrives now should be on the screen soon: there is a surface in sight, and nobody has to click first. */
  get expectsPicture(): boolean {
    return this.#surface !== undefined && !this.#isRefused && isInSight(this.#surface);
  }

  /** Tries to play what the browser refused to. */
  async play(): Promise<void> {
    await this.#showing?.play();
  }

  /** Decoded pictures that a newer one replaced before the screen was drawn, and what the source dropped, by reason. */
  get drops(): Readonly<Record<string, number>> {
    const own: Readonly<Record<string, number>> = this.#superseded === 0 ? {} : { superseded: this.#superseded };
    return this.#source?.kind === "pictures" ? { ...this.#source.drops, ...own } : own;
  }

  /** Shows pictures there from now on; `undefined`: nowhere. */
  attach(surface: Surface | undefined, { startLabel = DEFAULT_START_LABEL }: AttachOptions = {}): void {
    this.#startLabel = startLabel;
    if (surface === this.#surface) return;
    this.#surface = surface;
    this.#restart();
  }

  /** Pictures come from there from now on; the last one stays until the first of the new source. */
  setSource(source: PictureSource | undefined): void {
    this.#source = source;
    this.#matcher.clear();
    this.#restart();
  }

  /** Metadata of a frame of a stream came in. */
  addMetadata(metadata: FrameMetadata): void {
    if (this.#source?.kind === "stream") this.#matcher.add(metadata);
  }

  /** The element that pictures are in right now. */
  get element(): HTMLVideoElement | HTMLCanvasElement | undefined {
    return this.#showing?.element;
  }

  /** Shows nothing any more. */
  close(): void {
    this.attach(undefined);
    this.setSource(undefined);
  }

  #restart(): void {
    this.#showing?.stop();
    this.#showing = undefined;
    this.#refused(false);
    if (this.#surface === undefined || this.#source === undefined) return;
    const sink = {
      environment: this.#environment,
      startLabel: this.#startLabel,
      onRefused: (isRefused: boolean): void => this.#refused(isRefused),
      onPresented: this.#onPresented,
      onSuperseded: (): void => void (this.#superseded += 1),
      metadataOf: (rtpTimestamp: number): FrameMetadata | undefined => this.#matcher.take(rtpTimestamp),
    };
    this.#showing =
      this.#source.kind === "stream"
        ? showStream(this.#source, this.#surface, sink)
        : showPictures(this.#source, this.#surface, sink);
  }

  #refused(isRefused: boolean): void {
    if (isRefused === this.#isRefused) return;
    this.#isRefused = isRefused;
    this.#onRefused(isRefused);
  }
}

/** Whether browsers draw it: not in a page in the background, and not where nobody sees it. One without a size says nothing of that. */
function isInSight(surface: Surface): boolean {
  const page = surface.ownerDocument;
  if (page.visibilityState !== "visible" || !surface.isConnected) return false;
  const view = page.defaultView;
  const { left, right, top, bottom, width, height } = surface.getBoundingClientRect();
  if (view === null || width === 0 || height === 0) return false;
  return bottom > 0 && right > 0 && top < view.innerHeight && left < view.innerWidth;
}
