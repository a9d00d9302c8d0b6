import { DreamloopError, ERROR_CODES, isDreamloopError, type Clock, type UserInputEventInput } from "@dreamloop/core";
import { errorToRecord } from "@dreamloop/core/internal";
import { ProcessClock } from "@dreamloop/node";
import {
  SESSION_STATES,
  type ControlRequest,
  type EncoderStatus,
  type FrameCodec,
  type SessionState,
  type SessionStateMessage,
  type SessionStatsMessage,
} from "@dreamloop/protocol";
import type { MediaFrame, MediaStats } from "../media/media-messages.ts";
import { Deadline } from "../platform/limits/deadline.ts";
import { within } from "../platform/limits/within.ts";
import type { ServerMetrics } from "../platform/server-metrics.ts";
import { newSecret } from "../platform/security/secrets.ts";
import { SESSION_ROLES, type SessionRole, type TokenSigner } from "../platform/security/session-token.ts";
import type { TokenBucket } from "../platform/limits/token-bucket.ts";
import type { Outlet, TransportSession } from "../transport/outlet/outlet.ts";
import type { ReceiverFeedback } from "../transport/outlet/receiver-feedback.ts";
import type { WorldOrder } from "../worlds/world-pool.ts";
import { Audience, type AudienceMetrics } from "../viewers/audience.ts";
import type { Connection, ConnectionOwner } from "../viewers/connection.ts";
import { handleRequest, type ControlledSession } from "./handle-request.ts";
import { KeyFrameScheduler } from "../viewers/key-frame-scheduler.ts";
import { endRecord, hasEnded, toldRecord, type EndReason } from "./session-end.ts";
import { SessionLimits } from "./session-limits.ts";
import { SessionLog } from "./session-log.ts";
import { SessionRun, type SessionRunEvents, type SessionRunOptions } from "./session-run.ts";
import type { PixelShare } from "./pixel-budget.ts";
import type { SessionSlot } from "./session-slots.ts";
import { SessionStatus } from "./session-status.ts";
import { encoderStatus, statsMessage } from "./stats-message.ts";
import { WarningReporter } from "./warning-reporter.ts";

/** The counters that a session moves. */
export type SessionMetrics = AudienceMetrics &
  Pick<ServerMetrics, "sessionsStarted" | "sessionsEnded" | "keyFrameRequests" | "inputToPhoton">;

/** What a `LiveSession` is made with. */
export interface LiveSessionOptions extends Omit<SessionRunOptions, "sessionId"> {
  /** The slot that it holds; given back at the end. */
  readonly slot: SessionSlot;
  /** Its share of the pixels a second; given back with the slot. */
  readonly share: PixelShare;
  /** The counters of the server. */
  readonly metrics: SessionMetrics;
  /** Makes the tokens of its player. */
  readonly tokens: Pick<TokenSigner, "issue">;
}

/**
 * One session of a server: a world, its media, and those who watch. Every ending leads to the same `close`. What comes in late is
 * discarded and counted.
 */
export class LiveSession implements ConnectionOwner, ControlledSession, TransportSession {
  /** Made by the server; nobody can guess it. */
  readonly id = newSecret();
  /** Whoever has it may take the session over. */
  readonly resumeSecret = newSecret();
  /** Times waits and limits. */
  readonly clock: Clock;
  /** Stamps input and frames: the clock of the process, which all threads share. */
  readonly stampClock: Clock = new ProcessClock();
  /** What happened. */
  readonly log: SessionLog;
  /** What it is doing. */
  readonly status: SessionStatus;
  /** Resolves when its world runs, or could not be loaded; never rejects. */
  readonly started: Promise<void>;
  /** Resolves when everything is freed. */
  readonly closed: Promise<void>;
  readonly #options: LiveSessionOptions;
  readonly #audience: Audience;
  readonly #loading = new AbortController();
  readonly #keyFrames: KeyFrameScheduler;
  readonly #limits: SessionLimits;
  readonly #renewal: Deadline;
  readonly #warnings = new WarningReporter();
  #markClosed: () => void = () => undefined;
  #run: SessionRun | undefined;
  #stats: SessionStatsMessage | undefined;
  #encoder: EncoderStatus | undefined;
  #lateFrames = 0;
  #closing: Promise<void> | undefined;

