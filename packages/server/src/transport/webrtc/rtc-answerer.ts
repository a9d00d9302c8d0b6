import { DreamloopError, ERROR_CODES, type Clock } from "@dreamloop/core";
import { FRAME_CODECS, PROTOCOL_VERSION, TRANSPORTS, type IceCandidate, type ServerMessage } from "@dreamloop/protocol";
import { MessageBudget } from "../../platform/limits/message-budget.ts";
import type { SessionRole } from "../../platform/security/session-token.ts";
import type { Inlet, Outlet, TransportSession } from "../outlet/outlet.ts";
import { readOfferSdp, type OfferFacts } from "./offer.ts";
import { Peer } from "./peer.ts";
import type { RtcModule, RtcSettings } from "./rtc-library.ts";

/** What an `RtcAnswerer` is made with. */
export interface RtcAnswererOptions {
  /** The WebRTC library; absent where it cannot be loaded: no offer can be answered then. */
  readonly rtc: RtcModule | undefined;
  /** How connections find their way. */
  readonly settings: RtcSettings;
  /** The clock of the server. */
  readonly clock: Clock;
  /** What this server encodes. */
  readonly codecs: readonly string[];
}

/** An offer for a session. */
export interface OfferRequest {
  /** The session. */
  readonly session: TransportSession;
  /** What the other side may do. */
  readonly role: SessionRole;
  /** The offer. */
  readonly sdp: string;
  /** Candidates that came before it. */
  readonly candidates: readonly IceCandidate[];
}

/** An offer that was answered. */
export interface AnsweredOffer {
  /** The answer. */
  readonly sdp: string;
  /** The connection. */
  readonly inlet: Inlet;
  /** Fires when the connection is lost or closed. */
  readonly lost: AbortSignal;
}

/** Seconds that a connection gets to come about. */
const CONNECT_SECONDS = 30;
/** Seconds by which requests may run ahead of what is read of them; channels cannot be kept waiting, so that beyond it the connection ends. */
const MAX_AHEAD_SECONDS = 2;

/** Answers offers for sessions. */
export class RtcAnswerer {
  readonly #options: RtcAnswererOptions;

  /** Opens nothing before the first offer. */
  constructor(options: RtcAnswererOptions) {
    this.#options = options;
  }

  /** Whether the library is there. */
  get isLoaded(): boolean {
    return this.#options.rtc !== undefined;
  }

  /** Whether offers can be answered: there is the library and a video encoder. */
  get canSendVideo(): boolean {
    return this.isLoaded && this.#options.codecs.some((codec) => codec !== FRAME_CODECS.jpeg);
  }

  /**
   * Answers an offer for a session: the connection begins to take frames once its track is open. Throws `invalid_value` with the reason for
   * an offer that cannot be answered, `unavailable` without the library, and leaves the session as it was.
   */
  async answer({ session, role, sdp, candidates }: OfferRequest): Promise<AnsweredOffer> {
    const { rtc, settings, clock, codecs } = this.#options;
    if (rtc === undefined) {
      throw new DreamloopError(ERROR_CODES.unavailable, "WebRTC is not available on this server; use the WebSocket");
    }
    const offer = readOfferSdp(sdp);
    const codec = chooseCodec(offer, session.codecsInUse, codecs);
    const open: { peer?: Peer } = {};
    let inlet: Inlet | undefined;
    const budgets = { input: new MessageBudget(), control: new MessageBudget() };
    const answer = await Peer.answer({
      rtc,
      settings,
      clock,
      offer,
      codec,
      candidates,
      events: {
        onReady: () => inlet?.ready(),
        onChannel: (name) => {
          if (name !== "control" || inlet === undefined) return;
          const { epoch } = inlet;
          inlet.send({ type: "connected", version: PROTOCOL_VERSION, codec, epoch });
          inlet.send(session.stateMessage);
        },
        onText: (name, text) => {
          const now = session.stampClock.nowSeconds();
          // Of a flood of input the rest is left unread, as if the network had lost it.
          if (name === "input" && budgets.input.allows(text.length, now)) inlet?.takeInput(text);
          if (name !== "control") return;
          if (budgets.control.charge(text.length, now) <= MAX_AHEAD_SECONDS) {
            inlet?.takeControl(text);
            return;
          }
          inlet?.lost("too many requests");
          // Not within a callback of its own.
          setImmediate(() => open.peer?.close());
        },
        onFeedback: (feedback) => inlet?.takeFeedback(feedback),
        onLost: (reason) => {
          inlet?.lost(reason);
          // A connection that failed keeps its sockets until it is closed, which must not happen within its own callback.
          setImmediate(() => open.peer?.close());
        },
      },
    });
    const { peer } = answer;
    open.peer = peer;
    try {
      inlet = session.connect(role, () => rtcOutlet(peer));
    } catch (error) {
      peer.close();
      throw error;
    }
    const joined = inlet;
    void clock.sleepUntil(clock.nowSeconds() + CONNECT_SECONDS, peer.lost).then(() => {
      if (!joined.isReady) joined.close();
    });
    return { sdp: answer.sdp, inlet: joined, lost: peer.lost };
  }
}

function rtcOutlet(peer: Peer): Outlet {
  return {
    transport: TRANSPORTS.webrtc,
    codec: peer.codec,
    hasRoom: () => true,
    sendFrame: (frame, metadata) => {
      // The metadata goes first, so that it is there when the frame is shown.
      peer.sendText("frames", JSON.stringify(metadata));
      return peer.sendFrame(frame.data, frame.rtpTimestamp);
    },
    sendMessage: (message: ServerMessage) => {
      peer.sendText(message.type === "input_echo" ? "input" : "control", JSON.stringify(message));
    },
    addCandidates: (candidates) => peer.addCandidates(candidates),
    close: () => peer.close(),
  };
}

/** The codec that is made anyway where that is possible, so that there is one encoder for all; else H.264. */
function chooseCodec(offer: OfferFacts, inUse: readonly string[], available: readonly string[]): "h264" | "vp8" {
  const possible = ([FRAME_CODECS.h264, FRAME_CODECS.vp8] as const).filter(
    (codec) => offer[codec] !== undefined && available.includes(codec),
  );
  const chosen = possible.find((codec) => inUse.includes(codec)) ?? possible[0];
  if (chosen !== undefined) return chosen;
  throw new DreamloopError(
    ERROR_CODES.invalidValue,
    `the offer cannot be answered: this server encodes ${available.join(", ")} and the offer has none of these for WebRTC`,
  );
}
