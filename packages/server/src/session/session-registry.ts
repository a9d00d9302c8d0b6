import { randomInt } from "node:crypto";
import { DreamloopError, ERROR_CODES, type Clock } from "@dreamloop/core";
import type { ErrorRecord } from "@dreamloop/core/internal";
import type { CreateSessionRequest } from "@dreamloop/protocol";
import type { ServerConfig } from "../platform/config/server-config.ts";
import type { MediaHost } from "../media/media-host.ts";
import type { LastResort } from "../platform/faults/last-resort.ts";
import type { NoticeReporter } from "../platform/notices/notice-reporter.ts";
import type { RecordingStore } from "../recordings/recording-store.ts";
import { RateTable } from "../platform/limits/rate-table.ts";
import { isSameSecret } from "../platform/security/secrets.ts";
import type { TokenSigner } from "../platform/security/session-token.ts";
import type { StartMoment } from "./start-moment.ts";
import type { SessionPictures } from "./session-pictures.ts";
import type { ServedWorld } from "../worlds/served-world.ts";
import type { WorldOrder, WorldPool } from "../worlds/world-pool.ts";
import { Deadline } from "../platform/limits/deadline.ts";
import { LiveSession, type LiveSessionOptions, type SessionMetrics } from "./live-session.ts";
import { hasEnded } from "./session-end.ts";
import { PixelBudget, type PictureRate, type PixelShare } from "./pixel-budget.ts";
import { SessionSlots, type SessionSlot } from "./session-slots.ts";

/** Seconds that the recordings of an ended session can still be fetched. */
const KEEP_SECONDS = 600;
/** Ended sessions that are kept for that at most. */
const MAX_KEPT = 32;

/** Characters of a session's id by which people tell sessions apart. */
const SHORT_ID_LENGTH = 8;

/** Ended sessions of which it is remembered why they ended. */
const MAX_ENDINGS = 256;

/** What a `SessionRegistry` is made with. */
export interface SessionRegistryOptions {
  /** The clock of the server. */
  readonly clock: Clock;
  /** How the server runs. */
  readonly config: ServerConfig;
  /** The worlds that are offered. */
  readonly worlds: readonly ServedWorld[];
  /** Where they are loaded. */
  readonly pool: WorldPool;
  /** Where frames are encoded. */
  readonly media: MediaHost;
  /** Where recordings go; absent: there are none. */
  readonly recordings?: RecordingStore;
  /** The counters of the server. */
  readonly metrics: SessionMetrics;
  /** Makes the tokens of players. */
  readonly tokens: Pick<TokenSigner, "issue">;
  /** Ends the session whose work throws. */
  readonly faults: LastResort;
  /** Who is told of sessions that fail. */
  readonly notices: NoticeReporter;
}

/** The sessions of a server: who gets one, and where it is. */
export class SessionRegistry {
  readonly #options: SessionRegistryOptions;
  readonly #slots: SessionSlots;
  readonly #pixels: PixelBudget;
  readonly #starts: RateTable;
  readonly #sessions = new Map<string, LiveSession>();
  readonly #ended = new Map<string, { readonly session: LiveSession; readonly deadline: Deadline }>();
  readonly #endings = new Map<string, ErrorRecord>();
  #draining = false;

  /** Empty at first. */
  constructor(options: SessionRegistryOptions) {
    const { maxSessions, maxSessionsPerIdentity, sessionStartsPerMinute } = options.config;
    this.#options = options;
    this.#slots = new SessionSlots({ sessions: maxSessions, perIdentity: maxSessionsPerIdentity });
    const { maxSessionPixelsPerSecond: session, maxPixelsPerSecond: server } = options.config;
    this.#pixels = new PixelBudget({ session, server });
    this.#starts = new RateTable({ perSecond: sessionStartsPerMinute / 60, burst: sessionStartsPerMinute });
  }

  /** Sessions that are open. */
  get sessions(): readonly LiveSession[] {
    return [...this.#sessions.values()];
  }

  /** Viewers who take frames, by transport. */
  get viewersByTransport(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const session of this.sessions) {
      for (const { outlet, isReady } of session.connections) {
        if (isReady) counts[outlet.transport] = (counts[outlet.transport] ?? 0) + 1;
      }
    }
    return counts;
  }

  /** The session slots. */
  get slots(): SessionSlots {
    return this.#slots;
  }

