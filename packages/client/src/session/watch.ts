import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import type { IceServerEntry } from "@dreamloop/protocol";
import { browserEnvironment, type ClientEnvironment } from "../browser/client-environment.ts";
import { onPageEnd } from "../browser/page-life.ts";
import type { ServerOptions } from "./play-options.ts";
import { HttpApi, refusal } from "../wire/http-api.ts";

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

/**
 * Watches a session over WHEP, without any control of it, with the server's own helpers for finding a way (STUN and TURN). Rejects with `unavailable` or
 * what the server refuses with.
 */
export async function watch(options: WatchOptions): Promise<Watching> {
  const environment = options.environment ?? browserEnvironment();
  const url = options.url ?? globalThis.location?.origin ?? "";
  const { accessToken, signal } = options;
  if (environment.createPeer === undefined) throw failed("this browser has no WebRTC, which watching needs");
  const api = new HttpApi({ url, environment, ...(accessToken === undefined ? {} : { accessToken }) });
  // A server that does not tell may still be reached directly, and tells again with its answer.
  const config = await api.config(signal).catch(() => undefined);
  const iceServers = config?.iceServers ?? [];
  const iceTransportPolicy = config?.iceTransportPolicy === "relay" ? "relay" : "all";
  const address = `${url.replace(/\/+$/, "")}/whep/${encodeURIComponent(options.viewerToken)}`;
  const offered = (servers: readonly IceServerEntry[]): Promise<Offered> =>
    offer({ environment, address, signal, configuration: peerConfiguration(servers, iceTransportPolicy) });
  let answered = await offered(iceServers);
  const told = answered.iceServers;
  if (told.length > 0 && !isSame(told, iceServers)) {
    // Whoever is let in may be told of more helpers than anybody else; they count from the offer on.
    await end(answered, environment);
    answered = await offered(told);
  }
  const { peer, receiver } = answered;
  try {
    await peer.setRemoteDescription({ type: "answer", sdp: answered.sdp });
  } catch (error) {
    await end(answered, environment);
    throw error;
  }
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    stopListening();
    return (closing ??= end(answered, environment));
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
}

/** An offer that a server has answered. */
interface Offered {
  readonly peer: RTCPeerConnection;
  readonly receiver: RTCRtpReceiver;
  readonly sdp: string;
  /** Where the connection is ended. */
  readonly resource: string | undefined;
  /** Helpers that the answer names. */
  readonly iceServers: readonly IceServerEntry[];
}

async function offer(order: {
  readonly environment: ClientEnvironment;
  readonly address: string;
  readonly signal: AbortSignal | undefined;
  readonly configuration: RTCConfiguration;
}): Promise<Offered> {
  const { environment, address, signal, configuration } = order;
  const peer = environment.createPeer?.(configuration);
  if (peer === undefined) throw failed("this browser has no WebRTC, which watching needs");
  try {
    const { receiver } = peer.addTransceiver("video", { direction: "recvonly" });
    if ("jitterBufferTarget" in receiver) receiver.jitterBufferTarget = 0;
    await peer.setLocalDescription(await peer.createOffer());
    await gathered(peer, environment);
    const response = await environment.fetch(address, {
      method: "POST",
      headers: { "content-type": "application/sdp" },
      body: peer.localDescription?.sdp ?? "",
      ...(signal === undefined ? {} : { signal }),
    });
    if (response.status !== 201) throw refusal(response.status, await response.text());
    const location = response.headers.get("location");
    return {
      peer,
      receiver,
      sdp: await response.text(),
      resource: location === null ? undefined : resourceAddress(location, address),
      iceServers: readIceLinks(response.headers.get("link") ?? ""),
    };
  } catch (error) {
    peer.close();
    throw error;
  }
}

function peerConfiguration(servers: readonly IceServerEntry[], policy: "all" | "relay"): RTCConfiguration {
  return { iceServers: servers as RTCIceServer[], iceTransportPolicy: policy, bundlePolicy: "max-bundle" };
}

const LINK = /<([^>]*)>((?:\s*;\s*[\w-]+\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^;,]*))*)/g;
const PARAMETER = /;\s*([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;,]*))/g;

/** The helpers that the `Link` header of an answer names (`rel="ice-server"`). */
export function readIceLinks(header: string): readonly IceServerEntry[] {
  return [...header.matchAll(LINK)].flatMap(([, urls = "", parameters = ""]) => {
    const found = new Map(
      [...parameters.matchAll(PARAMETER)].map(([, name = "", quoted, bare]) => {
        return [name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, "$1") ?? (bare ?? "").trim()] as const;
      }),
    );
    if (found.get("rel") !== "ice-server") return [];
    const username = found.get("username");
    const credential = found.get("credential");
    return [
      {
        urls,
        ...(username === undefined ? {} : { username }),
        ...(credential === undefined ? {} : { credential }),
      },
    ];
  });
}

function isSame(left: readonly IceServerEntry[], right: readonly IceServerEntry[]): boolean {
  const flat = (servers: readonly IceServerEntry[]): string =>
    JSON.stringify(
      servers
        .flatMap(({ urls, username, credential }) =>
          [urls].flat().map((url) => [url, username ?? "", credential ?? ""]),
        )
        .sort(),
    );
  return flat(left) === flat(right);
}

async function end({ peer, resource }: Offered, environment: ClientEnvironment): Promise<void> {
  peer.close();
  // A server that does not hear of it notices that the peer is gone.
  if (resource !== undefined)
    await environment.fetch(resource, { method: "DELETE", keepalive: true }).catch(() => undefined);
}

function gathered(peer: RTCPeerConnection, environment: ClientEnvironment): Promise<void> {
  if (peer.iceGatheringState === "complete") return Promise.resolve();
  return new Promise((resolve) => {
    const timer = environment.setTimer(resolve, GATHERING_MILLISECONDS);
    peer.addEventListener("icegatheringstatechange", () => {
      if (peer.iceGatheringState !== "complete") return;
      environment.clearTimer(timer);
      resolve();
    });
  });
}

function failed(message: string): DreamloopError {
  return new DreamloopError(ERROR_CODES.unavailable, message);
}

/** The address of what the server made. A path of its own lies below the server's address, also where a proxy has put that below a path. */
function resourceAddress(location: string, address: string): string {
  const server = address.slice(0, address.lastIndexOf("/whep/"));
  return new URL(location.startsWith("/whep/") ? `${server}${location}` : location, address).href;
}
