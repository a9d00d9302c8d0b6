import { DreamloopError, ERROR_CODES, errorFromRecord, errorToRecord } from "@dreamloop/core";
import type {
  ControlMethod,
  ControlRequests,
  RecordingFacts,
  ServerMessage,
  SessionAnswer,
  SessionStateMessage,
  Transport,
  WorldSummary,
} from "@dreamloop/protocol";
import { InputSender } from "../input/input-sender.ts";
import { InputState } from "../input/input-state.ts";
import type { Link, LinkHandlers } from "../link/link.ts";
import { ReconnectPolicy } from "../link/reconnect-policy.ts";
import { Requests } from "../link/requests.ts";
import { Stage, type Surface } from "../present/stage.ts";
import { PlayStatistics, type PlayStats } from "../statistics/play-statistics.ts";
import type { HttpApi } from "../wire/http-api.ts";
import { wrong } from "../wire/read-message.ts";
import { Emitter, type Unsubscribe } from "./emitter.ts";
import type { ClientEnvironment } from "./environment.ts";
import type { ConnectOptions } from "./play-options.ts";
import { Reconnector } from "./reconnector.ts";
import type { PlayEvents, PlayState } from "./session-events.ts";

/** How often statistics are told, in milliseconds. */
const STATS_INTERVAL_MILLISECONDS = 1_000;
/** A link that is silent for so long is lost: the server tells its counters every second. */
const SILENCE_MILLISECONDS = 6_000;

/** What a session is made from. */
export interface PlaySessionParts {
  /** What was asked for. */
  readonly options: ConnectOptions;
  /** The HTTP side of the server. */
  readonly api: HttpApi;
  /** The browser. */
  readonly environment: ClientEnvironment;
  /** Opens the best link for a grant. */
  openLink(grant: SessionAnswer, handlers: LinkHandlers, signal: AbortSignal): Promise<Link>;
}

/** A finished recording with its addresses, ready for links. */
export interface Recording extends RecordingFacts {
  /** Address of the MP4, where there is one. */
  readonly videoUrl?: string;
  /** Address of the trace, where one was kept. */
  readonly traceUrl?: string;
}

/** A world that is being played. Made by `connect`; whoever called that closes it. */
export class PlaySession {
  /** What is held on this client's devices; captures write into it, and so may a page with controls of its own. */
  readonly input = new InputState();
  readonly #parts: PlaySessionParts;
  readonly #events = new Emitter<PlayEvents>();
  readonly #statistics = new PlayStatistics();
  readonly #requests: Requests;
  readonly #sender: InputSender;
  readonly #stage: Stage;
  readonly #reconnector: Reconnector;
  readonly #lifetime = new AbortController();
  #grant: SessionAnswer;
  #link: Link | undefined;
  #state: PlayState;
  #server: SessionStateMessage | undefined;
  #prompt: string | undefined;
  #isRecording = false;
  #lastHeard = 0;
  #statsTimer: unknown;
  #stats: PlayStats | undefined;
  #closing: Promise<void> | undefined;

