import {
  DreamloopError,
  ERROR_CODES,
  errorToRecord,
  isDreamloopError,
  type Clock,
  type ErrorRecord,
  type SessionDescription,
  type UserInputEventInput,
} from "@dreamloop/core";
import { ProcessClock, type HostedSession } from "@dreamloop/node";
import { defaultBitrate } from "@dreamloop/outputs";
import {
  SESSION_STATES,
  type ControlRequest,
  type FrameCodec,
  type FrameMetadata,
  type RecordingFacts,
  type ServerMessage,
  type SessionFacts,
  type SessionState,
  type SessionStateMessage,
  type SessionStatsMessage,
} from "@dreamloop/protocol";
import type { ServerConfig } from "../config/server-config.ts";
import { splitMessageNumber } from "../input/message-number.ts";
import type { MediaFeed, MediaHost } from "../media/media-host.ts";
import type { MediaFrame, MediaStats } from "../media/media-messages.ts";
import type { ServerMetrics } from "../metrics/server-metrics.ts";
import { SessionRecordings, type RecordingShelf } from "../recordings/recording-shelf.ts";
import { newSecret } from "../security/secrets.ts";
import { SESSION_ROLES, type SessionRole } from "../security/session-token.ts";
import type { TokenBucket } from "../security/token-bucket.ts";
import { BitrateController } from "../webrtc/bitrate-controller.ts";
import type { RtcpFeedback } from "../webrtc/rtp/rtcp.ts";
import type { WorldLease, WorldOrder, WorldShelf } from "../worlds/world-shelf.ts";
import { Connection, type ConnectionOwner, type Outlet } from "./connection.ts";
import { Deadline } from "./deadline.ts";
import { handleRequest } from "./handle-request.ts";
import { KeyFrameGate } from "./key-frame-gate.ts";
import { SessionLog } from "./session-log.ts";
import type { SessionSlot } from "./session-slots.ts";

/** Why a session ended; the stable names of metrics and logs. */
export type EndReason =
  "asked" | "grace" | "idle" | "lifetime" | "load_failed" | "failed" | "completed" | "server_closing";

/** What a `LiveSession` is made with. */
export interface LiveSessionOptions {
  /** The clock of the server. */
  readonly clock: Clock;
  /** How the server runs. */
  readonly config: ServerConfig;
  /** The world that was asked for. */
  readonly order: WorldOrder;
  /** Seed of the first rollout. */
  readonly seed: number;
  /** Prompt at the start. */
  readonly prompt?: string;
  /** Where worlds come from. */
  readonly shelf: WorldShelf;
  /** Where frames are encoded. */
  readonly media: MediaHost;
  /** The place that it holds; given back at the end. */
  readonly slot: SessionSlot;
  /** Where recordings go; absent: there are none. */
  readonly recordings?: RecordingShelf;
  /** The counters of the server. */
  readonly metrics: ServerMetrics;
}

/**
 * One session of a server: a world, its media, and those who watch. Every ending leads to the same `close`. What comes in late is
 * discarded and counted.
 */
