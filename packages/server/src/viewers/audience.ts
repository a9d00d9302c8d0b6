import { DreamloopError, ERROR_CODES, type Json } from "@dreamloop/core";
import type { ErrorRecord } from "@dreamloop/core/internal";
import {
  SESSION_STATES,
  type FrameCodec,
  type FrameMetadata,
  type NoticeMessage,
  type ServerMessage,
  type SessionStateMessage,
} from "@dreamloop/protocol";
import type { MediaFrame } from "../media/media-messages.ts";
import type { ServerMetrics } from "../platform/server-metrics.ts";
import { SESSION_ROLES, type SessionRole } from "../platform/security/session-token.ts";
import type { Outlet } from "../transport/outlet/outlet.ts";
import { Connection, type ConnectionOwner } from "./connection.ts";
import { splitMessageNumber } from "./message-number.ts";

/** The counters that an `Audience` moves. */
export type AudienceMetrics = Pick<
  ServerMetrics,
  "inputMessages" | "framesSent" | "framesDropped" | "bytesSent" | "frameLatency"
>;

/** What an `Audience` is made with. */
export interface AudienceOptions {
  /** Viewers at a time, the player included. */
  readonly maxViewers: number;
  /** Whom the connections serve. */
  readonly owner: ConnectionOwner;
  /** What happened goes there. */
  readonly log: { note(event: string, facts?: { readonly [key: string]: Json }): void };
  /** Counts frames and input messages. */
  readonly metrics: AudienceMetrics;
}

/** Connections of the player that may be coming about at a time; a page tries one after the other. */
const MAX_PLAYERS_COMING = 4;
/** Notices that are kept for a player who is away; the oldest are dropped. */
const MAX_MISSED_NOTICES = 8;
/** What a page is told whose session another one plays now. */
const TAKEN_OVER: ErrorRecord = {
  code: ERROR_CODES.closed,
  message: "another page took over",
  retryable: false,
  details: {},
};

/** Those who watch one session: at most one player, and viewers. */
export class Audience {
  readonly #options: AudienceOptions;
  readonly #connections = new Set<Connection>();
  #missed: NoticeMessage[] = [];
  #player: Connection | undefined;
  #epoch = 0;

  /** Nobody at first. */
  constructor(options: AudienceOptions) {
    this.#options = options;
  }

  /** All connections, those that are still coming about included. */
  get connections(): ReadonlySet<Connection> {
    return this.#connections;
  }

  /** The player; absent while it is away. */
  get player(): Connection | undefined {
    return this.#player;
  }

