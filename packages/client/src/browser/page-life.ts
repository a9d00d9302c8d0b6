/** Calls back when the page goes for good, not when it may come back from the browser's cache. Gives back what stops that; does nothing outside of pages. */
export function onPageEnd(then: () => void): () => void {
  return listen([["pagehide", (event) => ((event as PageTransitionEvent).persisted === true ? undefined : then())]]);
}

/** Calls back when the page, or its network, may have come back: from the browser's cache, from a lid that was closed, from a tunnel. Gives back what stops that. */
export function onPageReturn(then: () => void): () => void {
  const page = globalThis.document as Document | undefined;
  const onVisible = (): void => {
    if (page?.visibilityState === "visible") then();
  };
  page?.addEventListener("visibilitychange", onVisible);
  const stop = listen([
    ["online", then],
    ["pageshow", then],
  ]);
  return () => {
    stop();
    page?.removeEventListener("visibilitychange", onVisible);
  };
}

/** Has the browser ask before the page is left, until the result is called. */
export function askBeforeLeaving(): () => void {
  return listen([["beforeunload", (event) => event.preventDefault()]]);
}

function listen(listeners: readonly (readonly [string, (event: Event) => void])[]): () => void {
  const { addEventListener, removeEventListener } = globalThis;
  if (typeof addEventListener !== "function") return () => undefined;
  for (const [name, listener] of listeners) addEventListener(name, listener);
  return () => {
    for (const [name, listener] of listeners) removeEventListener(name, listener);
  };
}
