import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { errorFromRecord, errorToRecord } from "@dreamloop/core/internal";
import {
  SESSION_STATES,
  type ControlMethod,
  type ControlRequests,
  type FrameMetadata,
  type ServerMessage,
  type SessionAnswer,
  type SessionStateMessage,
} from "@dreamloop/protocol";
import { InputSender } from "../input/input-sender.ts";
import type { Link, LinkHandlers } from "../link/link.ts";
import { ReconnectPolicy } from "./reconnect-policy.ts";
import { Requests } from "../link/requests.ts";
import { PictureStage } from "../present/stage.ts";
import { clientStatsOf, PlayStatistics, type PlayStats } from "./statistics/play-statistics.ts";
import { createSession } from "./create-session.ts";
import type { ConnectionParts } from "./session-parts.ts";
import { Reconnector } from "./reconnector.ts";
import { PICTURE_STATES, type PictureState, type PlayState } from "./session-events.ts";

/** How often statistics are told, in milliseconds. */
const STATS_INTERVAL_MILLISECONDS = 1_000;
/** A link that is silent for so long is lost: the server tells its counters every second. */
const SILENCE_MILLISECONDS = 6_000;
/** Frames that arrive for so long while none is shown can be shown in no way on this link. */
const UNSEEN_MILLISECONDS = 5_000;
/** A running world that has sent nothing for so long is late. */
const LATE_MILLISECONDS = 10_000;

/** Keeps a session connected: opens its link, reads what comes, takes it up again when it is lost, and measures. */
export class LiveConnection {
  readonly stage: PictureStage;
  readonly sender: InputSender;
  readonly #parts: ConnectionParts;
  readonly #statistics = new PlayStatistics();
  readonly #requests: Requests;
  readonly #reconnector: Reconnector;
  readonly #lifetime = new AbortController();
  readonly #receivedAt = new WeakMap<FrameMetadata, number>();
  #grant: SessionAnswer;
  #link: Link | undefined;
  #state: PlayState;
  #server: SessionStateMessage | undefined;
  #lastHeard = 0;
  #isCompleting = false;
  #picture: PictureState = PICTURE_STATES.waiting;
  #wasConnected = false;
  /** Since when frames have arrived and none was shown, although one should have been. */
  #unseenSince: number | undefined;
  /** Since when a picture is waited for while the world runs. */
  #emptySince: number | undefined;
  #statsTimer: unknown;
  #stats: PlayStats | undefined;
  #closing: Promise<void> | undefined;

  /** For the session of `grant`; `open` connects. */
  constructor(parts: ConnectionParts, grant: SessionAnswer) {
    const { environment, options, events } = parts;
    this.#parts = parts;
    this.#grant = grant;
    this.#state = grant.state;
    this.#requests = new Requests(environment);
    this.sender = new InputSender(environment, parts.input, (sent) => this.#statistics.inputSent(sent));
    this.stage = new PictureStage(
      environment,
      (shown) => {
        const received = shown.metadata === undefined ? undefined : this.#receivedAt.get(shown.metadata);
        const frame = received === undefined ? shown : { ...shown, receivedAtMilliseconds: received };
        this.#unseenSince = undefined;
        this.#emptySince = undefined;
        // A video that may not play shows its first frame all the same.
        if (this.#picture !== PICTURE_STATES.needsGesture) this.#setPicture(PICTURE_STATES.shown);
        this.#statistics.framePresented(frame);
        events.emit("frame", frame);
      },
      (isRefused) => this.#setPicture(isRefused ? PICTURE_STATES.needsGesture : PICTURE_STATES.waiting),
    );
    this.#reconnector = new Reconnector({
      api: parts.api,
      environment,
      policy: new ReconnectPolicy(() => environment.random(), options.reconnect),
      signal: this.#lifetime.signal,
    });
  }

  /** The newest answer to a creation or a resumption. */
  get grant(): SessionAnswer {
    return this.#grant;
  }

  /** The link that stands; `undefined` while there is none. */
  get link(): Link | undefined {
    return this.#link;
  }

  /** Where the picture is. */
  get picture(): PictureState {
    return this.#picture;
  }

  /** Whether there has been a link. */
  get wasConnected(): boolean {
    return this.#wasConnected;
  }

  /** What the session is doing. */
  get state(): PlayState {
    return this.#state;
  }

  /** What the server told last of its state. */
  get server(): SessionStateMessage | undefined {
    return this.#server;
  }

  /** Statistics of the last second. */
  get stats(): PlayStats | undefined {
    return this.#stats;
  }

