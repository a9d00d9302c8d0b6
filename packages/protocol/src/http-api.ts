import type { ControlHint, ErrorRecord } from "@dreamloop/core";
import type { SessionState } from "./server-message.ts";

/** A world as the server lists it. */
export interface WorldSummary {
  /** What a session is asked for by. */
  readonly id: string;
  /** Its name, for people. */
  readonly title: string;
  /** One or two sentences about it. */
  readonly description: string;
  /** Where it comes from, such as `builtin`, `bundle` or `module`. */
  readonly kind: string;
  /** Columns of its frames, where known before it is loaded. */
  readonly width?: number;
  /** Rows of its frames. */
  readonly height?: number;
  /** Frames a second of the world's own time. */
  readonly framesPerSecond?: number;
  /** On-screen controls and their explanation, from the converters that drive it. */
  readonly controls: readonly ControlHint[];
  /** Names of its initial inputs, such as `prompt`. */
  readonly initialFields: readonly string[];
  /** Words that its prompt understands; absent: any text. */
  readonly promptVocabulary?: readonly string[];
  /** The prompt that it starts with when none is given. */
  readonly defaultPrompt?: string;
  /** Whether its weights are in memory, so that a session starts at once. */
  readonly loaded: boolean;
  /** Its model card as Markdown. */
  readonly modelCard?: string;
}

/** The answer to `GET /api/worlds`. */
export interface WorldsAnswer {
  /** All worlds that this server offers. */
  readonly worlds: readonly WorldSummary[];
}

/** A STUN or TURN server as browsers take it. */
export interface IceServer {
  /** Its addresses. */
  readonly urls: string | readonly string[];
  /** User of a TURN server. */
  readonly username?: string;
  /** Password of a TURN server. */
  readonly credential?: string;
}

/** What a client asks for with `POST /api/sessions`. */
export interface CreateSessionRequest {
  /** Identifier of the world. */
  readonly world: string;
  /** A named preset of the world. */
  readonly preset?: string;
  /** Seed of the rollout; default: the server draws one. */
  readonly seed?: number;
  /** The first prompt; default: the world's own. */
  readonly prompt?: string;
  /** Size of the frames, where the world can choose. */
  readonly size?: { readonly width: number; readonly height: number };
}

/** What is known of a session. */
export interface SessionInfo {
  /** What it is doing. */
  readonly state: SessionState;
  /** Seed of the current rollout. */
  readonly seed: number;
  /** Resets so far. */
  readonly generation: number;
  /** The prompt in force; absent where there is none. */
  readonly prompt?: string;
  /** Columns of a frame; absent while the world loads. */
  readonly width?: number;
  /** Rows of a frame. */
  readonly height?: number;
  /** Frames a second of the world's own time. */
  readonly framesPerSecond?: number;
}

/** The answer to the creation and to the resumption of a session: everything that a client needs to connect. */
export interface SessionGrant {
  /** The session, as it stands in every path. */
  readonly sessionId: string;
  /** Bearer token of the player; signed and short-lived. */
  readonly token: string;
  /** Takes the session up again after the link was lost. */
  readonly resumeSecret: string;
  /** Stands in the WHEP address for viewers. */
  readonly viewerToken: string;
  /** Number of the stretch over which the client's input counts run, for the connection that follows. */
  readonly epoch: number;
  /** The session now. */
  readonly description: SessionInfo;
  /** Its world. */
  readonly world: WorldSummary;
  /** STUN and TURN servers for the peer connection. */
  readonly iceServers: readonly IceServer[];
  /** Path of the WebSocket, without the token. */
  readonly websocketPath: string;
}

/** The body of every refused HTTP request. */
export interface ErrorAnswer {
  /** What was wrong. */
  readonly error: ErrorRecord;
  /** When the same request may succeed, in seconds from now. */
  readonly retryAfterSeconds?: number;
}

/** The answer to the control request `record_stop`. */
export interface RecordingAnswer {
  /** The recording, as it stands in its paths. */
  readonly recordingId: string;
  /** Path of the MP4; the token goes into the query. */
  readonly videoPath: string;
  /** Path of the trace. */
  readonly tracePath: string;
  /** Frames in the recording. */
  readonly frameCount: number;
  /** Length in seconds. */
  readonly durationSeconds: number;
  /** Frames that the recording missed since its encoder was too slow. */
  readonly droppedFrames: number;
}

/** Codecs of the WebSocket. */
export const SOCKET_CODECS = {
  /** H.264 as Annex B. */
  h264: "h264",
  /** VP8. */
  vp8: "vp8",
  /** One JPEG picture a frame. */
  jpeg: "jpeg",
} as const;

/** One of `SOCKET_CODECS`. */
export type SocketCodec = (typeof SOCKET_CODECS)[keyof typeof SOCKET_CODECS];

/** The first text that a client sends over the WebSocket. */
export interface SocketHello {
  /** What this message is. */
  readonly type: "hello";
  /** Version of the protocol. */
  readonly version: number;
  /** What it can decode, best first. */
  readonly decoders: readonly SocketCodec[];
}

/** The answer to `SocketHello`. */
export interface SocketWelcome {
  /** What this message is. */
  readonly type: "welcome";
  /** The codec of all frames that follow. */
  readonly codec: SocketCodec;
}
