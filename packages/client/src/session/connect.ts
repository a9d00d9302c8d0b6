import { isDreamloopError } from "@dreamloop/core";
import type { SessionAnswer } from "@dreamloop/protocol";
import { openLink, type TransportOpeners } from "../link/transport-choice.ts";
import { openWebRtcLink } from "../link/webrtc-link.ts";
import { openWebSocketLink } from "../link/websocket-link.ts";
import type { InputState } from "../input/input-state.ts";
import { HttpApi } from "../wire/http-api.ts";
import { createSession } from "./create-session.ts";
import { browserEnvironment, type ClientEnvironment } from "../browser/client-environment.ts";
import { onPageEnd, onPageReturn } from "../browser/page-life.ts";
import { keepSession, keptName, takeKeptSession, type KeptSession } from "./kept-session.ts";
import { PictureFallback } from "./picture-fallback.ts";
import { waitForPlace } from "./wait-for-place.ts";
import type { ConnectOptions, ServerOptions } from "./play-options.ts";
import { PlaySession } from "./play-session.ts";

/** How long a full server is waited for unless the page says otherwise, in seconds. */
const BUSY_PATIENCE_SECONDS = 600;

/**
 * Starts a session of a world and connects to it, or comes back to the one that the same page of this tab left behind. Resolves once the link stands, also while the world still
 * loads. Rejects with a `DreamloopError`: `busy` (see `details.retryAfterSeconds`; with `onBusy` it is waited for), `not_found`, `unauthorized`, `unavailable`, `cancelled`; for pictures
 * `invalid_value` and `limit_exceeded`, with the input's name as `details.image`.
 * The caller closes the session.
 */
export async function connect(options: ConnectOptions): Promise<PlaySession> {
  const environment = options.environment ?? browserEnvironment();
  const api = httpApi(options, environment);
  const { onBusy, busyPatienceSeconds: patienceSeconds = BUSY_PATIENCE_SECONDS } = options;
  const { signal } = options;
  // A moment is opened because somebody wants to be there, and not where this page was before.
  const name = options.pageEnd === "close" || options.moment !== undefined ? undefined : keptName(options);
  const returned = name === undefined ? undefined : await comeBack(api, name, signal);
  const answer =
    returned?.grant ??
    (await waitForPlace(() => createSession(api, options), { environment, signal, onBusy, patienceSeconds }));
  return openSession(answer, options, { api, environment, name, kept: returned?.kept });
}

/** What a session is connected with. */
interface OpenWith {
  readonly api: HttpApi;
  readonly environment: ClientEnvironment;
  /** Under which name it is kept over a reload; absent: it is not. */
  readonly name?: string | undefined;
  /** What the page before this one kept of it. */
  readonly kept?: KeptSession | undefined;
  /** Input that it shares with another session. */
  readonly input?: InputState | undefined;
}

/** Connects to a session that the server has started. */
async function openSession(answer: SessionAnswer, options: ConnectOptions, use: OpenWith): Promise<PlaySession> {
  const { api, environment, name, kept, input } = use;
  const { signal } = options;
  const fallback = new PictureFallback(options.transport ?? "auto");
  const openers: TransportOpeners = {
    ...(environment.createPeer === undefined
      ? {}
      : { webrtc: (grant, handlers, ends) => openWebRtcLink(api, environment, grant, handlers, ends) }),
    websocket: async (grant, handlers, ends) => {
      const decoders = fallback.decoders(await environment.listDecoders());
      return openWebSocketLink({ url: api.socketUrl(grant), environment, decoders, handlers, signal: ends });
    },
  };
  const session = new PlaySession(
    {
      options,
      api,
      environment,
      fallback,
      ...(input === undefined ? {} : { input }),
      openFork: (fork, changes, shared) =>
        openSession(fork, { ...options, ...changes, recreate: false }, { api, environment, input: shared }),
      openLink: (grant, handlers, ends) =>
        openLink(fallback.transport, openers, { grant, handlers, signal: ends, environment }),
    },
    answer,
    kept,
  );
  const abort = (): void => void session.close();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    signal?.throwIfAborted();
    session.on(
      "closed",
      onPageEnd(() => {
        // What is only loading frees its place at once, and what cannot be kept does.
        const isKept = name !== undefined && session.isKeepable && keepSession(name, session.grant, session.kept);
        if (!isKept) void session.close();
      }),
    );
    session.on(
      "closed",
      onPageReturn(() => session.networkReturned()),
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

/** The session that the page before this one left behind, as long as the server knows it. */
async function comeBack(
  api: HttpApi,
  name: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly kept: KeptSession; readonly grant: SessionAnswer } | undefined> {
  const kept = takeKeptSession(name);
  if (kept === undefined) return undefined;
  try {
    return { kept, grant: await api.resume(kept.sessionId, kept.resumeSecret, signal) };
  } catch (error) {
    signal?.throwIfAborted();
    // One that has ended meanwhile, or that nobody answers for, is made anew, which tells what is wrong if something is.
    if (isDreamloopError(error)) return undefined;
    throw error;
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