  /** Sends a request; resolves with its result, rejects with the server's error. */
  request<Method extends ControlMethod>(
    method: Method,
    params: ControlRequests[Method],
  ): Promise<Readonly<Record<string, unknown>>> {
    const link = this.#link;
    if (link !== undefined) return this.#requests.ask((message) => link.sendControl(message), method, params);
    const isOver = this.#closing !== undefined;
    const message = `"${method}" cannot be sent: ${isOver ? "the session is closed" : "the connection is interrupted"}`;
    const code = isOver ? ERROR_CODES.closed : ERROR_CODES.unavailable;
    return Promise.reject(new DreamloopError(code, message, { retryable: !isOver }));
  }

  /** Opens the first link; rejects when no transport works. */
  async open(): Promise<void> {
    await this.#openLink(this.#grant);
    this.#statsTimer = this.#parts.environment.setTimer(() => this.#tick(), STATS_INTERVAL_MILLISECONDS);
  }

  /** The network came back: a reconnect that waits is made now. */
  hurry(): void {
    this.#reconnector.hurry();
  }

  /** Ends the session, on the server too. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#end(undefined);
    return this.#closing;
  }

  async #openLink(grant: SessionAnswer): Promise<void> {
    let opened: Link | undefined;
    const handlers: LinkHandlers = {
      onMessage: (message) => this.#read(message),
      onPictureFailed: () => {
        if (opened !== undefined && opened === this.#link) this.#pictureFailed(opened);
      },
      // One that fails while it opens rejects, and whoever opens it decides what follows.
      onClosed: (reason) => {
        if (opened !== undefined && opened === this.#link) this.#lost(reason);
      },
    };
    const link = await this.#parts.openLink(grant, handlers, this.#lifetime.signal);
    if (this.#closing !== undefined) {
      link.close();
      return;
    }
    this.#grant = grant;
    this.#link = opened = link;
    this.#wasConnected = true;
    this.#unseenSince = undefined;
    this.#lastHeard = this.#parts.environment.now();
    this.stage.setSource(link.source);
    this.sender.connect(link, link.epoch);
    this.#setState(this.#server?.state ?? grant.state);
    this.#parts.events.emit("transport", link.kind);
  }

  #read(message: ServerMessage): void {
    const now = this.#parts.environment.now();
    this.#lastHeard = now;
    switch (message.type) {
      case "frame":
        this.#statistics.frameReceived(message, now);
        this.#unseenSince = this.stage.expectsPicture ? (this.#unseenSince ?? now) : undefined;
        this.#receivedAt.set(message, now);
        this.stage.addMetadata(message);
        break;
      case "state":
        this.#server = message;
        this.#parts.events.emit("server", message);
        if (message.state === "closed") {
          this.#ended(message.reason === undefined ? undefined : errorFromRecord(message.reason));
        } else {
          if (message.state !== SESSION_STATES.loading) this.#completeGrant();
          if (this.#link !== undefined) this.#setState(message.state);
        }
        break;
      case "stats":
        this.#statistics.serverStats(message);
        break;
      case "token":
        this.#grant = { ...this.#grant, token: message.token, tokenSeconds: message.tokenSeconds };
        break;
      case "input_echo":
        this.#statistics.echoReceived(message.sentAtMilliseconds, now);
        break;
      case "notice":
        this.#parts.events.emit("notice", message);
        break;
      case "response":
        this.#requests.answer(message);
        break;
      default:
        break;
    }
  }

  /** What an answer during a load could not tell, the server tells now. */
  #completeGrant(): void {
    const grant = this.#grant;
    if (this.#isCompleting || (grant.description !== undefined && grant.world.loaded)) return;
    this.#isCompleting = true;
    const { api, events } = this.#parts;
    const { signal } = this.#lifetime;
    Promise.all([api.facts(grant, signal), api.worlds(signal)])
      .then(([{ description }, worlds]) => {
        // A token that was renewed meanwhile makes another grant of the same session.
        const newest = this.#grant;
        if (newest.sessionId !== grant.sessionId) return;
        const world = worlds.find(({ id }) => id === grant.world.id) ?? grant.world;
        this.#grant = { ...newest, world, ...(description === undefined ? {} : { description }) };
        events.emit("world", world);
      })
      // Without it legend and rates stay unknown; a link that is gone is noticed elsewhere.
      .catch(() => undefined)
      .finally(() => (this.#isCompleting = false));
  }

  /** The server has ended the session. One that stops will be there again: then it is like one that crashed, and knows the session no more. */
  #ended(reason: DreamloopError | undefined): void {
    const isPassing = reason?.retryable === true && this.#link !== undefined && this.#parts.options.recreate !== false;
    if (isPassing) this.#lost(reason, { isForgotten: true });
    else this.#closing ??= this.#end(reason);
  }

  /** Frames come and cannot be shown: the next way of bringing them is tried, and the last one says so. */
  #pictureFailed(link: Link): void {
    this.#unseenSince = undefined;
    if (!this.#parts.fallback.failed(link)) {
      this.#setPicture(PICTURE_STATES.failed);
      return;
    }
    const way = link.codec ?? link.kind;
    const message = `this browser cannot show the pictures that come by ${way}; another way is tried`;
    this.#lost(new DreamloopError(ERROR_CODES.unavailable, message, { retryable: true }));
  }

