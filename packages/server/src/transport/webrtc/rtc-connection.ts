import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { FRAME_CODECS, PROTOCOL_VERSION, TRANSPORTS, type IceCandidate, type ServerMessage } from "@dreamloop/protocol";
import type { ServerContext } from "../../app/server-context.ts";
import { MessageBudget } from "../../platform/limits/message-budget.ts";
import type { SessionRole } from "../../platform/security/session-token.ts";
import type { Connection, Outlet } from "../../viewers/connection.ts";
import type { LiveSession } from "../../session/live-session.ts";
import { readOfferSdp, type OfferFacts } from "./offer.ts";
import { Peer } from "./peer.ts";

/** A connection that was answered. */
export interface AnsweredOffer {
  /** The answer. */
  readonly sdp: string;
  /** The connection. */
  readonly connection: Connection;
}

/** Seconds that a connection gets to come about. */
const CONNECT_SECONDS = 30;
/** Seconds by which requests may run ahead of what is read of them; channels cannot be kept waiting, so that beyond it the connection ends. */
const MAX_AHEAD_SECONDS = 2;

/**
 * Answers an offer for a session: the connection begins to take frames once its track is open. Throws `invalid_value` with the reason for
 * an offer that cannot be answered, and leaves the session as it was.
 */
export async function answerOffer(
  context: ServerContext,
  request: {
    readonly session: LiveSession;
    readonly role: SessionRole;
    readonly sdp: string;
    readonly candidates: readonly IceCandidate[];
  },
): Promise<AnsweredOffer> {
  const { rtc, config, clock, media } = context;
  const { session, role, sdp, candidates } = request;
  if (rtc === undefined) {
    throw new DreamloopError(ERROR_CODES.unavailable, "WebRTC is not available on this server; use the WebSocket");
  }
  const offer = readOfferSdp(sdp);
  const codec = chooseCodec(offer, session, media.codecs);
  const open: { peer?: Peer } = {};
  let connection: Connection | undefined;
  const budgets = { input: new MessageBudget(), control: new MessageBudget() };
  const answer = await Peer.answer({
    rtc,
    settings: {
      host: config.host,
      iceServers: config.iceServers,
      iceTransportPolicy: config.relayOnly ? "relay" : "all",
      ...(config.udpPorts === undefined ? {} : { udpPorts: config.udpPorts }),
    },
    clock,
    offer,
    codec,
    candidates,
    events: {
      onReady: () => connection?.ready(),
      onChannel: (name) => {
        if (name !== "control" || connection === undefined) return;
        const { epoch } = connection;
        connection.send({ type: "connected", version: PROTOCOL_VERSION, codec, epoch });
        connection.send(session.status.message());
      },
      onText: (name, text) => {
        const now = session.stampClock.nowSeconds();
        // Of a flood of input the rest is left unread, as if the network had lost it.
        if (name === "input" && budgets.input.allows(text.length, now)) connection?.takeInput(text);
        if (name !== "control") return;
        if (budgets.control.charge(text.length, now) <= MAX_AHEAD_SECONDS) {
          connection?.takeControl(text);
          return;
        }
        connection?.lost("too many requests");
        // Not within a callback of its own.
        setImmediate(() => open.peer?.close());
      },
      onFeedback: (feedback) => {
        if (connection !== undefined) session.takeFeedback(connection, feedback);
      },
      onLost: (reason) => {
        connection?.lost(reason);
        // A connection that failed keeps its sockets until it is closed, which must not happen within its own callback.
        setImmediate(() => open.peer?.close());
      },
    },
  });
  const made = answer.peer;
  open.peer = made;
  try {
    connection = session.connect(role, () => rtcOutlet(made));
  } catch (error) {
    made.close();
    throw error;
  }
  const { id } = connection;
  void clock.sleepUntil(clock.nowSeconds() + CONNECT_SECONDS, made.lost).then(() => {
    if (connection?.isReady === false && connection.id === id) connection.close();
  });
  return { sdp: answer.sdp, connection };
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
function chooseCodec(offer: OfferFacts, session: LiveSession, available: readonly string[]): "h264" | "vp8" {
  const possible = ([FRAME_CODECS.h264, FRAME_CODECS.vp8] as const).filter(
    (codec) => offer[codec] !== undefined && available.includes(codec),
  );
  const inUse = [...session.connections].map(({ outlet }) => outlet.codec);
  const chosen = possible.find((codec) => inUse.includes(codec)) ?? possible[0];
  if (chosen !== undefined) return chosen;
  throw new DreamloopError(
    ERROR_CODES.invalidValue,
    `the offer cannot be answered: this server encodes ${available.join(", ")} and the offer has none of these for WebRTC`,
  );
}
