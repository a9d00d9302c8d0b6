import type { FrameMetadata } from "@dreamloop/protocol";
import type { ClientEnvironment } from "../browser/client-environment.ts";
import type { PictureSource } from "../link/picture-source.ts";
import type { PresentedFrame, Surface } from "./stage.ts";

/** What hears of shown frames. */
export interface ShowingSink {
  /** Clock and timers. */
  readonly environment: ClientEnvironment;
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
  if ("requestVideoFrameCallback" in video) handle = video.requestVideoFrameCallback(onFrame);
  video.srcObject = source.stream;
  // Browsers that want a gesture first play muted video all the same; what they refuse shows as a still picture.
  video.play().catch(() => undefined);
  return {
    element: canvas ?? video,
    stop: () => {
      isStopped = true;
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
  if (video !== undefined) {
    prepareVideo(video);
    video.srcObject = canvas.captureStream();
    video.play().catch(() => undefined);
  }
  return {
    element: video ?? canvas,
    stop: () => {
      source.setListener(undefined);
      if (video !== undefined) video.srcObject = null;
    },
  };
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
