/** The address of the server that this page came from: the page's own folder, without a slash at its end, so that a server below a path is found too. */
export function serverUrl(location: Pick<Location, "origin" | "pathname">): string {
  return `${location.origin}${location.pathname.replace(/\/[^/]*$/, "")}`;
}

/** The address of something that the server names by a path of its own, with or without the path that the server lies below. */
export function addressOf(path: string, location: Pick<Location, "origin" | "pathname">): string {
  const server = serverUrl(location);
  const below = server.slice(location.origin.length);
  return below !== "" && path.startsWith(`${below}/`) ? `${location.origin}${path}` : `${server}${path}`;
}

/** Whether an address leads to this computer only. */
export function isThisComputer(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" || /^127\./.test(hostname);
}
