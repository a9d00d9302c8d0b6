import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { browserEnvironment } from "../browser/client-environment.ts";
import { onPageEnd } from "../browser/page-end.ts";
import type { ServerOptions } from "./play-options.ts";
import { refusal } from "../wire/http-api.ts";

/** What is watched. */
export interface WatchOptions extends ServerOptions {
  /** The session's viewer token. */
  readonly viewerToken: string;
}

/** A session that is watched. Whoever made it closes it. */
export interface Watching {
  /** The video, for `srcObject` of a video element. */
  readonly stream: MediaStream;
  /** Resolves when the connection ended, with the state that ended it. */
  readonly ended: Promise<RTCPeerConnectionState>;
  /** Ends it, on the server too. Idempotent. */
  close(): Promise<void>;
}

/** How long candidates are gathered before the offer is sent, in milliseconds. */
const GATHERING_MILLISECONDS = 1_000;

/** Watches a session over WHEP, without any control of it. Rejects with `unavailable` or what the server refuses with. */
export async function watch(options: WatchOptions): Promise<Watching> {
  const environment = options.environment ?? browserEnvironment();
  const origin = options.url ?? globalThis.location?.origin ?? "";
  if (environment.createPeer === undefined) throw failed("this browser has no WebRTC, which watching needs");
  const peer = environment.createPeer({ bundlePolicy: "max-bundle" });
  try {
    const { receiver } = peer.addTransceiver("video", { direction: "recvonly" });
    if ("jitterBufferTarget" in receiver) receiver.jitterBufferTarget = 0;
    await peer.setLocalDescription(await peer.createOffer());
    await gathered(peer);
    const address = `${origin}/whep/${encodeURIComponent(options.viewerToken)}`;
    const response = await environment.fetch(address, {
      method: "POST",
      headers: { "content-type": "application/sdp" },
      body: peer.localDescription?.sdp ?? "",
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    if (response.status !== 201) throw refusal(response.status, await response.text());
    await peer.setRemoteDescription({ type: "answer", sdp: await response.text() });
    const resource = response.headers.get("location");
    let closing: Promise<void> | undefined;
    const close = (): Promise<void> => {
      stopListening();
      return (closing ??= end(peer, resource === null ? undefined : new URL(resource, address).href, environment));
    };
    // A page that goes for good frees its place at once.
    const stopListening = onPageEnd(() => void close());
    return {
      stream: new MediaStream([receiver.track]),
      ended: new Promise((resolve) => {
        peer.addEventListener("connectionstatechange", () => {
          const state = peer.connectionState;
          if (state === "failed" || state === "closed" || state === "disconnected") resolve(state);
        });
      }),
      close,
    };
  } catch (error) {
    peer.close();
    throw error;
  }
}

async function end(
  peer: RTCPeerConnection,
  resource: string | undefined,
  environment: ReturnType<typeof browserEnvironment>,
): Promise<void> {
  peer.close();
  // A server that does not hear of it notices that the peer is gone.
  if (resource !== undefined)
    await environment.fetch(resource, { method: "DELETE", keepalive: true }).catch(() => undefined);
}

function gathered(peer: RTCPeerConnection): Promise<void> {
  if (peer.iceGatheringState === "complete") return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, GATHERING_MILLISECONDS);
    peer.addEventListener("icegatheringstatechange", () => {
      if (peer.iceGatheringState !== "complete") return;
      clearTimeout(timer);
      resolve();
    });
  });
}

function failed(message: string): DreamloopError {
  return new DreamloopError(ERROR_CODES.unavailable, message);
}
