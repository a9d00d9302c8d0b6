import type { FrameMetadata } from "@dreamloop/protocol";
import type { ClientEnvironment } from "../browser/client-environment.ts";
import type { PictureSource } from "../link/picture-source.ts";
import type { PresentedFrame, Surface } from "./stage.ts";

/** What hears of shown frames. */
export interface ShowingSink {
  /** Clock and timers. */
  readonly environment: ClientEnvironment;
  /** What the button says that plays what the browser refused to. */
  readonly startLabel: string;
  /** The browser plays no video before a click or a key, or does so now. */
  onRefused(isRefused: boolean): void;
  /** A frame was shown. */
  onPresented(frame: PresentedFrame): void;
  /** A decoded picture was replaced before it could be seen. */
  onSuperseded(): void;
  /** The metadata of a frame of the stream. */
  metadataOf(rtpTimestamp: number): FrameMetadata | undefined;
}

/** One source on one surface. */
export interface Showing {
  /** The element that the pictures are in. */
  readonly element: HTMLVideoElement | HTMLCanvasElement;
  /** Plays what the browser refused to; rejects when it refuses again. */
  play(): Promise<void>;
  /** Ends it; the last picture stays where the surface is the caller's own. */
  stop(): void;
}

/** Whether an element is of a kind, told by its name: pages may hold elements of other documents. */
function isElement<Name extends "VIDEO" | "CANVAS">(
  surface: Surface,
  name: Name,
): surface is Name extends "VIDEO" ? HTMLVideoElement : HTMLCanvasElement {
  return surface.tagName === name;
}

/** Puts an element of the client's own into a container; the picture fills it. */
function addElement<Name extends "video" | "canvas">(container: HTMLElement, name: Name): HTMLElementTagNameMap[Name] {
  const element = container.ownerDocument.createElement(name);
  element.style.cssText = "display:block;width:100%;height:100%;object-fit:contain";
  element.setAttribute("data-dreamloop", "picture");
  for (const old of [...container.querySelectorAll(":scope > [data-dreamloop=picture]")]) old.remove();
  container.prepend(element);
  return element;
}

function prepareVideo(video: HTMLVideoElement): void {
  video.muted = true;
  video.autoplay = true;
  video.playsInline = true;
  video.disablePictureInPicture = true;
}

/** Shows a stream: in a video element, or drawn from a hidden one onto a canvas. */
export function showStream(
  source: Extract<PictureSource, { kind: "stream" }>,
  surface: Surface,
  sink: ShowingSink,
): Showing {
  const canvas = isElement(surface, "CANVAS") ? surface : undefined;
  const video = isElement(surface, "VIDEO")
    ? surface
    : canvas === undefined
      ? addElement(surface, "video")
      : surface.ownerDocument.createElement("video");
  const context = canvas?.getContext("2d", { alpha: false }) ?? undefined;
  let isStopped = false;
  let handle = 0;
  const onFrame = (_now: number, metadata: VideoFrameCallbackMetadata): void => {
    if (isStopped) return;
    handle = video.requestVideoFrameCallback(onFrame);
    const { width, height, rtpTimestamp, expectedDisplayTime } = metadata;
    if (canvas !== undefined && context !== undefined) draw(canvas, context, video, { width, height });
    const known = rtpTimestamp === undefined ? undefined : sink.metadataOf(rtpTimestamp);
    const presented = { presentedAtMilliseconds: expectedDisplayTime, width, height };
    sink.onPresented(known === undefined ? presented : { ...presented, metadata: known });
  };
  prepareVideo(video);
  let stopCounting: (() => void) | undefined;
  if ("requestVideoFrameCallback" in video) handle = video.requestVideoFrameCallback(onFrame);
  else {
    stopCounting = countFrames(video, (frame) => {
      if (canvas !== undefined && context !== undefined) draw(canvas, context, video, frame);
      sink.onPresented(frame);
    });
  }
  video.srcObject = source.stream;
  const player = playVideo(video, surface, sink);
  return {
    element: canvas ?? video,
    play: () => player.play(),
    stop: () => {
      isStopped = true;
      player.stop();
      stopCounting?.();
      if ("cancelVideoFrameCallback" in video) video.cancelVideoFrameCallback(handle);
      video.srcObject = null;
    },
  };
}