export class LiveSession implements ConnectionOwner {
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
  /** Resolves when everything is freed. */
  readonly closed: Promise<void>;
  readonly #options: LiveSessionOptions;
  readonly #connections = new Set<Connection>();
  readonly #keyFrameGates = new Map<FrameCodec, { readonly gate: KeyFrameGate; readonly deadline: Deadline }>();
  readonly #loading = new AbortController();
  readonly #grace: Deadline;
  readonly #idle: Deadline;
  readonly #lifetime: Deadline;
  #markClosed: () => void = () => undefined;
  #state: SessionState = SESSION_STATES.loading;
  #loadFraction: number | undefined;
  #generation = 0;
  #seed: number;
  #epoch = 0;
  #connectionCount = 0;
  #player: Connection | undefined;
  #lease: WorldLease | undefined;
  #feed: MediaFeed | undefined;
  #hosted: HostedSession | undefined;
  #recordings: SessionRecordings | undefined;
  #bitrate: BitrateController | undefined;
  #stats: SessionStatsMessage | undefined;
  #encoderName = "none";
  #activeSeconds: number;
  #lateFrames = 0;
  #starting: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  /** Nothing runs before `start`. */
  constructor(options: LiveSessionOptions) {
    const { clock, seed, config } = options;
    this.#options = options;
    this.clock = clock;
    this.#seed = seed;
    this.log = new SessionLog(clock);
    this.closed = new Promise((resolve) => (this.#markClosed = resolve));
    this.#grace = new Deadline(clock);
    this.#idle = new Deadline(clock);
    this.#lifetime = new Deadline(clock);
    this.#activeSeconds = clock.nowSeconds();
    this.log.note("created", { world: options.order.world.id, seed });
    this.#grace.set(config.graceSeconds, () => void this.close("grace"));
    this.#lifetime.set(config.lifetimeSeconds, () => void this.close("lifetime"));
    this.#watchIdle();
  }

  /** What it is doing. */
  get state(): SessionState {
    return this.#state;
  }

  /** The world that was asked for. */
  get order(): WorldOrder {
    return this.#options.order;
  }

  /** What it delivers; absent while it loads. */
  get description(): SessionDescription | undefined {
    return this.#lease?.host.description;
  }

  /** The epoch of the connection that was made last. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Those who watch, the player included. */
  get connections(): ReadonlySet<Connection> {
    return this.#connections;
  }

  /** Frames of earlier generations, or that came after the end. */
  get lateFrames(): number {
    return this.#lateFrames;
  }

  /** The session in the world's worker; throws `invalid_state` while it loads. */
  get hosted(): HostedSession {
    if (this.#hosted !== undefined && this.#state !== SESSION_STATES.closed) return this.#hosted;
    throw new DreamloopError(ERROR_CODES.invalidState, `the session is ${this.#state}; wait until it runs`);
  }

  /** Loads the world and lets it run; never rejects: what goes wrong closes the session. */
  start(): Promise<void> {
    this.#starting ??= this.#start().catch((error: unknown) => {
      if (isDreamloopError(error, ERROR_CODES.cancelled)) return;
      void this.close(this.#state === SESSION_STATES.loading ? "load_failed" : "failed", error);
    });
    return this.#starting;
  }

  /** Adds somebody who watches, not yet able to take frames. */
  connect(role: SessionRole, makeOutlet: (hello: { readonly epoch: number }) => Outlet): Connection {
    this.#refuseClosed();
    if (this.#connections.size >= this.#options.config.maxViewers) {
      throw new DreamloopError(ERROR_CODES.busy, `the session has ${this.#connections.size} viewers, its limit`, {
        retryable: true,
        details: { retryAfterSeconds: 5 },
      });
    }
    this.#epoch += 1;
    this.#connectionCount += 1;
    const outlet = makeOutlet({ epoch: this.#epoch });
    const connection = new Connection({ id: this.#connectionCount, role, epoch: this.#epoch, outlet, owner: this });
    this.#connections.add(connection);
    this.log.note("connecting", { connection: connection.id, role, transport: outlet.transport, codec: outlet.codec });
    return connection;
  }

  /** Keeps the session for a player that comes back. */
  touch(): void {
    this.#refuseClosed();
    this.#activeSeconds = this.clock.nowSeconds();
    if (this.#player === undefined) this.#grace.set(this.#options.config.graceSeconds, () => void this.close("grace"));
  }

  /** What everybody who watches is told when it changes. */
  stateMessage(reason?: ErrorRecord): SessionStateMessage {
    return {
      type: "state",
      state: this.#state,
      generation: this.#generation,
      seed: this.#seed,
      ...(this.#loadFraction === undefined ? {} : { loadFraction: this.#loadFraction }),
      ...(reason === undefined ? {} : { reason }),
    };
  }

  /** Everything that is known of it. */
  facts(): SessionFacts {
    const { description } = this;
    return {
      sessionId: this.id,
      world: this.order.world.id,
      state: this.#state,
      generation: this.#generation,
      seed: this.#seed,
      ...(this.#loadFraction === undefined ? {} : { loadFraction: this.#loadFraction }),
      ...(description === undefined ? {} : { description }),
      ...(this.#stats === undefined ? {} : { stats: this.#stats }),
      viewerCount: this.#readyCount,
      recordings: this.#recordings?.facts ?? [],
    };
  }

  /** The recordings that are there; absent when they are switched off. */
  get recordings(): SessionRecordings | undefined {
    return this.#recordings;
  }

  /** Sends a message to everybody who watches. */
  broadcast(message: ServerMessage): void {
    for (const connection of this.#connections) connection.send(message);
  }

  /** Changes the state and tells everybody. */
  setState(state: SessionState, changes: { readonly generation?: number; readonly seed?: number } = {}): void {
    if (this.#state === SESSION_STATES.closed) return;
    this.#state = state;
    this.#generation = changes.generation ?? this.#generation;
    this.#seed = changes.seed ?? this.#seed;
    this.broadcast(this.stateMessage());
  }

  /** Begins a recording; gives its id. */
  async startRecording(): Promise<string> {
    const recordings = this.#needRecordings();
    const { recordingId, videoFile } = await recordings.begin();
    try {
      await this.#feed?.startRecording(videoFile);
    } catch (error) {
      await recordings.abandon();
      throw error;
    }
    this.log.note("recording_started", { recordingId });
    return recordingId;
  }

  /** Ends the recording and says where it is. */
  async stopRecording(): Promise<RecordingFacts> {
    const recordings = this.#needRecordings();
    if (this.#feed === undefined || recordings.activeSeconds === undefined)
      throw new DreamloopError(ERROR_CODES.invalidState, "record_stop: no recording is under way; start one first");
    const facts = await recordings.finish(await this.#feed.stopRecording());
    this.log.note("recording_stopped", { recordingId: facts.recordingId, frames: facts.frameCount });
    return facts;
  }

  /** Takes the events of an input message. */
  pushInput(events: readonly UserInputEventInput[], messageNumber: number): void {
    this.#activeSeconds = this.clock.nowSeconds();
    this.#options.metrics.inputMessages.inc({ outcome: "accepted" });
    this.#hosted?.push(events, { sequence: messageNumber });
  }

  /** Does what a player asked for. */
  handleRequest(request: ControlRequest, connection: Connection): Promise<Readonly<Record<string, unknown>>> {
    if (request.method !== "client_stats" && request.method !== "key_frame") {
      this.#activeSeconds = this.clock.nowSeconds();
      this.log.note("request", { method: request.method });
    }
    return handleRequest({ session: this, connection, metrics: this.#options.metrics }, request);
  }

  /** A viewer needs a key frame. */
  requestKeyFrame(codec: FrameCodec, limiter: TokenBucket | undefined): void {
    let entry = this.#keyFrameGates.get(codec);
    if (entry === undefined) {
      entry = { gate: new KeyFrameGate(), deadline: new Deadline(this.clock) };
      this.#keyFrameGates.set(codec, entry);
    }
    const { gate, deadline } = entry;
    const now = this.clock.nowSeconds();
    const refusedBefore = gate.refused;
    if (gate.request(now, limiter)) {
      this.#feed?.requestKeyFrame(codec);
      this.#options.metrics.keyFrameRequests.inc({ outcome: "granted" });
    } else {
      const outcome = gate.refused > refusedBefore ? "refused" : "coalesced";
      this.#options.metrics.keyFrameRequests.inc({ outcome });
      if (gate.dueSeconds !== undefined && !deadline.isPending) {
        deadline.set(Math.max(0, gate.dueSeconds - now), () => {
          if (gate.advance(this.clock.nowSeconds())) this.#feed?.requestKeyFrame(codec);
        });
      }
    }
  }

  /** Notes what a receiver says of the video: the player's word counts, others' only while there is none. */
  takeFeedback(connection: Connection, feedback: RtcpFeedback): void {
    if (feedback.wantsKeyFrame) connection.wantKeyFrame();
    if (this.#player === undefined || this.#player === connection) this.#bitrate?.report(feedback);
  }

  /** A connection can take frames. */
  connectionReady(connection: Connection): void {
    const { role, outlet, id } = connection;
    this.log.note("connected", { connection: id, role, transport: outlet.transport, codec: outlet.codec });
    if (role === SESSION_ROLES.player) {
      const before = this.#player;
      this.#player = connection;
      this.#grace.clear();
      before?.close({ code: ERROR_CODES.closed, message: "another page took over", retryable: false, details: {} });
    }
    this.#chooseCodecs();
    connection.send(this.stateMessage());
    this.requestKeyFrame(outlet.codec, undefined);
  }

  /** A connection is lost: what its player held is released, and the session waits for a while. */
  connectionLost(connection: Connection, reason: string): void {
    if (!this.#connections.delete(connection)) return;
    const { superseded, refused } = connection.inputCounters;
    const { inputMessages, framesDropped } = this.#options.metrics;
    inputMessages.inc({ outcome: "superseded" }, superseded);
    inputMessages.inc({ outcome: "refused" }, refused);
    framesDropped.inc({ reason: "viewer" }, connection.droppedFrames);
    this.log.note("disconnected", { connection: connection.id, reason, frames: connection.sentFrames });
    if (this.#state === SESSION_STATES.closed) return;
    this.#chooseCodecs();
    if (this.#player !== connection) return;
    this.#player = undefined;
    this.#hosted?.releaseInput("link");
    this.#grace.set(this.#options.config.graceSeconds, () => void this.close("grace"));
  }

  /** Ends it, whatever it is doing; idempotent. Resolves when everything is freed. */
  close(reason: EndReason, error?: unknown): Promise<void> {
    this.#closing ??= this.#end(reason, error);
    return this.#closing;
  }

  get #readyCount(): number {
    return [...this.#connections].filter((connection) => connection.isReady).length;
  }

  async #start(): Promise<void> {
    const { shelf, order, media, config, seed, prompt, recordings, clock } = this.#options;
    const { signal } = this.#loading;
    this.#lease = await shelf.acquire(order, {
      signal,
      onProgress: ({ fraction }) => {
        this.#loadFraction = fraction;
        this.broadcast(this.stateMessage());
      },
    });
    this.#refuseClosed();
    if (recordings !== undefined) {
      const limits = { count: config.maxRecordings, traceBytes: config.recordingBytes };
      this.#recordings = await SessionRecordings.open({ shelf: recordings, sessionId: this.id, limits, clock });
    }
    this.#refuseClosed();
    const { description } = this.#lease.host;
    const start = Math.min(config.maxBitrateBitsPerSecond, Math.round(defaultBitrate(description) * 1.5));
    const min = Math.min(config.minBitrateBitsPerSecond, start);
    this.#bitrate = new BitrateController({ min, start, max: start });
    this.#feed = media.open({
      description,
      bitrateBitsPerSecond: start,
      events: {
        onFrame: (frame) => this.#takeFrame(frame),
        onStats: (stats) => this.#takeStats(stats),
        onEncoder: (settings) => {
          this.#encoderName = `${settings.backend}/${settings.implementation}`;
          this.log.note("encoder", JSON.parse(JSON.stringify(settings)) as Record<string, never>);
        },
        onFault: (fault) => void this.close("failed", fault),
      },
    });
    this.#hosted = this.#lease.host.startSession({
      chunkPort: this.#feed.chunkPort,
      start: {
        seed,
        ...(prompt === undefined ? {} : { initialInputs: { initial: { prompt } } }),
        leadFrames: config.leadSteps * description.framesPerStep,
        ...(this.#recordings === undefined ? {} : { trace: true }),
      },
      onTraceLine: (line) => this.#recordings?.writeTrace(line),
      onWarning: ({ kind, message }) => {
        this.log.note("warning", { kind, message });
        this.broadcast({ type: "notice", kind, message });
      },
      onRefusedEvents: ({ message }) => this.log.note("events_refused", { message }),
    });
    this.#hosted.done.then(
      () => void this.close("completed"),
      (error: unknown) => void this.close("failed", error),
    );
    await this.#hosted.started;
    this.#refuseClosed();
    this.#loadFraction = undefined;
    this.log.note("running", { width: description.width, height: description.height });
    this.setState(SESSION_STATES.running);
    this.#chooseCodecs();
  }

  async #end(reason: EndReason, error: unknown): Promise<void> {
    const record = error === undefined ? undefined : errorToRecord(error);
    this.#state = SESSION_STATES.closed;
    this.log.note("closed", {
      reason,
      ...(record === undefined ? {} : { code: record.code, message: record.message }),
    });
    this.#options.metrics.sessionsEnded.inc({ reason });
    for (const deadline of [this.#grace, this.#idle, this.#lifetime]) deadline.clear();
    for (const { deadline } of this.#keyFrameGates.values()) deadline.clear();
    this.#loading.abort();
    this.broadcast(this.stateMessage(record ?? endRecord(reason)));
    for (const connection of [...this.#connections]) connection.close(record);
    // While it loads, the place is free at once; the load itself counts where loads are counted.
    const wasRunning = this.#hosted !== undefined;
    if (!wasRunning) this.#options.slot.release();
    if (this.#recordings?.activeSeconds !== undefined) await this.stopRecording().catch(() => undefined);
    await this.#hosted?.close();
    await this.#starting;
    await this.#feed?.close();
    this.#feed?.chunkPort.close();
    await this.#recordings?.endTrace();
    this.#lease?.release();
    if (wasRunning) this.#options.slot.release();
    this.#markClosed();
  }

  #takeFrame(frame: MediaFrame): void {
    if (this.#state === SESSION_STATES.closed || frame.generation < this.#generation) {
      this.#lateFrames += 1;
      this.#options.metrics.framesDropped.inc({ reason: "late" });
      return;
    }
    const { metrics } = this.#options;
    const latencySeconds = this.stampClock.nowSeconds() - frame.readSeconds;
    metrics.frameLatency.observe(latencySeconds);
    const metadata = frameMetadata(frame, latencySeconds);
    for (const connection of this.#connections) {
      const before = connection.sentFrames;
      connection.deliver(frame, metadata);
      if (connection.sentFrames === before) continue;
      metrics.framesSent.inc({ transport: connection.outlet.transport, codec: frame.codec });
      metrics.bytesSent.inc(frame.data.byteLength);
    }
  }

  #takeStats(stats: MediaStats): void {
    const main = this.#player ?? [...this.#connections][0];
    this.#stats = {
      type: "stats",
      generatedFramesPerSecond: stats.generatedFramesPerSecond,
      encodedFramesPerSecond: stats.encodedFramesPerSecond,
      modelMilliseconds: stats.modelSeconds * 1000,
      encodeMilliseconds: stats.encodeSeconds * 1000,
      underrunCount: stats.underrunCount,
      drops: { ...stats.drops, late: this.#lateFrames, viewer: main?.droppedFrames ?? 0 },
      targetBitrateBitsPerSecond: stats.bitrateBitsPerSecond,
      codec: main?.outlet.codec ?? "none",
      encoder: this.#encoderName,
      transport: main?.outlet.transport ?? "none",
      viewerCount: this.#readyCount,
    };
    this.broadcast(this.#stats);
    const target = this.#bitrate?.decide(this.clock.nowSeconds(), stats.sentBitsPerSecond);
    if (target !== undefined) {
      this.log.note("bitrate", { bitsPerSecond: target });
      this.#feed?.setBitrate(target);
    }
    void this.#boundRecording();
  }

  async #boundRecording(): Promise<void> {
    const { recordingSeconds, recordingBytes } = this.#options.config;
    const seconds = this.#recordings?.activeSeconds;
    if (seconds === undefined || this.#recordings === undefined) return;
    if (seconds < recordingSeconds && (await this.#recordings.activeBytes()) < recordingBytes) return;
    const facts = await this.stopRecording().catch(() => undefined);
    if (facts === undefined) return;
    const message = `the recording reached its limit and was completed with ${facts.frameCount} frames`;
    this.broadcast({ type: "notice", kind: "recording_limit", message });
  }

  #chooseCodecs(): void {
    const codecs = new Set<FrameCodec>();
    for (const connection of this.#connections) if (connection.isReady) codecs.add(connection.outlet.codec);
    this.#feed?.setCodecs([...codecs]);
  }

  #watchIdle(): void {
    const { idleSeconds } = this.#options.config;
    const rest = this.#activeSeconds + idleSeconds - this.clock.nowSeconds();
    if (rest <= 0) void this.close("idle");
    else this.#idle.set(rest, () => this.#watchIdle());
  }

  #needRecordings(): SessionRecordings {
    if (this.#recordings !== undefined && this.#feed !== undefined) return this.#recordings;
    throw new DreamloopError(
      this.#options.recordings === undefined ? ERROR_CODES.unavailable : ERROR_CODES.invalidState,
      this.#options.recordings === undefined
        ? "recording is switched off on this server"
        : "recording: the session does not run yet",
    );
  }

  #refuseClosed(): void {
    if (this.#state === SESSION_STATES.closed)
      throw new DreamloopError(ERROR_CODES.closed, "the session has ended; start a new one");
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

const END_MESSAGES: Readonly<Record<EndReason, string>> = {
  asked: "the session was ended",
  grace: "the player did not come back in time",
  idle: "nothing was done for too long",
  lifetime: "the session reached its longest time",
  load_failed: "the world could not be loaded",
  failed: "the session failed",
  completed: "the rollout is complete",
  server_closing: "the server is closing",
};

function endRecord(reason: EndReason): ErrorRecord {
  return {
    code: ERROR_CODES.closed,
    message: END_MESSAGES[reason],
    retryable: reason === "server_closing",
    details: { reason },
  };
}
