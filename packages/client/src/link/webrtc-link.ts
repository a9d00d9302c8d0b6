import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import type { ConnectedMessage, FrameCodec, IceCandidate, SessionAnswer } from "@dreamloop/protocol";
import type { ClientEnvironment } from "../browser/client-environment.ts";
import type { HttpApi } from "../wire/http-api.ts";
import { readServerMessage } from "../wire/read-message.ts";
import type { Link, LinkHandlers } from "./link.ts";

/** How long a connection may be interrupted before it counts as lost, in milliseconds. */
const INTERRUPTION_MILLISECONDS = 2_500;
/** How long candidates are collected before they are handed in together, in milliseconds. */
const CANDIDATE_BATCH_MILLISECONDS = 20;
/** Bytes that may wait in the input channel; above, a message is dropped, since the next one says it all. */
const INPUT_BACKLOG_BYTES = 32_768;

interface Channels {
  readonly input: RTCDataChannel;
  readonly control: RTCDataChannel;
  readonly frames: RTCDataChannel;
}

/** Opens a link by WebRTC: one video track comes, three data channels carry input, requests and frame metadata. */
export async function openWebRtcLink(
  api: HttpApi,
  environment: ClientEnvironment,
  grant: SessionAnswer,
  handlers: LinkHandlers,
  signal: AbortSignal,
): Promise<Link> {
  const { createPeer } = environment;
  if (createPeer === undefined) throw failed("this browser has no WebRTC", { retryable: false });
  const peer = createPeer({
    iceServers: grant.iceServers as RTCIceServer[],
    iceTransportPolicy: grant.iceTransportPolicy === "relay" ? "relay" : "all",
    bundlePolicy: "max-bundle",
  });
  const link = new WebRtcLink(peer, environment, handlers);
  const abort = (): void => link.close();
  signal.addEventListener("abort", abort, { once: true });
  try {
    link.sendCandidatesTo((candidates) => api.candidates(grant, candidates));
    await peer.setLocalDescription(await peer.createOffer());
    const sdp = await api.offer(grant, peer.localDescription?.sdp ?? "", signal);
    await peer.setRemoteDescription({ type: "answer", sdp });
    await link.opened;
    return link;
  } catch (error) {
    link.close();
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

class WebRtcLink implements Link {
  readonly kind = "webrtc" as const;
  readonly isReliable = false;
  readonly source: Link["source"];
  readonly opened: Promise<void>;
  readonly #peer: RTCPeerConnection;
  readonly #environment: ClientEnvironment;
  readonly #handlers: LinkHandlers;
  readonly #channels: Channels;
  #interruption: unknown;
  #isClosed = false;
  #connected: ConnectedMessage | undefined;
  #onConnected: (() => void) | undefined;

  constructor(peer: RTCPeerConnection, environment: ClientEnvironment, handlers: LinkHandlers) {
    this.#peer = peer;
    this.#environment = environment;
    this.#handlers = handlers;
    const { receiver } = peer.addTransceiver("video", { direction: "recvonly" });
    // Nothing is gained by holding frames back: the newest is wanted as soon as it is there.
    if ("jitterBufferTarget" in receiver) receiver.jitterBufferTarget = 0;
    this.source = { kind: "stream", stream: new MediaStream([receiver.track]), receiver };
    const lossy = { ordered: false, maxRetransmits: 0 };
    this.#channels = {
      input: peer.createDataChannel("input", lossy),
      control: peer.createDataChannel("control"),
      frames: peer.createDataChannel("frames", lossy),
    };
    this.opened = this.#watch();
  }

  get codec(): FrameCodec | undefined {
    return this.#connected?.codec;
  }

  get epoch(): number {
    return this.#connected?.epoch ?? 0;
  }

  sendInput(message: string): void {
    const { input } = this.#channels;
    if (input.readyState === "open" && input.bufferedAmount <= INPUT_BACKLOG_BYTES) input.send(message);
  }

  sendControl(message: string): void {
    const { control } = this.#channels;
    if (control.readyState === "open") control.send(message);
  }

  sendCandidatesTo(send: (candidates: readonly IceCandidate[]) => Promise<void>): void {
    let waiting: IceCandidate[] = [];
    const flush = (): void => {
      const candidates = waiting;
      waiting = [];
      if (this.#isClosed || candidates.length === 0) return;
      // A candidate that does not arrive costs one way of connecting; the deadline of the whole attempt judges the result.
      send(candidates).catch(() => undefined);
    };
    this.#peer.addEventListener("icecandidate", ({ candidate }) => {
      if (candidate === null || candidate.candidate === "") return;
      if (waiting.length === 0) this.#environment.setTimer(flush, CANDIDATE_BATCH_MILLISECONDS);
      const { sdpMid } = candidate;
      waiting.push({ candidate: candidate.candidate, ...(sdpMid === null ? {} : { sdpMid }) });
    });
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#environment.clearTimer(this.#interruption);
    for (const channel of Object.values(this.#channels) as RTCDataChannel[]) channel.close();
    this.#peer.close();
  }

  #watch(): Promise<void> {
    const { input, control, frames } = this.#channels;
    return new Promise((resolve, reject) => {
      const lose = (message: string): void => {
        if (this.#isClosed) return;
        const reason = failed(message, { retryable: true });
        this.close();
        reject(reason);
        this.#handlers.onClosed(reason);
      };
      const opened = (): void => {
        if (input.readyState === "open" && this.#connected !== undefined) resolve();
      };
      input.addEventListener("open", opened);
      this.#onConnected = opened;
      control.addEventListener("close", () => lose("the server closed the connection"));
      input.addEventListener("close", () => lose("the server closed the connection"));
      for (const channel of [input, control, frames])
        channel.addEventListener("message", ({ data }) => this.#read(data));
      this.#peer.addEventListener("connectionstatechange", () => {
        const state = this.#peer.connectionState;
        if (state === "failed" || state === "closed") lose("the peer connection failed");
        this.#environment.clearTimer(this.#interruption);
        if (state !== "disconnected") return;
        this.#interruption = this.#environment.setTimer(
          () => lose("the peer connection was interrupted for too long"),
          INTERRUPTION_MILLISECONDS,
        );
      });
    });
  }

  #read(data: unknown): void {
    if (typeof data !== "string" || this.#isClosed) return;
    const message = readServerMessage(data);
    if (message?.type === "connected") {
      this.#connected = message;
      this.#onConnected?.();
    } else if (message !== undefined) this.#handlers.onMessage(message);
  }
}

function failed(message: string, options: { readonly retryable: boolean }): DreamloopError {
  return new DreamloopError(ERROR_CODES.unavailable, message, options);
}
