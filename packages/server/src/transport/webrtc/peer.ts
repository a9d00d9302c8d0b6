import type { DataChannel, PeerConnection, Track } from "node-datachannel";
import { DreamloopError, ERROR_CODES, type Clock } from "@dreamloop/core";
import { PROTOCOL_LIMITS, type IceCandidate } from "@dreamloop/protocol";
import type { ReceiverFeedback } from "../outlet/receiver-feedback.ts";
import { isUsableCandidate, type OfferFacts } from "./offer.ts";
import { rtcConfig, type RtcModule, type RtcSettings } from "./rtc-library.ts";
import { readRtcp } from "./rtp/rtcp.ts";
import { VideoSender } from "./video-sender.ts";

/** The data channels that a client may open. */
export type ChannelName = "input" | "control" | "frames";

/** What the owner of a connection hears. */
export interface PeerEvents {
  /** The video can be sent from now on. */
  readonly onReady: () => void;
  /** A channel of the client is open. */
  readonly onChannel: (name: ChannelName) => void;
  /** A text that came over a channel. */
  readonly onText: (name: ChannelName, text: string) => void;
  /** What the receiver says of the video. */
  readonly onFeedback: (feedback: ReceiverFeedback) => void;
  /** Told once when the connection is lost or closed, from whichever side. */
  readonly onLost: (reason: string) => void;
}

/** Seconds after which gathering is cut short: what has been found goes into the answer. */
const GATHER_SECONDS = 2;
/** Bytes that may wait in the `frames` channel; beyond that metadata is left out. */
const MAX_WAITING_METADATA = 65_536;

/**
 * What callbacks of the library reach: the peer until it is closed, then nothing. The library keeps them for as long as their connection is
 * referred to, so that one which reaches it for ever would never let it be freed.
 */
interface Reach {
  handle:
    | {
        readonly lose: (reason: string) => void;
        readonly takeChannel: (channel: DataChannel) => void;
        readonly tell: (tell: (events: PeerEvents) => void) => void;
      }
    | undefined;
}

/** One WebRTC connection that this server answers. Whoever made it closes it. */
export class Peer {
  readonly #connection: PeerConnection;
  readonly #sender: VideoSender;
  readonly #events: PeerEvents;
  readonly #reach: Reach;
  readonly #channels = new Map<ChannelName, DataChannel>();
  readonly #losing = new AbortController();
  #candidateCount = 0;
  #closed = false;

