import { DreamloopError, ERROR_CODES, type Clock, type UserInputEventInput } from "@dreamloop/core";
import { isPlainObject, type ErrorRecord } from "@dreamloop/core/internal";
import { clientRecord } from "../platform/http/client-record.ts";
import {
  PROTOCOL_LIMITS,
  readControlRequest,
  type ControlRequest,
  type FrameCodec,
  type FrameMetadata,
  type IceCandidate,
  type ControlMethod,
  type ServerMessage,
} from "@dreamloop/protocol";
import { InputGate, type InputGateCounters } from "./input-gate.ts";
import type { MediaFrame } from "../media/media-messages.ts";
import { TokenBucket } from "../platform/limits/token-bucket.ts";
import type { SessionRole } from "../platform/security/session-token.ts";
import { KeyFrameGate } from "./key-frame-gate.ts";
import type { Inlet, Outlet } from "../transport/outlet/outlet.ts";
import type { ReceiverFeedback } from "../transport/outlet/receiver-feedback.ts";

/** What a connection needs of its session. */
export interface ConnectionOwner {
  /** Times rates and waits. */
  readonly clock: Clock;
  /** Stamps input: the clock of the process, which all threads share. */
  readonly stampClock: Clock;
  /** Takes the events of an input message. */
  pushInput(events: readonly UserInputEventInput[], messageNumber: number): void;
  /** Does what a player asked for; the result goes back. */
  handleRequest(request: ControlRequest, connection: Connection): Promise<Readonly<Record<string, unknown>>>;
  /** The receiver reports on its video. */
  takeFeedback(connection: Connection, feedback: ReceiverFeedback): void;
  /** A key frame is wanted; the limiter is the viewer's own. */
  requestKeyFrame(codec: FrameCodec, limiter: TokenBucket): void;
  /** Frames can be sent from now on. */
  connectionReady(connection: Connection): void;
  /** The connection is lost. */
  connectionLost(connection: Connection, reason: string): void;
}

/** What viewers that are not the player may ask for. */
const VIEWER_METHODS: readonly ControlMethod[] = ["key_frame", "client_stats", "close", "candidates"];
/** Requests at once, before the rate counts. */
const REQUEST_BURST = 30;

/** One viewer of a session, the player or somebody who watches, whatever the transport. */
export class Connection implements Inlet {
  /** Number of the connection within its session. */
  readonly id: number;
  /** What it may do. */
  readonly role: SessionRole;
  /** The epoch in which its input counts. */
  readonly epoch: number;
  /** The transport's side. */
  readonly outlet: Outlet;
  readonly #owner: ConnectionOwner;
  readonly #input: InputGate;
  readonly #requests = new TokenBucket({ perSecond: PROTOCOL_LIMITS.requestsPerSecond, burst: REQUEST_BURST });
  readonly #keyFrames = KeyFrameGate.limiter();
  #openRequests = 0;
  #waitsForKeyFrame = true;
  #keyFrameAsked = true;
  #sentFrames = 0;
  #droppedFrames = 0;
  #state: "connecting" | "ready" | "lost" = "connecting";

