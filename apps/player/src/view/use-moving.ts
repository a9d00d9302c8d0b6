import { useEffect, useState, type RefObject } from "react";

/** Milliseconds without a picture after which a video counts as standing still. */
export const STILL_MILLISECONDS = 1_500;

/** Tells from the times of its pictures whether a video moves. One picture alone, as a paused session shows it to newcomers, does not. */
export class StillWatch {
  #last: number | undefined;
  #before: number | undefined;

  /** A picture was shown. */
  see(nowMilliseconds: number): void {
    this.#before = this.#last;
    this.#last = nowMilliseconds;
  }

  /** Whether pictures come. */
  isMoving(nowMilliseconds: number): boolean {
    if (this.#last === undefined || this.#before === undefined) return false;
    return nowMilliseconds - this.#last < STILL_MILLISECONDS && this.#last - this.#before < STILL_MILLISECONDS;
  }
}

/** How often it is checked whether pictures still come, in milliseconds. */
const LOOK_MILLISECONDS = 250;

/** Whether pictures come to a video. */
export function useMoving(video: RefObject<HTMLVideoElement | null>, isWatching: boolean): boolean {
  const [isMoving, setMoving] = useState(false);
  useEffect(() => {
    const element = video.current;
    if (element === null || !isWatching) return undefined;
    const watch = new StillWatch();
    const stop = onPictures(element, () => watch.see(performance.now()));
    const timer = setInterval(() => setMoving(watch.isMoving(performance.now())), LOOK_MILLISECONDS);
    return () => {
      stop();
      clearInterval(timer);
      setMoving(false);
    };
  }, [video, isWatching]);
  return isMoving;
}

/** Calls back for the pictures of a video: for each, or, in browsers that do not tell of each, when their count has changed. */
function onPictures(element: HTMLVideoElement, onPicture: () => void): () => void {
  if (!("requestVideoFrameCallback" in element)) return onCount(element, onPicture);
  let handle = 0;
  const next = (): void => {
    handle = element.requestVideoFrameCallback(() => {
      onPicture();
      next();
    });
  };
  next();
  return () => element.cancelVideoFrameCallback(handle);
}

function onCount(element: HTMLVideoElement, onPicture: () => void): () => void {
  let count = 0;
  const timer = setInterval(() => {
    const { totalVideoFrames } = element.getVideoPlaybackQuality();
    if (totalVideoFrames !== count) onPicture();
    count = totalVideoFrames;
  }, LOOK_MILLISECONDS);
  return () => clearInterval(timer);
}
