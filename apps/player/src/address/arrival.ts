import { worldHash } from "./route.ts";

/** What a link to this page says besides the route. */
export interface Arrival {
  /** The server's access token; it is taken out of the address so that it is not shared by accident. */
  readonly accessToken?: string;
  /** A world to start at once. */
  readonly world?: string;
  /** A moment that the server holds ready and the world is to start from. */
  readonly moment?: string;
  /** A transport that was asked for, for trying things out. */
  readonly transport?: "webrtc" | "websocket";
}

/** Reads `#token=…`, `?token=…`, `?world=…`, `?moment=…` and `?transport=…`. */
export function readArrival(location: Pick<Location, "hash" | "search">): Arrival {
  const query = new URLSearchParams(location.search);
  const fragment = new URLSearchParams(location.hash.replace(/^#/, ""));
  const accessToken = fragment.get("token") ?? query.get("token");
  const world = query.get("world");
  const moment = query.get("moment");
  const transport = query.get("transport");
  return {
    ...(accessToken === null || accessToken === "" ? {} : { accessToken }),
    ...(world === null || world === "" ? {} : { world }),
    ...(moment === null || moment === "" ? {} : { moment }),
    ...(transport === "webrtc" || transport === "websocket" ? { transport } : {}),
  };
}

const TOKEN_KEY = "dreamloop.token";

/** Keeps the token for reloads of this tab and takes it out of the address. */
export function takeToken(arrival: Arrival, page: Window): string | undefined {
  const { accessToken } = arrival;
  try {
    if (accessToken === undefined) return page.sessionStorage.getItem(TOKEN_KEY) ?? undefined;
    page.sessionStorage.setItem(TOKEN_KEY, accessToken);
  } catch {
    // Storage may be forbidden; the token then lasts as long as the page.
  }
  const query = new URLSearchParams(page.location.search);
  query.delete("token");
  const rest = query.size === 0 ? "" : `?${query.toString()}`;
  const hash = page.location.hash.startsWith("#/") ? page.location.hash : "";
  page.history.replaceState(null, "", `${page.location.pathname}${rest}${hash}`);
  return accessToken;
}

/**
 * Turns `?world=…` into the address of that world's page, before anything is shown. It acts on the address that was opened and then leaves none of itself
 * there, so that neither the tab's history nor a reload matters and the way back to the gallery is free. An address that names a page behind `#` has it.
 */
export function takeWorld(arrival: Arrival, page: Pick<Window, "location" | "history">): void {
  const { world } = arrival;
  if (world === undefined) return;
  const { pathname, search, hash } = page.location;
  const query = new URLSearchParams(search);
  query.delete("world");
  const rest = query.size === 0 ? "" : `?${query.toString()}`;
  page.history.replaceState(null, "", `${pathname}${rest}${hash.startsWith("#/") ? hash : worldHash(world)}`);
}
