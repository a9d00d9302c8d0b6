/** Where in the page one is. */
export type Route =
  | { readonly page: "gallery" }
  | { readonly page: "play"; readonly world: string }
  | { readonly page: "view"; readonly viewerToken: string };

/** Reads the part of the address behind `#`. */
export function readRoute(hash: string): Route {
  const [, page, name] = /^#\/(w|view)\/([^/]+)$/.exec(hash) ?? [];
  if (page === undefined || name === undefined) return { page: "gallery" };
  const decoded = decode(name);
  if (decoded === undefined) return { page: "gallery" };
  return page === "w" ? { page: "play", world: decoded } : { page: "view", viewerToken: decoded };
}

/** The address of a world. */
export function worldHash(world: string): string {
  return `#/w/${encodeURIComponent(world)}`;
}

/** The whole address under which others watch. */
export function viewerUrl(viewerToken: string, location: Pick<Location, "origin" | "pathname">): string {
  return `${location.origin}${location.pathname}#/view/${encodeURIComponent(viewerToken)}`;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
