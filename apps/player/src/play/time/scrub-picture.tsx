import { useEffect, useRef, type ReactNode } from "react";
import type { TimeTravel } from "./use-time-travel.ts";

/** What is looked at while scrubbing, over the picture of now. */
export function ScrubPicture({ travel }: { readonly travel: TimeTravel }): ReactNode {
  const { timeline, scrubSeconds } = travel;
  const canvas = useRef<HTMLCanvasElement>(null);
  const picture = scrubSeconds === undefined ? undefined : timeline?.thumbnailAt(scrubSeconds);
  useEffect(() => {
    if (canvas.current === null || picture === undefined) return;
    const { image } = picture;
    canvas.current.width = image.width;
    canvas.current.height = image.height;
    canvas.current.getContext("2d")?.drawImage(image, 0, 0);
  }, [picture]);
  if (picture === undefined) return null;
  return <canvas ref={canvas} className="scrub-picture" aria-hidden="true" />;
}
