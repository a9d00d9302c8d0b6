import type { DeviceContext } from "../capture.ts";

/** Releases everything when the page loses the keyboard or is hidden. */
export function watchFocus(context: DeviceContext, page: Document): () => void {
  const view = page.defaultView;
  const onBlur = (): void => context.release("blur");
  const onVisibility = (): void => {
    if (page.visibilityState === "hidden") context.release("hidden");
  };
  const onHide = (): void => context.release("hidden");
  view?.addEventListener("blur", onBlur);
  view?.addEventListener("pagehide", onHide);
  page.addEventListener("visibilitychange", onVisibility);
  return () => {
    view?.removeEventListener("blur", onBlur);
    view?.removeEventListener("pagehide", onHide);
    page.removeEventListener("visibilitychange", onVisibility);
  };
}