  private constructor(connection: PeerConnection, sender: VideoSender, events: PeerEvents) {
    this.#connection = connection;
    this.#sender = sender;
    this.#events = events;
    this.#reach = {
      handle: {
        lose: (reason) => this.#lose(reason),
        takeChannel: (channel) => this.#takeChannel(channel),
        tell: (tell) => this.#tell(tell),
      },
    };
    Peer.#listen(connection, sender.track, this.#reach);
  }

  /** Answers an offer that was read; throws `invalid_value` when the library refuses it, and leaves nothing behind then. */
  static async answer(options: {
    readonly rtc: RtcModule;
    readonly settings: RtcSettings;
    readonly clock: Clock;
    readonly offer: OfferFacts;
    readonly codec: "h264" | "vp8";
    readonly candidates: readonly IceCandidate[];
    readonly events: PeerEvents;
  }): Promise<{ readonly peer: Peer; readonly sdp: string }> {
    const { rtc, settings, clock, offer, codec, candidates, events } = options;
    const connection = new rtc.PeerConnection("server", rtcConfig(settings));
    let peer: Peer | undefined;
    try {
      peer = new Peer(connection, new VideoSender({ rtc, connection, offer, codec }), events);
      const gathered = gathering(connection);
      connection.setRemoteDescription(offer.sdp, "offer");
      peer.addCandidates(candidates);
      connection.setLocalDescription("answer");
      const wait = new AbortController();
      await Promise.race([gathered, clock.sleepUntil(clock.nowSeconds() + GATHER_SECONDS, wait.signal)]);
      wait.abort();
      const sdp = connection.localDescription()?.sdp;
      if (sdp === undefined) throw new Error("there is no local description");
      return { peer, sdp };
    } catch (cause) {
      if (peer !== undefined) peer.#letGo();
      connection.close();
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new DreamloopError(ERROR_CODES.invalidValue, `the offer cannot be answered: ${reason}`, { cause });
    }
  }

  /** The codec of the video. */
  get codec(): "h264" | "vp8" {
    return this.#sender.codec;
  }

  /** Fires when the connection is lost or closed. */
  get lost(): AbortSignal {
    return this.#losing.signal;
  }

  /** Takes candidates of the other side; throws `limit_exceeded` when there are too many. */
  addCandidates(candidates: readonly IceCandidate[]): void {
    this.#candidateCount += candidates.length;
    if (this.#candidateCount > PROTOCOL_LIMITS.candidates) {
      throw new DreamloopError(
        ERROR_CODES.limitExceeded,
        `a connection takes at most ${PROTOCOL_LIMITS.candidates} candidates`,
      );
    }
    for (const each of candidates) {
      if (!isUsableCandidate(each) || this.#closed) continue;
      try {
        this.#connection.addRemoteCandidate(each.candidate, each.sdpMid ?? this.#sender.track.mid());
      } catch {
        // A candidate that the library cannot read is one that cannot be used.
      }
    }
  }

  /** Sends one frame; false when it was not taken. */
  sendFrame(data: Uint8Array, rtpTimestamp: number): boolean {
    return this.#attempt(() => this.#sender.send(data, rtpTimestamp));
  }

  /** Sends a text over a channel; false when it is not open. What travels with frames is left out when much of it waits. */
  sendText(name: ChannelName, text: string): boolean {
    return this.#attempt(() => {
      const channel = this.#channels.get(name);
      if (channel?.isOpen() !== true) return false;
      if (name === "frames" && channel.bufferedAmount() > MAX_WAITING_METADATA) return false;
      return channel.sendMessage(text);
    });
  }

  /** Ends the connection; idempotent. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#lose("closed");
    this.#letGo();
    this.#connection.close();
  }

  static #listen(connection: PeerConnection, track: Track, reach: Reach): void {
    connection.onStateChange((state) => {
      if (state === "disconnected" || state === "failed" || state === "closed") reach.handle?.lose(state);
    });
    connection.onDataChannel((channel) => reach.handle?.takeChannel(channel));
    track.onOpen(() => reach.handle?.tell((events) => events.onReady()));
    track.onMessage((message) => reach.handle?.tell((events) => events.onFeedback(readRtcp(message))));
  }

  #takeChannel(channel: DataChannel): void {
    const name = channel.getLabel();
    if ((name !== "input" && name !== "control" && name !== "frames") || this.#channels.has(name)) {
      channel.close();
      return;
    }
    this.#channels.set(name, channel);
    Peer.#listenToChannel(channel, name, this.#reach);
  }

  static #listenToChannel(channel: DataChannel, name: ChannelName, reach: Reach): void {
    channel.onMessage((message) => {
      if (typeof message === "string") reach.handle?.tell((events) => events.onText(name, message));
    });
    channel.onClosed(() => reach.handle?.lose(`the ${name} channel was closed`));
    if (channel.isOpen()) reach.handle?.tell((events) => events.onChannel(name));
    else channel.onOpen(() => reach.handle?.tell((events) => events.onChannel(name)));
  }

  #tell(tell: (events: PeerEvents) => void): void {
    if (!this.lost.aborted) tell(this.#events);
  }

  /** The library throws when the other side has gone and the news is still on its way to this thread. */
  #attempt(send: () => boolean): boolean {
    if (this.#closed) return false;
    try {
      return send();
    } catch (error) {
      this.#lose(`sending failed: ${error instanceof Error ? error.message : String(error)}`);
      return false;
    }
  }

  #letGo(): void {
    this.#reach.handle = undefined;
    this.#channels.clear();
  }

  #lose(reason: string): void {
    if (this.lost.aborted) return;
    this.#losing.abort();
    this.#events.onLost(reason);
  }
}

/** Resolves when a connection has gathered its candidates. */
export function gathering(connection: PeerConnection): Promise<void> {
  const { callback, done } = completion();
  connection.onGatheringStateChange(callback);
  return done;
}

/** Apart from the connection: the library keeps callbacks, and one that reaches its connection would never let it be freed. */
function completion(): { readonly callback: (state: string) => void; readonly done: Promise<void> } {
  let resolve = (): void => undefined;
  const done = new Promise<void>((each) => (resolve = each));
  return {
    done,
    callback: (state) => {
      if (state === "complete") resolve();
    },
  };
}
