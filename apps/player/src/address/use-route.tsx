import { createContext, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { readRoute, type Route } from "./route.ts";

/** Asks before the page leaves for another address: leaves when the function that it gets is called. */
export type LeaveGuard = (leave: () => void) => void;

interface Routing {
  readonly route: Route;
  readonly setGuard: (guard: LeaveGuard | undefined) => void;
}

const RoutingContext = createContext<Routing>({ route: { page: "gallery" }, setGuard: () => undefined });

/** Keeps track of the part of the address behind `#`. While there is a guard, another address is shown only after it has agreed. */
export function RouteProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [hash, setHash] = useState(() => window.location.hash);
  const guard = useRef<LeaveGuard | undefined>(undefined);
  const shown = useRef(hash);
  useEffect(() => {
    const onChange = (): void => {
      const wanted = window.location.hash;
      const ask = guard.current;
      if (wanted === shown.current) return;
      if (ask === undefined) {
        shown.current = wanted;
        setHash(wanted);
        return;
      }
      // The address in the bar is the one of what is shown, until the guard agrees.
      window.history.pushState(null, "", shown.current === "" ? "#/" : shown.current);
      ask(() => {
        guard.current = undefined;
        window.location.hash = wanted === "" ? "#/" : wanted;
      });
    };
    window.addEventListener("hashchange", onChange);
    return () => window.removeEventListener("hashchange", onChange);
  }, []);
  const routing = useMemo<Routing>(() => {
    return { route: readRoute(hash), setGuard: (next) => (guard.current = next) };
  }, [hash]);
  return <RoutingContext.Provider value={routing}>{children}</RoutingContext.Provider>;
}

/** Where in the page one is; new whenever the address changes. */
export function useRoute(): Route {
  return useContext(RoutingContext).route;
}

/** While there is a guard, asks it before another address is shown, and lets the browser ask before the page is closed. */
export function useLeaveGuard(guard: LeaveGuard | undefined): void {
  const { setGuard } = useContext(RoutingContext);
  const isGuarded = guard !== undefined;
  useEffect(() => {
    setGuard(guard);
    return () => setGuard(undefined);
  }, [guard, setGuard]);
  useEffect(() => {
    if (!isGuarded) return undefined;
    const onUnload = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener("beforeunload", onUnload);
    return () => window.removeEventListener("beforeunload", onUnload);
  }, [isGuarded]);
}
