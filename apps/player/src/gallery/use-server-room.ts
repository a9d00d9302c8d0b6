import { useEffect, useState } from "react";
import { serverUrl } from "../address/server-url.ts";

/** How often the server is asked while it is full and while it is not, in milliseconds. */
const FULL_MILLISECONDS = 5_000;
const FREE_MILLISECONDS = 20_000;
/** How long an answer may take, in milliseconds. */
const ANSWER_MILLISECONDS = 10_000;

/** Whether the server takes another player; `unknown` where it does not say. */
export type ServerRoom = "unknown" | "free" | "full";

/** Asks the server from time to time whether it takes another player, as long as the page can be seen. */
export function useServerRoom(): ServerRoom {
  const [room, setRoom] = useState<ServerRoom>("unknown");
  useEffect(() => {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (): Promise<void> => {
      const found = document.visibilityState === "visible" ? await askForRoom(controller.signal) : undefined;
      if (controller.signal.aborted) return;
      if (found !== undefined) setRoom(found);
      timer = setTimeout(() => void ask(), found === "full" ? FULL_MILLISECONDS : FREE_MILLISECONDS);
    };
    const onVisible = (): void => {
      clearTimeout(timer);
      void ask();
    };
    void ask();
    document.addEventListener("visibilitychange", onVisible);
    return () => {
      controller.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisible);
    };
  }, []);
  return room;
}

async function askForRoom(signal: AbortSignal): Promise<ServerRoom> {
  try {
    const ends = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MILLISECONDS)]);
    const response = await fetch(`${serverUrl(window.location)}/readyz`, { signal: ends });
    const { status } = (await response.json()) as { readonly status?: unknown };
    // A proxy may answer this path by itself; then nothing is known.
    if (status === "ready") return "free";
    return status === "not ready" ? "full" : "unknown";
  } catch {
    return "unknown";
  }
}