/** Shows decoded pictures: on a canvas, or through a stream of a hidden canvas in a video element. */
export function showPictures(
  source: Extract<PictureSource, { kind: "pictures" }>,
  surface: Surface,
  sink: ShowingSink,
): Showing {
  const video = isElement(surface, "VIDEO") ? surface : undefined;
  const canvas = isElement(surface, "CANVAS")
    ? surface
    : video === undefined
      ? addElement(surface, "canvas")
      : surface.ownerDocument.createElement("canvas");
  const context = canvas.getContext("2d", { alpha: false, desynchronized: video === undefined });
  let waiting: PresentedFrame | undefined;
  const onScreen = (now: number): void => {
    if (waiting === undefined) return;
    const frame = { ...waiting, presentedAtMilliseconds: now };
    waiting = undefined;
    sink.onPresented(frame);
  };
  source.setListener(({ image, metadata }) => {
    const size =
      "displayWidth" in image
        ? { width: image.displayWidth, height: image.displayHeight }
        : { width: image.width, height: image.height };
    if (context !== null) draw(canvas, context, image, size);
    image.close();
    if (waiting === undefined) requestAnimationFrame(onScreen);
    else sink.onSuperseded();
    waiting = { metadata, presentedAtMilliseconds: 0, ...size };
  });
  let player: VideoPlayer | undefined;
  if (video !== undefined) {
    prepareVideo(video);
    video.srcObject = canvas.captureStream();
    player = playVideo(video, surface, sink);
  }
  return {
    element: video ?? canvas,
    play: async () => player?.play(),
    stop: () => {
      source.setListener(undefined);
      player?.stop();
      if (video !== undefined) video.srcObject = null;
    },
  };
}

interface VideoPlayer {
  play(): Promise<void>;
  stop(): void;
}

/** What counts as a gesture with which browsers let videos play. */
const GESTURES = ["pointerup", "keydown", "touchend"] as const;

/**
 * Plays a video. Where the browser refuses, as phones do that save power, it is tried again with the next click or key anywhere, and a container of the page gets one
 * button that says so.
 */
function playVideo(video: HTMLVideoElement, surface: Surface, sink: ShowingSink): VideoPlayer {
  const page = surface.ownerDocument;
  let button: HTMLButtonElement | undefined;
  let isStopped = false;
  const settle = (): void => {
    for (const name of GESTURES) page.removeEventListener(name, onGesture, { capture: true });
    button?.remove();
    button = undefined;
  };
  const refuse = (): void => {
    if (isStopped) return;
    for (const name of GESTURES) page.addEventListener(name, onGesture, { capture: true });
    const isContainer = !isElement(surface, "VIDEO") && !isElement(surface, "CANVAS");
    if (isContainer && button === undefined) button = addButton(surface, sink.startLabel);
    sink.onRefused(true);
  };
  const play = async (): Promise<void> => {
    await video.play();
    if (isStopped) return;
    settle();
    sink.onRefused(false);
  };
  const onGesture = (): void => void play().catch(() => undefined);
  // A new stream ends the wait for the one before it, which is no refusal.
  play().catch((error: unknown) => {
    if ((error as { readonly name?: unknown } | null)?.name === "NotAllowedError") refuse();
  });
  return {
    play,
    stop: () => {
      isStopped = true;
      settle();
    },
  };
}

function addButton(container: HTMLElement, label: string): HTMLButtonElement {
  const button = container.ownerDocument.createElement("button");
  button.type = "button";
  button.className = "dreamloop-start";
  button.textContent = label;
  button.style.cssText =
    "position:absolute;left:50%;top:50%;transform:translate(-50%,-50%);font:inherit;padding:.8em 1.4em";
  container.append(button);
  return button;
}

/** For browsers that tell of no single frame: looks before each frame of the screen whether the video has a new one. */
function countFrames(video: HTMLVideoElement, onFrame: (frame: PresentedFrame) => void): () => void {
  let shown = 0;
  let handle = 0;
  const look = (now: number): void => {
    handle = requestAnimationFrame(look);
    const { totalVideoFrames } = video.getVideoPlaybackQuality();
    if (totalVideoFrames <= shown) return;
    shown = totalVideoFrames;
    onFrame({ presentedAtMilliseconds: now, width: video.videoWidth, height: video.videoHeight });
  };
  handle = requestAnimationFrame(look);
  return () => cancelAnimationFrame(handle);
}

function draw(
  canvas: HTMLCanvasElement,
  context: CanvasRenderingContext2D,
  image: CanvasImageSource,
  { width, height }: { readonly width: number; readonly height: number },
): void {
  if (width === 0 || height === 0) return;
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  context.drawImage(image, 0, 0, width, height);
}
