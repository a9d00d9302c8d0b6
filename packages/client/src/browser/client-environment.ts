import { FRAME_CODECS, type FrameCodec } from "@dreamloop/protocol";

/** What the library needs from its surroundings; tests bring their own. */
export interface ClientEnvironment {
  /** Asks the server. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Calls back once after so many milliseconds; gives a handle. */
  setTimer(callback: () => void, milliseconds: number): unknown;
  /** Ends a timer. */
  clearTimer(handle: unknown): void;
  /** A number from 0 to below 1, for spreading retries. */
  random(): number;
  /** Makes a peer connection; absent where the browser has none or withholds it. */
  readonly createPeer?: (configuration: RTCConfiguration) => RTCPeerConnection;
  /** Makes a WebSocket. */
  createSocket(url: string): WebSocket;
  /** Which codecs of the WebSocket can be decoded here, best first; always ends with `jpeg`. */
  listDecoders(): Promise<readonly FrameCodec[]>;
}

/** The codec string that WebCodecs knows for each codec of the socket. */
export const DECODER_CODECS: Readonly<Record<Exclude<FrameCodec, "jpeg">, string>> = Object.freeze({
  h264: "avc1.42E01F",
  vp8: "vp8",
});

/** The browser itself. */
export function browserEnvironment(): ClientEnvironment {
  const hasPeers = typeof RTCPeerConnection === "function";
  return {
    fetch: (url, init) => fetch(url, init),
    now: () => performance.now(),
    setTimer: (callback, milliseconds) => setTimeout(callback, milliseconds),
    clearTimer: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>),
    random: () => Math.random(),
    ...(hasPeers ? { createPeer: (configuration: RTCConfiguration) => new RTCPeerConnection(configuration) } : {}),
    createSocket: (url) => new WebSocket(url),
    listDecoders,
  };
}

async function listDecoders(): Promise<readonly FrameCodec[]> {
  const decoders: FrameCodec[] = [];
  if (typeof VideoDecoder === "function") {
    for (const codec of ["h264", "vp8"] as const) {
      const { supported } = await VideoDecoder.isConfigSupported({ codec: DECODER_CODECS[codec] });
      if (supported === true) decoders.push(codec);
    }
  }
  return [...decoders, FRAME_CODECS.jpeg];
}
