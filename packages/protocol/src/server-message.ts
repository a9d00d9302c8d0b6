import type { ErrorRecord } from "@dreamloop/core/internal";
import type { ControlResponse } from "./control-message.ts";
import type { FrameCodec } from "./frame-message.ts";

/** What is known of a frame beside its picture; matched to the frame shown through its RTP timestamp, or its chunk's header. */
export interface FrameMetadata {
  /** What this message is. */
  readonly type: "frame";
  /** RTP timestamp of the frame, 90 kHz, modulo 2³². */
  readonly rtpTimestamp: number;
  /** Number of the frame since the session started, over all generations. */
  readonly frameIndex: number;
  /** Resets before it. */
  readonly generation: number;
  /** Index of its step since the start or the last reset. */
  readonly stepIndex: number;
  /** Its place within the step. */
  readonly frameInStep: number;
  /** Number of the newest input message that its step saw; absent before the first. */
  readonly inputSequence?: number;
  /** The epoch in which `inputSequence` counts. */
  readonly inputEpoch?: number;
  /** Milliseconds on the server from reading that step's input to handing the encoded frame to the transport. */
  readonly serverMilliseconds: number;
  /** Milliseconds of that in the model. */
  readonly modelMilliseconds: number;
  /** Milliseconds of that in the encoder. */
  readonly encodeMilliseconds: number;
  /** Whether decoding can begin with it. */
  readonly keyFrame: boolean;
}

/** What a session is doing. */
export const SESSION_STATES = {
  /** The world is loading. */
  loading: "loading",
  /** Frames are coming. */
  running: "running",
  /** Session time stands still. */
  paused: "paused",
  /** The rollout is complete. */
  completed: "completed",
  /** It is over. */
  closed: "closed",
} as const;

/** One of `SESSION_STATES`. */
export type SessionState = (typeof SESSION_STATES)[keyof typeof SESSION_STATES];

/** Sent when the state of a session changes. */
export interface SessionStateMessage {
  /** What this message is. */
  readonly type: "state";
  /** The state now. */
  readonly state: SessionState;
  /** Resets so far. */
  readonly generation: number;
  /** Seed of the current rollout. */
  readonly seed: number;
  /** How much of the load is done, 0 to 1, where it is known. */
  readonly loadFraction?: number;
  /** Why it ended. */
  readonly reason?: ErrorRecord;
}

/** What holds in the encoder of a session, read back from its stream where that tells. */
export interface EncoderStatus {
  /** Backend and library with its version. */
  readonly name: string;
  /** Whether it runs on special hardware. */
  readonly isHardware: boolean;
  /** What was asked for: `auto`, `software` or `hardware`. */
  readonly hardwareAsked: string;
  /** Codec, profile and level, from the stream's parameter set. */
  readonly codecString: string;
  /** What the library was told about speed, in its own words. */
  readonly speed: string;
  /** Pictures that are held back, as measured. */
  readonly lookAheadFrames: number;
  /** Frames in a row that are out of order, as the stream has them. */
  readonly bFrames: number;
  /** Bits a second that it was made for. */
  readonly bitrateBitsPerSecond: number;
}

/** Counters of a session, sent about once a second. */
export interface SessionStatsMessage {
  /** What this message is. */
  readonly type: "stats";
  /** Frames a second that the model gives, over the last steps. */
  readonly generatedFramesPerSecond: number;
  /** Frames a second that the encoder gives. */
  readonly encodedFramesPerSecond: number;
  /** Model step, median over the last seconds, in milliseconds. */
  readonly modelMilliseconds: number;
  /** Encoding of one frame, median, in milliseconds. */
  readonly encodeMilliseconds: number;
  /** Steps later than their due time. */
  readonly underrunCount: number;
  /** Frames not shown, by reason. */
  readonly drops: Readonly<Record<string, number>>;
  /** Bits a second that the encoder aims at. */
  readonly targetBitrateBitsPerSecond: number;
  /** The codec in use. */
  readonly codec: string;
  /** The encoder in use. */
  readonly encoder: string;
  /** What holds in it; absent before its first frames. */
  readonly encoderSettings?: EncoderStatus;
  /** How the frames travel. */
  readonly transport: string;
  /** Viewers of the session, the player included. */
  readonly viewerCount: number;
}

/** Answers an input message, for round trips. */
export interface InputEchoMessage {
  /** What this message is. */
  readonly type: "input_echo";
  /** Number of the input message. */
  readonly sequence: number;
  /** What the client had put into it. */
  readonly sentAtMilliseconds: number;
}

/** Something that the user should know and that does not end the session. */
export interface NoticeMessage {
  /** What this message is. */
  readonly type: "notice";
  /** A stable name: a kind of `RunWarning`, such as `prompt_words`, or `recording_limit`. */
  readonly kind: string;
  /** For people. */
  readonly message: string;
  /** Facts for programs, of the same kind as in a `RunWarning`. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The first text on a WebSocket: answers `hello`. */
export interface WelcomeMessage {
  /** What this message is. */
  readonly type: "welcome";
  /** Version of the protocol that the server speaks. */
  readonly version: number;
  /** How the binary messages are coded. */
  readonly codec: FrameCodec;
  /** The epoch in which this connection counts its input. */
  readonly epoch: number;
}

/** The first text on the control channel of a WebRTC connection. */
export interface ConnectedMessage {
  /** What this message is. */
  readonly type: "connected";
  /** Version of the protocol that the server speaks. */
  readonly version: number;
  /** The codec of the video track. */
  readonly codec: FrameCodec;
  /** The epoch in which this connection counts its input. */
  readonly epoch: number;
}

/** A new token for the player, sent on connecting and well before the one before it ends, so that an open connection never outlives its token. */
export interface TokenMessage {
  /** What this message is. */
  readonly type: "token";
  /** Takes the place of the token of `SessionAnswer`. */
  readonly token: string;
  /** When it ends, in seconds from now. */
  readonly tokenSeconds: number;
}

/** Everything that a server sends as text. */
export type ServerMessage =
  | FrameMetadata
  | SessionStateMessage
  | SessionStatsMessage
  | InputEchoMessage
  | NoticeMessage
  | WelcomeMessage
  | ConnectedMessage
  | TokenMessage
  | ControlResponse;