  /** Use `connect` instead: a session is of use only with a link. */
  constructor(parts: PlaySessionParts, grant: SessionAnswer) {
    const { environment, options } = parts;
    this.#parts = parts;
    this.#grant = grant;
    this.#state = grant.state;
    this.#prompt = options.prompt;
    this.#requests = new Requests(environment);
    this.#sender = new InputSender(environment, this.input, (sent) => this.#statistics.inputSent(sent));
    this.#stage = new Stage(environment, (frame) => {
      this.#statistics.framePresented(frame);
      this.#events.emit("frame", frame);
    });
    this.#reconnector = new Reconnector({
      api: parts.api,
      environment,
      policy: new ReconnectPolicy(() => environment.random(), options.reconnect),
      signal: this.#lifetime.signal,
    });
  }

  /** The world. */
  get world(): WorldSummary {
    return this.#grant.world;
  }

  /** What the session is doing. */
  get state(): PlayState {
    return this.#state;
  }

  /** Seed of the current rollout; `undefined` until the server has told it. */
  get seed(): number | undefined {
    return this.#server?.seed ?? this.#parts.options.seed;
  }

  /** Resets so far. */
  get generation(): number {
    return this.#server?.generation ?? 0;
  }

  /** What the session delivers: size, rate and more; `undefined` while the world loads. */
  get description(): SessionAnswer["description"] {
    return this.#grant.description;
  }

  /** Whether a recording runs. */
  get isRecording(): boolean {
    return this.#isRecording;
  }

  /** The prompt in force, as far as this client knows. */
  get currentPrompt(): string | undefined {
    return this.#prompt;
  }

  /** How much of the load is done, 0 to 1, where it is known. */
  get loadFraction(): number | undefined {
    return this.#server?.loadFraction;
  }

  /** How video and input travel; `undefined` while there is no link. */
  get transport(): Transport | undefined {
    return this.#link?.kind;
  }

  /** The session's identifier. */
  get sessionId(): string {
    return this.#grant.sessionId;
  }

  /** What a viewer needs in place of the player's token: part of the WHEP address `/whep/<viewerToken>`. */
  get viewerToken(): string {
    return this.#grant.viewerToken;
  }

  /** Statistics of the last second; `undefined` before the first. */
  get stats(): PlayStats | undefined {
    return this.#stats;
  }

  /** The element that pictures are in right now. */
  get pictureElement(): HTMLVideoElement | HTMLCanvasElement | undefined {
    return this.#stage.element;
  }

  /** Listens until the returned function is called. */
  on<Name extends keyof PlayEvents>(name: Name, listener: (event: PlayEvents[Name]) => void): Unsubscribe {
    return this.#events.on(name, listener);
  }

  /** Shows the pictures in a video, on a canvas, or in an element of the client's own inside a container. */
  attach(surface: Surface): void {
    this.#stage.attach(surface);
  }

  /** Shows the pictures nowhere. */
  detach(): void {
    this.#stage.attach(undefined);
  }

  /** To be called after every change of `input`, so that it is sent. */
  inputChanged(): void {
    this.#sender.changed();
  }

  /** Sets a new prompt at the next step. */
  async prompt(prompt: string, options: { readonly negativePrompt?: string } = {}): Promise<void> {
    await this.request("prompt", { prompt, ...options });
    this.#prompt = prompt;
  }

  /** Starts the rollout again, with another seed where one is given. */
  async reset(options: { readonly seed?: number } = {}): Promise<void> {
    await this.request("reset", options);
  }

  /** Session time stands still. */
  async pause(): Promise<void> {
    await this.request("pause", {});
  }

  /** Session time goes on. */
  async resume(): Promise<void> {
    await this.request("resume", {});
  }

  /** While paused: makes one step. */
  async step(): Promise<void> {
    await this.request("step", {});
  }

  /** Starts a recording on the server. */
  async startRecording(): Promise<void> {
    await this.request("record_start", {});
    this.#isRecording = true;
  }

  /** Ends the recording; gives the addresses of video and trace, valid while the session lives. */
  async stopRecording(): Promise<Recording> {
    const answer = (await this.request("record_stop", {})) as unknown as RecordingFacts;
    this.#isRecording = false;
    if (typeof answer.recordingId !== "string") {
      throw wrong("RecordingFacts.recordingId", "a string", answer.recordingId);
    }
    const { videoPath, tracePath } = answer;
    const { api } = this.#parts;
    return {
      ...answer,
      ...(videoPath === undefined ? {} : { videoUrl: api.fileUrl(videoPath, this.#grant) }),
      ...(tracePath === undefined ? {} : { traceUrl: api.fileUrl(tracePath, this.#grant) }),
    };
  }

  /** Sends any request of the protocol; resolves with its result, rejects with the server's error. */
  request<Method extends ControlMethod>(
    method: Method,
    params: ControlRequests[Method],
  ): Promise<Readonly<Record<string, unknown>>> {
    const link = this.#link;
    if (link !== undefined) return this.#requests.ask((message) => link.sendControl(message), method, params);
    const message = `"${method}" cannot be sent: ${this.#closing === undefined ? "the connection is interrupted" : "the session is closed"}`;
    const code = this.#closing === undefined ? ERROR_CODES.unavailable : ERROR_CODES.closed;
    return Promise.reject(new DreamloopError(code, message, { retryable: this.#closing === undefined }));
  }

  /** Opens the first link. `connect` calls it; rejects when no transport works. */
  async open(): Promise<void> {
    await this.#openLink(this.#grant);
    this.#statsTimer = this.#parts.environment.setTimer(() => this.#tick(), STATS_INTERVAL_MILLISECONDS);
  }

  /** The network came back: a reconnect that waits is made now. */
  networkReturned(): void {
    this.#reconnector.hurry();
  }

  /** Ends the session, on the server too. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#end(undefined);
    return this.#closing;
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #openLink(grant: SessionAnswer): Promise<void> {
    let opened: Link | undefined;
    const handlers: LinkHandlers = {
      onMessage: (message) => this.#read(message),
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
    this.#lastHeard = this.#parts.environment.now();
    this.#stage.setSource(link.source);
    this.#sender.connect(link, link.epoch);
    this.#setState(this.#server?.state ?? grant.state);
    this.#events.emit("transport", link.kind);
  }

  #read(message: ServerMessage): void {
    const now = this.#parts.environment.now();
    this.#lastHeard = now;
    switch (message.type) {
      case "frame":
        this.#statistics.frameReceived(message, now);
        this.#stage.addMetadata(message);
        break;
      case "state":
        this.#server = message;
        this.#events.emit("server", message);
        if (message.state === "closed") {
          this.#closing ??= this.#end(message.reason === undefined ? undefined : errorFromRecord(message.reason));
        } else if (this.#link !== undefined) this.#setState(message.state);
        break;
      case "stats":
        this.#statistics.serverStats(message);
        break;
      case "input_echo":
        this.#statistics.echoReceived(message.sentAtMilliseconds, now);
        break;
      case "notice":
        this.#events.emit("notice", message);
        break;
      case "response":
        this.#requests.answer(message);
        break;
      case "welcome":
      case "connected":
        break;
    }
  }

  #lost(cause: DreamloopError): void {
    if (this.#closing !== undefined) return;
    this.#dropLink("the connection was lost");
    this.#setState("reconnecting");
    const { options, api } = this.#parts;
    const recreate = async (): Promise<SessionAnswer> => {
      const { seed } = this;
      const { world, preset, size } = options;
      const fresh = await api.create(
        {
          world,
          ...(preset === undefined ? {} : { preset }),
          ...(seed === undefined ? {} : { seed }),
          ...(size === undefined ? {} : { size }),
          ...(this.#prompt === undefined ? {} : { prompt: this.#prompt }),
        },
        this.#lifetime.signal,
      );
      this.#server = undefined;
      this.#isRecording = false;
      const message = "The server has lost the session; a new one was started with the same seed and prompt.";
      this.#events.emit("notice", { kind: "session_restarted", message });
      return fresh;
    };
    this.#reconnector
      .run({
        grant: this.#grant,
        cause,
        open: (grant) => this.#openLink(grant),
        ...(options.recreate === false ? {} : { recreate }),
      })
      .catch((error: unknown) => {
        this.#closing ??= this.#end(errorFromRecord(errorToRecord(error)));
      });
  }

  #dropLink(why: string): void {
    const link = this.#link;
    this.#link = undefined;
    this.#sender.connect(undefined);
    this.#statistics.interrupted();
    this.#requests.rejectAll(why);
    link?.close();
  }

  #setState(state: PlayState): void {
    if (state === this.#state) return;
    if (this.#state === "paused" || state === "paused") this.#statistics.interrupted();
    this.#state = state;
    this.#events.emit("state", state);
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
    const before = this.#stats?.quality;
    const stats = this.#statistics.read({
      now,
      transport: link.kind,
      clientDrops: this.#stage.drops,
      targetFramesPerSecond: this.#grant.description?.framesPerSecond ?? this.world.framesPerSecond,
      isRunning: this.#state === "running",
    });
    this.#stats = stats;
    this.#events.emit("stats", stats);
    const { quality } = stats;
    if (before?.level !== quality.level || before.cause !== quality.cause) this.#events.emit("quality", quality);
    link.sendControl(
      JSON.stringify({ type: "request", id: 0, method: "client_stats", params: this.#clientStats(stats) }),
    );
  }

  #clientStats(stats: PlayStats): ControlRequests["client_stats"] {
    const photon = stats.inputToPhoton;
    const dropped = Object.values(this.#stage.drops).reduce((sum, count) => sum + count, 0);
    return {
      presentedFrames: stats.presentedFrames,
      droppedFrames: dropped,
      ...(photon === undefined ? {} : { inputToPhotonSeconds: photon.p50 / 1000 }),
    };
  }

  async #end(reason: DreamloopError | undefined): Promise<void> {
    const grant = this.#grant;
    const wasServersWish = reason !== undefined || this.#server?.state === "closed";
    this.#parts.environment.clearTimer(this.#statsTimer);
    this.#lifetime.abort(new DreamloopError(ERROR_CODES.closed, "the session was closed"));
    this.#dropLink("the session was closed");
    this.#sender.close();
    this.#stage.close();
    this.#setState("closed");
    // A server that cannot be told ends the session by itself after its grace time.
    if (!wasServersWish) await this.#parts.api.remove(grant).catch(() => undefined);
    this.#events.emit("closed", reason);
    this.#events.clear();
  }
}