  #setPicture(picture: PictureState): void {
    if (picture === this.#picture) return;
    this.#picture = picture;
    this.#parts.events.emit("picture", picture);
  }

  #lost(cause: DreamloopError, options: { readonly isForgotten?: boolean } = {}): void {
    if (this.#closing !== undefined) return;
    this.#dropLink("the connection was lost");
    this.#setState("reconnecting");
    const { options: wishes, api } = this.#parts;
    const recreate = async (): Promise<SessionAnswer> => {
      const seed = this.#server?.seed ?? wishes.seed;
      const prompt = this.#parts.currentPrompt();
      const fresh = await createSession(api, { ...wishes, seed, prompt, signal: this.#lifetime.signal });
      this.#server = undefined;
      const message = "The server has lost the session; a new one was started with the same seed and prompt.";
      this.#parts.events.emit("notice", { kind: "session_restarted", message });
      return fresh;
    };
    this.#reconnector
      .run({
        grant: this.#grant,
        cause,
        isForgotten: options.isForgotten === true,
        open: (grant) => this.#openLink(grant),
        ...(wishes.recreate === false ? {} : { recreate }),
      })
      .catch((error: unknown) => {
        this.#closing ??= this.#end(errorFromRecord(errorToRecord(error)));
      });
  }

  #dropLink(why: string): void {
    const link = this.#link;
    this.#link = undefined;
    this.sender.connect(undefined);
    this.#statistics.interrupted();
    this.#requests.rejectAll(why);
    link?.close();
  }

  #setState(state: PlayState): void {
    if (state === this.#state) return;
    this.#statistics.interrupted();
    this.#state = state;
    this.#parts.events.emit("state", state);
  }

  #tick(): void {
    const { environment } = this.#parts;
    const now = environment.now();
    const link = this.#link;
    this.#statsTimer = environment.setTimer(() => this.#tick(), STATS_INTERVAL_MILLISECONDS);
    if (link === undefined) return;
    if (now - this.#lastHeard > SILENCE_MILLISECONDS) {
      const message = `nothing was heard from the server for ${SILENCE_MILLISECONDS / 1000} s`;
      this.#lost(new DreamloopError(ERROR_CODES.unavailable, message, { retryable: true }));
      return;
    }
    if (this.#unseenSince !== undefined && now - this.#unseenSince > UNSEEN_MILLISECONDS) {
      this.#pictureFailed(link);
      if (this.#link === undefined) return;
    }
    this.#watchForPicture(now);
    const before = this.#stats?.quality;
    const stats = this.#statistics.read({
      now,
      transport: link.kind,
      clientDrops: this.stage.drops,
      targetFramesPerSecond: this.#grant.description?.framesPerSecond ?? this.#grant.world.framesPerSecond,
      isRunning: this.#state === "running",
    });
    this.#stats = stats;
    this.#parts.events.emit("stats", stats);
    const { quality } = stats;
    if (before?.level !== quality.level || before.cause !== quality.cause) this.#parts.events.emit("quality", quality);
    link.sendControl(
      JSON.stringify({
        type: "request",
        id: 0,
        method: "client_stats",
        params: clientStatsOf(stats, this.stage.drops),
      }),
    );
  }

  #watchForPicture(now: number): void {
    const isEmpty = this.#state === "running" && this.#picture === PICTURE_STATES.waiting && this.stage.expectsPicture;
    this.#emptySince = isEmpty ? (this.#emptySince ?? now) : undefined;
    if (this.#emptySince !== undefined && now - this.#emptySince >= LATE_MILLISECONDS) {
      this.#setPicture(PICTURE_STATES.late);
    }
  }

  async #end(reason: DreamloopError | undefined): Promise<void> {
    const grant = this.#grant;
    const wasServersWish = reason !== undefined || this.#server?.state === "closed";
    this.#parts.environment.clearTimer(this.#statsTimer);
    this.#lifetime.abort(new DreamloopError(ERROR_CODES.closed, "the session was closed"));
    this.#dropLink("the session was closed");
    this.sender.close();
    this.stage.close();
    this.#setState("closed");
    // A server that cannot be told ends the session by itself after its grace time.
    if (!wasServersWish) await this.#parts.api.remove(grant).catch(() => undefined);
    this.#parts.events.emit("closed", reason);
    this.#parts.events.clear();
  }
}
