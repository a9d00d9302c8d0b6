import { listWorlds, type WorldSummary } from "@dreamloop/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { serverUrl } from "../address/server-url.ts";

/** The server's worlds, as far as they are known. */
export type Worlds =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly error: unknown; readonly tries: number; readonly retry: () => void }
  | { readonly state: "ready"; readonly worlds: readonly WorldSummary[] };

/** Asks the server for its worlds. */
export function useWorlds(accessToken: string | undefined): Worlds {
  const [attempt, setAttempt] = useState(0);
  const [worlds, setWorlds] = useState<Worlds>({ state: "loading" });
  const tries = useRef(0);
  const retry = useCallback(() => setAttempt((count) => count + 1), []);
  useEffect(() => {
    const controller = new AbortController();
    listWorlds({
      url: serverUrl(window.location),
      signal: controller.signal,
      ...(accessToken === undefined ? {} : { accessToken }),
    }).then(
      (found) => {
        tries.current = 0;
        setWorlds({ state: "ready", worlds: found });
      },
      (error: unknown) => {
        // The message stays while the next try is under way, so that nothing flickers.
        if (!controller.signal.aborted) setWorlds({ state: "failed", error, tries: tries.current++, retry });
      },
    );
    return () => controller.abort();
  }, [accessToken, attempt, retry]);
  return worlds;
}
