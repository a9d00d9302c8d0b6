/** Calls back when the page goes for good, not when it may come back from the browser's cache. Gives back what stops that; does nothing outside of pages. */
export function onPageEnd(then: () => void): () => void {
  const { addEventListener, removeEventListener } = globalThis;
  if (typeof addEventListener !== "function") return () => undefined;
  const onHide = (event: Event): void => {
    if ((event as PageTransitionEvent).persisted !== true) then();
  };
  addEventListener("pagehide", onHide);
  return () => removeEventListener("pagehide", onHide);
}