  /** Begins to load the world; never throws: what goes wrong closes the session. */
  constructor(options: LiveSessionOptions) {
    const { clock, seed, config, order } = options;
    this.#options = options;
    this.clock = clock;
    this.status = new SessionStatus(seed);
    this.log = new SessionLog(clock);
    this.closed = new Promise((resolve) => (this.#markClosed = resolve));
    this.#keyFrames = new KeyFrameScheduler({ clock, order: (codec) => this.#run?.orderKeyFrame(codec) });
    this.#limits = new SessionLimits({ clock, config, onEnd: (reason) => void this.close(reason) });
    this.#renewal = new Deadline(clock);
    const { maxViewers } = config;
    this.#audience = new Audience({ maxViewers, owner: this, log: this.log, metrics: options.metrics });
    this.log.note("created", { world: order.world.id, seed });
    this.started = this.#start().catch((error: unknown) => {
      if (this.status.isClosed && isDreamloopError(error, ERROR_CODES.cancelled)) return;
      void this.close(this.status.state === SESSION_STATES.loading ? "load_failed" : "failed", error);
    });
  }

  /** The world that was asked for. */
  get order(): WorldOrder {
    return this.#options.order;
  }

  /** The epoch of the connection that was made last. */
  get epoch(): number {
    return this.#audience.epoch;
  }

