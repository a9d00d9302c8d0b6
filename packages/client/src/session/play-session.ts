import type { RewindAnswer } from "@dreamloop/core";
import type { HistoryFacts, MomentPosition } from "@dreamloop/core/internal";
import type {
  ControlMethod,
  ControlRequests,
  RecordingFacts,
  SessionAnswer,
  Transport,
  WorldSummary,
} from "@dreamloop/protocol";
import { askBeforeLeaving } from "../browser/page-life.ts";
import { InputState } from "../input/input-state.ts";
import type { AttachOptions, Surface } from "../present/stage.ts";
import type { PlayStats } from "./statistics/play-statistics.ts";
import { wrong } from "../wire/read-message.ts";
import { Emitter, type Unsubscribe } from "./emitter.ts";
import type { KeptSession } from "./kept-session.ts";
import { LiveConnection } from "./live-connection.ts";
import type { PictureState, PlayEvents, PlayState } from "./session-events.ts";
import type { PlaySessionParts } from "./session-parts.ts";

/** The kind of the notice that tells of a session which had to be started anew. */
export const SESSION_RESTARTED = "session_restarted";

/** The kind of the notice that tells of words in a prompt which the world does not know. */
export const PROMPT_WORDS = "prompt_words";

/** Notices that are kept until somebody listens; the oldest are dropped. */
const MAX_EARLY_NOTICES = 8;

/** The kind of the notice that tells of a recording which the server has completed because it reached its limit; its `details` are `RecordingFacts`. */
export const RECORDING_LIMIT = "recording_limit";

/** A finished recording with its addresses, ready for links. */
export interface Recording extends RecordingFacts {
  /** Address of the MP4, where there is one. */
  readonly videoUrl?: string;
  /** Address of the trace, where one was kept. */
  readonly traceUrl?: string;
}

/** How a session is forked. */
export interface ForkOptions {
  /** The moment to begin from; default the next step. */
  readonly at?: MomentPosition;
  /** Seed of every draw from there on; default the same. */
  readonly seed?: number;
  /** Prompt from there on; default the same. */
  readonly prompt?: string;
  /** Whether both sessions take the same input, so that two futures can be compared under the same keys; default false. */
  readonly sharesInput?: boolean;
  /** Gives up. */
  readonly signal?: AbortSignal;
}

/** A world that is being played. Made by `connect`; whoever called that closes it. */
export class PlaySession {
  /** What is held on this client's devices; captures write into it, and so may a page with controls of its own. */
  readonly input: InputState;
  readonly #followers = new Set<PlaySession>();
  readonly #parts: PlaySessionParts;
  readonly #events = new Emitter<PlayEvents>();
  readonly #connection: LiveConnection;
  #prompt: string | undefined;
  #promptBefore: string | undefined;
  #early: PlayEvents["notice"][] | undefined = [];
  /** While a recording runs: has the browser ask no more. */
  #stopAsking: (() => void) | undefined;

  /** Use `connect` instead: a session is of use only with a link. `kept` is what a page before this one left of it. */
  constructor(parts: PlaySessionParts, grant: SessionAnswer, kept?: Pick<KeptSession, "prompt" | "isRecording">) {
    this.#parts = parts;
    this.#prompt = kept === undefined ? parts.options.prompt : kept.prompt;
    this.#setRecording(kept?.isRecording === true);
    const input = parts.input ?? new InputState();
    this.input = input;
    const events = this.#events;
    this.#connection = new LiveConnection({ ...parts, input, events, currentPrompt: () => this.#prompt }, grant);
    this.#events.on("notice", (notice) => this.#takeNotice(notice));
    this.#events.on("closed", () => this.#setRecording(false));
  }

  /** The world. */
  get world(): WorldSummary {
    return this.#connection.grant.world;
  }

  /** What the session is doing. */
  get state(): PlayState {
    return this.#connection.state;
  }

  /** Seed of the current rollout; `undefined` until the server has told it. */
  get seed(): number | undefined {
    return this.#connection.server?.seed ?? this.#parts.options.seed;
  }