  /** Made by the session. */
  constructor(options: {
    readonly id: number;
    readonly role: SessionRole;
    readonly epoch: number;
    readonly outlet: Outlet;
    readonly owner: ConnectionOwner;
  }) {
    this.id = options.id;
    this.role = options.role;
    this.epoch = options.epoch;
    this.outlet = options.outlet;
    this.#owner = options.owner;
    this.#input = new InputGate({
      clock: options.owner.clock,
      stampClock: options.owner.stampClock,
      epoch: options.epoch,
      push: (events, number) => options.owner.pushInput(events, number),
      echo: (message) => this.send(message),
    });
  }

  /** Frames that were handed to the transport. */
  get sentFrames(): number {
    return this.#sentFrames;
  }

  /** Frames that the transport did not take, and those left out until the next key frame. */
  get droppedFrames(): number {
    return this.#droppedFrames;
  }

  /** What its input channel has counted. */
  get inputCounters(): InputGateCounters {
    return this.#input.counters;
  }

  /** Whether frames are sent to it. */
  get isReady(): boolean {
    return this.#state === "ready";
  }

  /** The transport can take frames. */
  ready(): void {
    if (this.#state !== "connecting") return;
    this.#state = "ready";
    this.#owner.connectionReady(this);
  }

  /** Whether it is neither lost nor closed. */
  get isOpen(): boolean {
    return this.#state !== "lost";
  }

  /** Takes a message of the input channel; viewers have none. */
  takeInput(text: string): void {
    if (this.role === "player" && this.#state !== "lost") this.#input.take(text);
  }

  /** Takes a message of the control channel and answers it. */
  takeControl(text: string): void {
    if (this.#state === "lost") return;
    let id = 0;
    try {
      if (text.length > PROTOCOL_LIMITS.controlMessageBytes) throw limit("the message is too large");
      const value = parse(text);
      id = idOf(value);
      const request = readControlRequest(value);
      if (!this.#requests.take(this.#owner.clock.nowSeconds())) throw limit("too many requests a second");
      if (this.#openRequests >= PROTOCOL_LIMITS.openRequests) throw limit("too many requests are unanswered");
      if (this.role !== "player" && !VIEWER_METHODS.includes(request.method)) throw viewersMayNot(request.method);
      this.#answer(request);
    } catch (error) {
      this.send({ type: "response", id, ok: false, error: clientRecord(error) });
    }
  }

  /** Takes what the receiver reports. */
  takeFeedback(feedback: ReceiverFeedback): void {
    if (feedback.wantsKeyFrame) this.wantKeyFrame();
    this.#owner.takeFeedback(this, feedback);
  }

  /** Hands candidates of the other side to the transport. */
  addCandidates(candidates: readonly IceCandidate[]): void {
    this.outlet.addCandidates?.(candidates);
  }

  /** The receiver asks for a key frame. */
  wantKeyFrame(): void {
    this.#owner.requestKeyFrame(this.outlet.codec, this.#keyFrames);
  }

  /** Sends a frame if the receiver can use it; gives whether it was sent. */
  deliver(frame: MediaFrame, metadata: FrameMetadata): boolean {
    if (this.#state !== "ready" || frame.codec !== this.outlet.codec) return false;
    if (this.#waitsForKeyFrame && !frame.keyFrame) {
      this.#droppedFrames += 1;
      if (!this.#keyFrameAsked && this.outlet.hasRoom()) {
        this.#keyFrameAsked = true;
        this.wantKeyFrame();
      }
      return false;
    }
    if (frame.keyFrame) this.#keyFrameAsked = false;
    // Where one frame is left out, what follows cannot be decoded without a key frame.
    this.#waitsForKeyFrame = !this.outlet.sendFrame(frame, metadata);
    if (this.#waitsForKeyFrame) this.#droppedFrames += 1;
    else this.#sentFrames += 1;
    return !this.#waitsForKeyFrame;
  }

  /** Sends a message. */
  send(message: ServerMessage): void {
    if (this.#state !== "lost") this.outlet.sendMessage(message);
  }

  /** The transport is gone; idempotent. */
  lost(reason: string): void {
    if (this.#state === "lost") return;
    this.#input.close();
    this.#state = "lost";
    this.#owner.connectionLost(this, reason);
  }

  /** Ends the connection; idempotent. */
  close(reason?: ErrorRecord): void {
    this.outlet.close(reason);
    this.lost(reason?.message ?? "closed");
  }

  #answer(request: ControlRequest): void {
    const { id } = request;
    this.#openRequests += 1;
    this.#owner
      .handleRequest(request, this)
      .then(
        (result) => this.send({ type: "response", id, ok: true, result }),
        (error: unknown) => this.send({ type: "response", id, ok: false, error: clientRecord(error) }),
      )
      .finally(() => (this.#openRequests -= 1));
  }
}

/** The error for something that comes too often or is too large. */
function limit(what: string): DreamloopError {
  return new DreamloopError(ERROR_CODES.limitExceeded, `request: ${what}; send less`, { retryable: true });
}

/** The error for a viewer that asks for what only the player may. */
function viewersMayNot(method: ControlMethod): DreamloopError {
  return new DreamloopError(ERROR_CODES.unauthorized, `request ${method}: only the player of a session may ask for it`);
}

/** Reads JSON; throws `invalid_value` for anything else. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new DreamloopError(ERROR_CODES.invalidValue, "request: not valid JSON", { cause });
  }
}

/** The id of a request that may be malformed otherwise, so that the answer finds it. */
function idOf(value: unknown): number {
  return isPlainObject(value) && Number.isSafeInteger(value.id) && (value.id as number) >= 0 ? (value.id as number) : 0;
}
