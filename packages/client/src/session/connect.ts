import { openLink, type TransportOpeners } from "../link/transport-choice.ts";
import { openWebRtcLink } from "../link/webrtc-link.ts";
import { openWebSocketLink } from "../link/websocket-link.ts";
import { HttpApi } from "../wire/http-api.ts";
import { createSession } from "./create-session.ts";
import { browserEnvironment, type ClientEnvironment } from "../browser/client-environment.ts";
import { onPageEnd } from "../browser/page-end.ts";
import type { ConnectOptions, ServerOptions } from "./play-options.ts";
import { PlaySession } from "./play-session.ts";

/**
 * Starts a session of a world and connects to it. Resolves once the link stands, also while the world still loads. Rejects with a
 * `DreamloopError`: `busy` (see `details.retryAfterSeconds`; nothing is retried by itself), `not_found`, `unauthorized`, `unavailable`, `cancelled`; for pictures `invalid_value` and `limit_exceeded`, with the
 * input's name as `details.image`.
 * The caller closes the session.
 */
export async function connect(options: ConnectOptions): Promise<PlaySession> {
  const environment = options.environment ?? browserEnvironment();
  const api = httpApi(options, environment);
  const { signal } = options;
  const answer = await createSession(api, options);
  const openers: TransportOpeners = {
    ...(environment.createPeer === undefined
      ? {}
      : { webrtc: (grant, handlers, ends) => openWebRtcLink(api, environment, grant, handlers, ends) }),
    websocket: (grant, handlers, ends) => openWebSocketLink(api.socketUrl(grant), environment, grant, handlers, ends),
  };
  const session = new PlaySession(
    {
      options,
      api,
      environment,
      openLink: (grant, handlers, ends) =>
        openLink(options.transport ?? "auto", openers, { grant, handlers, signal: ends, environment }),
    },
    answer,
  );
  const abort = (): void => void session.close();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    signal?.throwIfAborted();
    // A page that goes for good frees the session's place at once, also while its link comes about or its world loads.
    session.on(
      "closed",
      onPageEnd(() => void session.close()),
    );
    await session.open();
    return session;
  } catch (error) {
    await session.close();
    throw error;
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

/** The worlds that a server offers. Rejects with a `DreamloopError`. */
export function listWorlds(options: ServerOptions = {}): ReturnType<HttpApi["worlds"]> {
  return httpApi(options, options.environment ?? browserEnvironment()).worlds(options.signal);
}

function httpApi(options: ServerOptions, environment: ClientEnvironment): HttpApi {
  const { accessToken } = options;
  const url = options.url ?? globalThis.location?.origin ?? "";
  return new HttpApi({ url, environment, ...(accessToken === undefined ? {} : { accessToken }) });
}