  /** Resets so far. */
  get generation(): number {
    return this.#connection.server?.generation ?? 0;
  }

  /** What the session delivers: size, rate and more; `undefined` while the world loads. */
  get description(): SessionAnswer["description"] {
    return this.#connection.grant.description;
  }

  /** Whether a recording runs; the browser asks before the page is left meanwhile. */
  get isRecording(): boolean {
    return this.#stopAsking !== undefined;
  }

  /** Where the picture is: shown, waited for, in need of a click, or failed. */
  get picture(): PictureState {
    return this.#connection.picture;
  }

  /** Whether a later page can come back to it: it has been connected, and its world is loaded. */
  get isKeepable(): boolean {
    const { state } = this;
    return this.#connection.wasConnected && state !== "closed" && state !== "loading";
  }

  /** The newest answer to a creation or a resumption. */
  get grant(): SessionAnswer {
    return this.#connection.grant;
  }

  /** What a later page has to know beside that to come back to it. */
  get kept(): Pick<KeptSession, "prompt" | "isRecording"> {
    const { isRecording } = this;
    return this.#prompt === undefined ? { isRecording } : { prompt: this.#prompt, isRecording };
  }

  /** The prompt in force, as far as this client knows. */
  get currentPrompt(): string | undefined {
    return this.#prompt;
  }

  /** How much of the load is done, 0 to 1, where it is known. */
  get loadFraction(): number | undefined {
    return this.#connection.server?.loadFraction;
  }

  /** How video and input travel; `undefined` while there is no link. */
  get transport(): Transport | undefined {
    return this.#connection.link?.kind;
  }

  /** The session's identifier. */
  get sessionId(): string {
    return this.#connection.grant.sessionId;
  }

  /** What a viewer needs in place of the player's token: part of the WHEP address `/whep/<viewerToken>`. */
  get viewerToken(): string {
    return this.#connection.grant.viewerToken;
  }

  /** Statistics of the last second; `undefined` before the first. */
  get stats(): PlayStats | undefined {
    return this.#connection.stats;
  }

  /** The element that pictures are in right now. */
  get pictureElement(): HTMLVideoElement | HTMLCanvasElement | undefined {
    return this.#connection.stage.element;
  }

  /** Listens until the returned function is called. Notices that came before anybody listened to them are told to the first who does. */
  on<Name extends keyof PlayEvents>(name: Name, listener: (event: PlayEvents[Name]) => void): Unsubscribe {
    const early = name === "notice" ? this.#early : undefined;
    if (name === "notice") this.#early = undefined;
    const stop = this.#events.on(name, listener);
    for (const notice of early ?? []) this.#events.tell(listener, notice as PlayEvents[Name]);
    return stop;
  }

  /** Shows the pictures in a video, on a canvas, or in an element of the client's own inside a container. */
  attach(surface: Surface, options: AttachOptions = {}): void {
    this.#connection.stage.attach(surface, options);
  }

  /** Plays a picture that the browser refused to play by itself (`picture` is `needs_gesture`); to be called from a click or a key. */
  async showPicture(): Promise<void> {
    await this.#connection.stage.play();
  }

  /** Shows the pictures nowhere. */
  detach(): void {
    this.#connection.stage.attach(undefined);
  }

