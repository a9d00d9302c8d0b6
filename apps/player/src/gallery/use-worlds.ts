import { listWorlds, type WorldSummary } from "@dreamloop/client";
import { useCallback, useEffect, useState } from "react";

/** The server's worlds, as far as they are known. */
export type Worlds =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly error: unknown; readonly retry: () => void }
  | { readonly state: "ready"; readonly worlds: readonly WorldSummary[] };

/** Asks the server for its worlds. */
export function useWorlds(accessToken: string | undefined): Worlds {
  const [attempt, setAttempt] = useState(0);
  const [worlds, setWorlds] = useState<Worlds>({ state: "loading" });
  const retry = useCallback(() => setAttempt((count) => count + 1), []);
  useEffect(() => {
    const controller = new AbortController();
    setWorlds({ state: "loading" });
    listWorlds({ signal: controller.signal, ...(accessToken === undefined ? {} : { accessToken }) }).then(
      (found) => setWorlds({ state: "ready", worlds: found }),
      (error: unknown) => {
        if (!controller.signal.aborted) setWorlds({ state: "failed", error, retry });
      },
    );
    return () => controller.abort();
  }, [accessToken, attempt, retry]);
  return worlds;
}