  /** Whether another session can be admitted, and why not. */
  get readiness(): { readonly ready: boolean; readonly reason?: string } {
    if (this.#draining) return { ready: false, reason: "the server is closing" };
    if (this.#options.media.failure !== undefined) return { ready: false, reason: "the media worker has failed" };
    if (!this.#slots.canAdmit) return { ready: false, reason: "all session slots are taken" };
    return { ready: true };
  }

  /** Starts a session. Throws `not_found`, `busy`, `limit_exceeded` or `invalid_value`; nothing is left behind then. */
  create(
    request: CreateSessionRequest,
    identity: string,
    start: { readonly pictures?: SessionPictures | undefined; readonly moment?: StartMoment } = {},
  ): LiveSession {
    const { pictures, moment } = start;
    const { clock, config, pool, media, recordings, worlds, metrics, tokens } = this.#options;
    if (this.#draining) throw new DreamloopError(ERROR_CODES.busy, "the server is closing", { retryable: true });
    if (!this.#starts.take(identity, clock.nowSeconds())) {
      throw new DreamloopError(ERROR_CODES.limitExceeded, "too many sessions were started lately; wait a minute", {
        retryable: true,
        details: { retryAfterSeconds: 60 },
      });
    }
    const world = worlds.find(({ id }) => id === request.world);
    if (world === undefined) {
      const known = worlds.map(({ id }) => id).join(", ");
      throw new DreamloopError(ERROR_CODES.notFound, `there is no world of that name here; there are: ${known}`);
    }
    const order = orderOf(world, request);
    pictures?.checkEarly(pool.summary(world));
    pool.check(order);
    const share = this.#pixels.take(rateOf(order));
    const slot = this.#takeSlot(identity, share);
    const session = this.#begin({
      clock,
      config,
      order,
      seed: request.seed ?? moment?.facts.position.seed ?? randomInt(2 ** 31),
      ...(moment === undefined ? {} : { moment, ...(request.seed === undefined ? {} : { forkSeed: request.seed }) }),
      ...(request.prompt === undefined ? {} : { prompt: request.prompt }),
      ...(pictures === undefined ? {} : { pictures }),
      pool,
      media,
      slot,
      share,
      metrics,
      tokens,
      ...(recordings === undefined ? {} : { recordings }),
    });
    this.#sessions.set(session.id, session);
    metrics.sessionsStarted.inc();
    void session.closed.then(() => this.#retire(session));
    return session;
  }

  #takeSlot(identity: string, share: PixelShare): SessionSlot {
    try {
      return this.#slots.acquire(identity);
    } catch (error) {
      share.release();
      throw error;
    }
  }

  /** What its timers, ports and promises throw later ends this session alone. */
  #begin(options: LiveSessionOptions): LiveSession {
    const begun: { session?: LiveSession } = {};
    const owner = { fail: (error: unknown) => void begun.session?.close("failed", error) };
    this.#options.faults.run(owner, () => (begun.session = new LiveSession(options)));
    if (begun.session !== undefined) return begun.session;
    options.slot.release();
    options.share.release();
    throw new DreamloopError(ERROR_CODES.internal, "the session could not be made");
  }

  /** An open session; throws `closed` with the reason for one that ended lately, `not_found` for any other. Ask for whoever has a token of it only. */
  find(sessionId: string): LiveSession {
    const session = this.#sessions.get(sessionId);
    if (session !== undefined) return session;
    const ending = this.#endings.get(sessionId);
    if (ending !== undefined) throw hasEnded(ending);
    throw new DreamloopError(ERROR_CODES.notFound, "there is no such session; it may have ended");
  }

  /** An open session, or an ended one whose recordings are kept; throws as `find` does. */
  findWithRecordings(sessionId: string): LiveSession {
    return this.#ended.get(sessionId)?.session ?? this.find(sessionId);
  }

  /** A session for whoever knows its secret; throws `not_found` for both a wrong id and a wrong secret. */
  resume(sessionId: string, resumeSecret: string): LiveSession {
    const session = this.#sessions.get(sessionId);
    if (session === undefined || !isSameSecret(resumeSecret, session.resumeSecret)) {
      throw new DreamloopError(ERROR_CODES.notFound, "there is no such session to resume; start a new one");
    }
    session.touch();
    return session;
  }

  /** Admits nobody any more and ends all sessions; idempotent. */
  async close(): Promise<void> {
    this.#draining = true;
    await Promise.all(this.sessions.map((session) => session.close("server_closing")));
    for (const sessionId of [...this.#ended.keys()]) await this.#forget(sessionId);
  }

  #retire(session: LiveSession): void {
    this.#sessions.delete(session.id);
    const { failure } = session.status;
    if (failure !== undefined) {
      this.#options.notices.note({
        type: "session_failed",
        worldId: session.order.world.id,
        session: session.id.slice(0, SHORT_ID_LENGTH),
        phase: session.run === undefined ? "load" : "run",
        error: failure,
      });
    }
    if (session.status.ending !== undefined) this.#endings.set(session.id, session.status.ending);
    const [first] = this.#endings.keys();
    if (this.#endings.size > MAX_ENDINGS && first !== undefined) this.#endings.delete(first);
    const recordings = session.run?.recordings;
    if (recordings === undefined) return;
    if (recordings.facts.length === 0 || this.#draining) {
      void recordings.close();
      return;
    }
    const deadline = new Deadline(this.#options.clock);
    this.#ended.set(session.id, { session, deadline });
    deadline.set(KEEP_SECONDS, () => void this.#forget(session.id));
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > MAX_KEPT && oldest !== undefined) void this.#forget(oldest);
  }

  async #forget(sessionId: string): Promise<void> {
    const entry = this.#ended.get(sessionId);
    this.#ended.delete(sessionId);
    entry?.deadline.clear();
    await entry?.session.run?.recordings?.close();
  }
}

function orderOf(world: ServedWorld, { preset, size }: CreateSessionRequest): WorldOrder {
  if (size !== undefined && world.acceptsSize !== true) {
    throw new DreamloopError(ERROR_CODES.invalidValue, "size: this world has one size only; leave it out");
  }
  return { world, ...(preset === undefined ? {} : { preset }), ...(size === undefined ? {} : { size }) };
}

/** Frames a second of a world that does not say before it is loaded. */
const USUAL_FRAMES_PER_SECOND = 30;

/** The rate of what is ordered, as far as it is known before the world is loaded. */
function rateOf({ world, size }: WorldOrder): PictureRate | undefined {
  const width = size?.width ?? world.width;
  const height = size?.height ?? world.height;
  if (width === undefined || height === undefined) return undefined;
  return { width, height, framesPerSecond: world.framesPerSecond ?? USUAL_FRAMES_PER_SECOND };
}