  /** To be called after every change of `input`, so that it is sent. */
  inputChanged(): void {
    this.#connection.sender.changed();
    for (const follower of this.#followers) follower.inputChanged();
  }

  /** Sets a new prompt at the next step. */
  async prompt(prompt: string, options: { readonly negativePrompt?: string } = {}): Promise<void> {
    await this.request("prompt", { prompt, ...options });
    this.#promptBefore = this.#prompt;
    this.#prompt = prompt;
  }

  /** Starts the rollout again, with another seed where one is given. */
  async reset(options: { readonly seed?: number } = {}): Promise<void> {
    await this.request("reset", options);
  }

  /**
   * Goes back to a moment of the history and continues from there; resolves with the new generation and the moment. Rejects with `not_found` for a moment
   * that the server no longer keeps, `unavailable` where the world or the server keeps none.
   */
  async rewind(to: MomentPosition | { readonly secondsAgo: number }): Promise<RewindAnswer> {
    return (await this.request("rewind", to)) as unknown as RewindAnswer;
  }

  /** What the history of the session holds: its generations, as a tree, and how far back each can be gone to. */
  async history(): Promise<HistoryFacts> {
    return (await this.request("history", {})) as unknown as HistoryFacts;
  }

  /** A moment of the session as a file that opens at exactly this moment; by default the next step. */
  saveMoment(options: { readonly at?: MomentPosition; readonly name?: string } = {}): Promise<Blob> {
    return this.#parts.api.moment(this.#connection.grant, options);
  }

  /**
   * Begins another session from a moment of this one, by default the next step, with the same or another seed or prompt, and connects to it. Rejects as
   * `connect` does. The caller closes it.
   */
  async fork(options: ForkOptions = {}): Promise<PlaySession> {
    const { at, seed, prompt, sharesInput = false, signal } = options;
    const changes = { ...(seed === undefined ? {} : { seed }), ...(prompt === undefined ? {} : { prompt }) };
    const request = { ...(at === undefined ? {} : { at }), ...changes };
    const grant = await this.#parts.api.fork(this.#connection.grant, request, signal);
    const known = this.#prompt === undefined ? {} : { prompt: this.#prompt };
    const order = { ...known, ...changes, ...(signal === undefined ? {} : { signal }) };
    const fork = await this.#parts.openFork(grant, order, sharesInput ? this.input : undefined);
    if (sharesInput) {
      this.#followers.add(fork);
      fork.on("closed", () => void this.#followers.delete(fork));
    }
    return fork;
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
    this.#setRecording(true);
  }

  /** Ends the recording; gives the addresses of video and trace, valid while the session lives. */
  async stopRecording(): Promise<Recording> {
    const answer = await this.request("record_stop", {});
    this.#setRecording(false);
    return this.recordingOf(answer);
  }

  /** Adds the addresses to what the server tells of a recording, such as in the `details` of the notice `RECORDING_LIMIT`. */
  recordingOf(facts: Readonly<Record<string, unknown>>): Recording {
    const answer = facts as unknown as RecordingFacts;
    if (typeof answer.recordingId !== "string") {
      throw wrong("RecordingFacts.recordingId", "a string", answer.recordingId);
    }
    const { videoPath, tracePath } = answer;
    const { api } = this.#parts;
    return {
      ...answer,
      ...(videoPath === undefined ? {} : { videoUrl: api.fileUrl(videoPath, this.#connection.grant) }),
      ...(tracePath === undefined ? {} : { traceUrl: api.fileUrl(tracePath, this.#connection.grant) }),
    };
  }

  /** Sends any request of the protocol; resolves with its result, rejects with the server's error. */
  request<Method extends ControlMethod>(
    method: Method,
    params: ControlRequests[Method],
  ): Promise<Readonly<Record<string, unknown>>> {
    return this.#connection.request(method, params);
  }

  /** Opens the first link. `connect` calls it; rejects when no transport works. */
  open(): Promise<void> {
    return this.#connection.open();
  }

  /** The network came back: a reconnect that waits is made now. */
  networkReturned(): void {
    this.#connection.hurry();
  }

  /** Ends the session, on the server too. Idempotent. */
  close(): Promise<void> {
    return this.#connection.close();
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #setRecording(isRecording: boolean): void {
    if (isRecording) this.#stopAsking ??= askBeforeLeaving();
    else {
      this.#stopAsking?.();
      this.#stopAsking = undefined;
    }
  }

  #takeNotice(notice: PlayEvents["notice"]): void {
    const { kind, details } = notice;
    if (kind === SESSION_RESTARTED || kind === RECORDING_LIMIT) this.#setRecording(false);
    // A prompt that changed nothing leaves the one before in force.
    if (kind === PROMPT_WORDS && details?.input === "prompt" && details.applied === false) {
      this.#prompt = this.#promptBefore;
    }
    if (this.#early !== undefined) this.#early = [...this.#early, notice].slice(-MAX_EARLY_NOTICES);
  }
}