  /** The codecs that are encoded now, for viewers who are there or on their way. */
  get codecsInUse(): readonly FrameCodec[] {
    return [...new Set([...this.#audience.connections].map(({ outlet }) => outlet.codec))];
  }

  /** What it is doing, as viewers hear it. */
  get stateMessage(): SessionStateMessage {
    return this.status.message();
  }

  /** Those who watch, the player included. */
  get connections(): ReadonlySet<Connection> {
    return this.#audience.connections;
  }

  /** What it holds once its world is loaded, the recordings beyond its end; absent before. */
  get run(): SessionRun | undefined {
    return this.#run;
  }

  /** What it holds while it runs; throws `invalid_state` before and after. */
  get running(): SessionRun {
    if (this.#run !== undefined && !this.status.isClosed) return this.#run;
    throw new DreamloopError(ERROR_CODES.invalidState, `the session is ${this.status.state}; wait until it runs`);
  }

  /** Adds somebody who watches, not yet able to take frames. Throws `busy` when there are too many, `closed` after the end. */
  connect(role: SessionRole, makeOutlet: () => Outlet): Connection {
    this.#refuseClosed();
    return this.#audience.add(role, makeOutlet);
  }

  /** Keeps the session for a player that comes back. */
  touch(): void {
    this.#refuseClosed();
    this.#limits.noteActivity();
    if (this.#audience.player === undefined) this.#limits.waitForPlayer();
  }

  /** Its counters, once there are some. */
  get stats(): SessionStatsMessage | undefined {
    return this.#stats;
  }

  /** Changes the state and tells everybody. */
  setState(state: SessionState, changes: { readonly generation?: number; readonly seed?: number } = {}): void {
    if (this.status.isClosed) return;
    this.status.change(state, changes);
    this.#audience.send(this.status.message());
  }

  /** Takes the events of an input message. */
  pushInput(events: readonly UserInputEventInput[], messageNumber: number): void {
    this.#limits.noteActivity();
    this.#options.metrics.inputMessages.inc({ outcome: "accepted" });
    this.#run?.hosted.push(events, { sequence: messageNumber });
  }

  /** Does what a player asked for. */
  handleRequest(request: ControlRequest, connection: Connection): Promise<Readonly<Record<string, unknown>>> {
    if (request.method !== "client_stats" && request.method !== "key_frame") {
      this.#limits.noteActivity();
      this.log.note("request", { method: request.method });
    }
    return handleRequest({ session: this, connection, metrics: this.#options.metrics }, request);
  }

  /** A viewer needs a key frame. */
  requestKeyFrame(codec: FrameCodec, limiter: TokenBucket | undefined): void {
    this.#options.metrics.keyFrameRequests.inc({ outcome: this.#keyFrames.request(codec, limiter) });
  }

  /** Notes what a receiver says of the video: the player's word counts, others' only while there is none. */
  takeFeedback(connection: Connection, feedback: ReceiverFeedback): void {
    if ((this.#audience.player ?? connection) === connection) this.#run?.reportPath(feedback);
  }

  /** A connection can take frames. */
  connectionReady(connection: Connection): void {
    if (this.#audience.ready(connection, this.status.message())) this.#limits.playerCame();
    this.#run?.setCodecs(this.#audience.codecs);
    connection.send(this.status.message());
    if (connection === this.#audience.player) this.#renewToken();
    this.#audience.catchUp(connection);
    this.requestKeyFrame(connection.outlet.codec, undefined);
  }

  /** A connection is lost: what its player held is released, and the session waits for a while. */
  connectionLost(connection: Connection, reason: string): void {
    const wasPlayer = this.#audience.remove(connection, reason);
    if (wasPlayer === undefined || this.status.isClosed) return;
    this.#run?.setCodecs(this.#audience.codecs);
    if (!wasPlayer) return;
    this.#run?.hosted.releaseInput("link");
    this.#limits.waitForPlayer({ isLoading: this.#run === undefined });
  }

  /** Ends it, whatever it is doing; idempotent. Resolves when everything is freed. */
  close(reason: EndReason, error?: unknown): Promise<void> {
    this.#closing ??= this.#end(reason, error);
    return this.#closing;
  }

  async #start(): Promise<void> {
    const options = { ...this.#options, sessionId: this.id };
    const run = await SessionRun.open(options, this.#runEvents(), this.#loading.signal);
    this.#run = run;
    this.#options.share.change(run.description);
    run.hosted.done.then(
      () => void this.close("completed"),
      (error: unknown) => void this.close("failed", error),
    );
    run.applyForkPrompt(this.stampClock.nowSeconds());
    await run.hosted.started;
    this.#refuseClosed();
    this.log.note("running", run.logFacts);
    if (this.#audience.player === undefined) this.#limits.waitForPlayer();
    this.setState(SESSION_STATES.running);
    run.setCodecs(this.#audience.codecs);
  }

  async #end(reason: EndReason, error: unknown): Promise<void> {
    const { slot, share, metrics } = this.#options;
    const record = error === undefined ? undefined : errorToRecord(error);
    const told = record === undefined ? endRecord(reason) : toldRecord(record, this.#options.order.world);
    this.status.end(told, error);
    this.log.note("closed", {
      reason,
      ...(record === undefined ? {} : { code: record.code, message: record.message }),
    });
    metrics.sessionsEnded.inc({ reason });
    this.#limits.clear();
    this.#renewal.clear();
    this.#keyFrames.clear();
    this.#loading.abort();
    this.#audience.send(this.status.message());
    this.#audience.close(record === undefined ? undefined : told);
    // While it loads, the slot is free at once; the load itself counts where loads are counted.
    const wasRunning = this.#run !== undefined;
    if (!wasRunning) slot.release();
    // Whatever hangs, the slot is free within the grace time; what has not ended by then ends later, or is given up.
    if (!(await within(this.#free(), this.#options.config.graceSeconds))) this.log.note("ends_late");
    if (wasRunning) slot.release();
    share.release();
    this.#markClosed();
  }

  /** The player gets a new token while it is connected, so that what it does with its session never fails because of the time. */
  #renewToken(): void {
    const { tokens, config } = this.#options;
    const { tokenSeconds } = config;
    const token = tokens.issue({ sessionId: this.id, role: SESSION_ROLES.player, seconds: tokenSeconds });
    this.#audience.player?.send({ type: "token", token, tokenSeconds });
    this.#renewal.set(tokenSeconds / 2, () => {
      if (this.#audience.player !== undefined) this.#renewToken();
    });
  }

  async #free(): Promise<void> {
    await this.#run?.close();
    await this.started;
    await this.#run?.close();
  }

  #runEvents(): SessionRunEvents {
    return {
      onProgress: ({ fraction }) => {
        this.status.noteLoad(fraction);
        this.#audience.send(this.status.message());
      },
      onFrame: (frame) => this.#takeFrame(frame),
      onStats: (stats) => this.#takeStats(stats),
      onEncoder: (settings) => {
        this.#encoder = encoderStatus(settings, this.#options.config.encoderHardware);
        this.log.note("encoder", { ...settings, hardwareAsked: this.#encoder.hardwareAsked });
      },
      onFault: (fault) => void this.close("failed", fault),
      onLost: (error) => void this.close("failed", error),
      onWarning: (warning) => this.#warnings.take(warning, { log: this.log, audience: this.#audience }),
      onRefusedEvents: ({ message }) => this.log.note("events_refused", { message }),
    };
  }

  #takeFrame(frame: MediaFrame): void {
    const { metrics } = this.#options;
    if (this.status.isClosed || frame.generation < this.status.generation) {
      this.#lateFrames += 1;
      metrics.framesDropped.inc({ reason: "late" });
      return;
    }
    this.#audience.deliver(frame, this.stampClock.nowSeconds());
  }

  #takeStats(stats: MediaStats): void {
    this.#stats = statsMessage(stats, {
      main: this.#audience.player ?? [...this.#audience.connections][0],
      encoder: this.#encoder,
      viewerCount: this.#audience.readyCount,
      lateFrames: this.#lateFrames,
    });
    this.#audience.send(this.#stats);
    const bitsPerSecond = this.#run?.adaptBitrate(stats);
    if (bitsPerSecond !== undefined) this.log.note("bitrate", { bitsPerSecond });
    void this.#boundRecording();
  }

  async #boundRecording(): Promise<void> {
    const facts = await this.#run?.boundRecording();
    if (facts === undefined) return;
    const message = `the recording reached its limit and was completed with ${facts.frameCount} frames`;
    this.#audience.notify({ type: "notice", kind: "recording_limit", message, details: { ...facts } });
  }

  #refuseClosed(): void {
    if (this.status.isClosed) throw hasEnded(this.status.ending);
  }
}