  /** The epoch of the connection that was made last. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Those who can take frames. */
  get readyCount(): number {
    return [...this.#connections].filter(({ isReady }) => isReady).length;
  }

  /** The codecs that somebody takes. */
  get codecs(): readonly FrameCodec[] {
    const ready = [...this.#connections].filter(({ isReady }) => isReady);
    return [...new Set(ready.map(({ outlet }) => outlet.codec))];
  }

  /**
   * Adds a connection, not yet able to take frames. Viewers get `busy` when there are too many. The player always gets in, so that those who watch
   * cannot keep it out; of its connections that do not come about the oldest are given up.
   */
  add(role: SessionRole, makeOutlet: () => Outlet): Connection {
    const { owner, log } = this.#options;
    if (role === SESSION_ROLES.player) this.#dropStalePlayers();
    else this.#refuseCrowd();
    this.#epoch += 1;
    const outlet = makeOutlet();
    const connection = new Connection({ id: this.#epoch, role, epoch: this.#epoch, outlet, owner });
    this.#connections.add(connection);
    log.note("connecting", { connection: connection.id, role, transport: outlet.transport, codec: outlet.codec });
    return connection;
  }

  /**
   * A connection can take frames. A player replaces the one before, which is told that this was the end for it, so that two pages do not take it from
   * each other for ever; `state` is what it is told that in. One that was begun before the present one comes too late. Gives whether it is the player.
   */
  ready(connection: Connection, state: SessionStateMessage): boolean {
    const { role, outlet, id } = connection;
    this.#options.log.note("connected", { connection: id, role, transport: outlet.transport, codec: outlet.codec });
    if (role !== SESSION_ROLES.player) return false;
    const before = this.#player;
    const loser = before !== undefined && before.id > id ? connection : before;
    if (loser !== connection) this.#player = connection;
    loser?.send({ ...state, state: SESSION_STATES.closed, reason: TAKEN_OVER });
    loser?.close(TAKEN_OVER);
    return this.#player === connection;
  }

  /** A connection is gone. Gives whether it was the player; nothing when it was gone before. */
  remove(connection: Connection, reason: string): boolean | undefined {
    if (!this.#connections.delete(connection)) return undefined;
    const { metrics, log } = this.#options;
    const { superseded, refused } = connection.inputCounters;
    metrics.inputMessages.inc({ outcome: "superseded" }, superseded);
    metrics.inputMessages.inc({ outcome: "refused" }, refused);
    metrics.framesDropped.inc({ reason: "viewer" }, connection.droppedFrames);
    log.note("disconnected", { connection: connection.id, reason, frames: connection.sentFrames });
    const wasPlayer = this.#player === connection;
    if (wasPlayer) this.#player = undefined;
    return wasPlayer;
  }

  /** Hands one encoded frame to everybody who watches; nobody is waited for. `nowSeconds` is of the clock of the process. */
  deliver(frame: MediaFrame, nowSeconds: number): void {
    const { metrics } = this.#options;
    const latencySeconds = nowSeconds - frame.readSeconds;
    metrics.frameLatency.observe(latencySeconds);
    const metadata = frameMetadata(frame, latencySeconds);
    for (const connection of this.#connections) {
      if (!connection.deliver(frame, metadata)) continue;
      metrics.framesSent.inc({ transport: connection.outlet.transport, codec: frame.codec });
      metrics.bytesSent.inc(frame.data.byteLength);
    }
  }

  /** Sends a message to everybody. */
  send(message: ServerMessage): void {
    for (const connection of this.#connections) connection.send(message);
  }

  /** Tells everybody who can hear it; a player who is still on the way, or away, is told on arrival. */
  notify(notice: NoticeMessage): void {
    for (const connection of this.#connections) if (connection.isReady) connection.send(notice);
    if (this.#player === undefined) this.#missed = [...this.#missed, notice].slice(-MAX_MISSED_NOTICES);
  }

  /** Tells a player who has come what happened before. */
  catchUp(connection: Connection): void {
    if (connection !== this.#player) return;
    const missed = this.#missed;
    this.#missed = [];
    for (const notice of missed) connection.send(notice);
  }

  /** Ends all connections. */
  close(reason: ErrorRecord | undefined): void {
    for (const connection of [...this.#connections]) connection.close(reason);
  }

  #dropStalePlayers(): void {
    const coming = [...this.#connections].filter(({ role, isReady }) => role === SESSION_ROLES.player && !isReady);
    for (const stale of coming.slice(0, Math.max(0, coming.length + 1 - MAX_PLAYERS_COMING))) stale.close();
  }

  #refuseCrowd(): void {
    const { maxViewers } = this.#options;
    const watching = [...this.#connections].filter(({ role }) => role !== SESSION_ROLES.player).length;
    // One of them is the player's, whether it is there or away.
    if (watching + 1 < maxViewers) return;
    throw new DreamloopError(ERROR_CODES.busy, `the session has ${watching} viewers beside its player, its limit`, {
      retryable: true,
      details: { retryAfterSeconds: 5 },
    });
  }
}

function frameMetadata(frame: MediaFrame, latencySeconds: number): FrameMetadata {
  const { rtpTimestamp, frameIndex, generation, stepIndex, frameInStep, messageNumber, keyFrame } = frame;
  const input = messageNumber === undefined ? undefined : splitMessageNumber(messageNumber);
  return {
    type: "frame",
    rtpTimestamp,
    frameIndex,
    generation,
    stepIndex,
    frameInStep,
    ...(input === undefined ? {} : { inputSequence: input.sequence, inputEpoch: input.epoch }),
    serverMilliseconds: latencySeconds * 1000,
    modelMilliseconds: frame.modelSeconds * 1000,
    encodeMilliseconds: frame.encodeSeconds * 1000,
    keyFrame,
  };
}
