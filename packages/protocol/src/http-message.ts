import type { ControlHint, Json, SessionDescription } from "@dreamloop/core";
import {
  finite,
  listOf,
  mapping,
  mappingOf,
  oneOf,
  optional,
  refuse,
  shape,
  text,
  type ErrorRecord,
  type Reader,
} from "@dreamloop/core/internal";
import { readCandidate, readMomentPosition, type IceCandidate } from "./control-message.ts";
import { PROTOCOL_LIMITS } from "./limits.ts";
import type { RecordingFacts } from "./recording-facts.ts";
import type { SessionState, SessionStatsMessage } from "./server-message.ts";

/** One initial input of a world. */
export interface WorldSummaryField {
  /** Its name. */
  readonly name: string;
  /** Whether it must be there. */
  readonly required: boolean;
  /** Whether an update may change it: `session_start` or `step_boundary`. */
  readonly updatePolicy: string;
  /** For people. */
  readonly description: string;
  /** It takes a picture, which is cropped to this size; absent: it is another kind of input. */
  readonly image?: { readonly width: number; readonly height: number };
}

/** A world as a server offers it. */
export interface WorldSummary {
  /** The name under which it is asked for. */
  readonly id: string;
  /** For people. */
  readonly title: string;
  /** For people. */
  readonly description: string;
  /** Whether it is code or a bundle of weights. */
  readonly kind: "module" | "bundle";
  /** Pixels a row, where that is known before it is loaded. */
  readonly width?: number;
  /** Rows. */
  readonly height?: number;
  /** The world's own rate. */
  readonly framesPerSecond?: number;
  /** Controls to show; empty before the world has been loaded unless they are known. */
  readonly controls: readonly ControlHint[];
  /** Initial inputs such as the prompt. */
  readonly initialFields: readonly WorldSummaryField[];
  /** Words that the prompt understands; absent: free text or no prompt. */
  readonly promptVocabulary?: readonly string[];
  /** Whole prompts that the world's author offers, one for each thing worth seeing; absent: none. */
  readonly promptSuggestions?: readonly string[];
  /** Whether a session can ask for another size. */
  readonly acceptsSize: boolean;
  /** Whether it is loaded, so that a session starts at once. */
  readonly loaded: boolean;
  /** The model card as Markdown. */
  readonly modelCard?: string;
  /** Path of its picture on this server, which changes with the picture; absent: it has none. */
  readonly posterPath?: string;
}

/** Answer of `GET /api/worlds`. */
export interface WorldsAnswer {
  /** The worlds, in the server's order. */
  readonly worlds: readonly WorldSummary[];
}

/** A server that helps peers to find each other, as browsers take it. */
export interface IceServerEntry {
  /** `stun:` or `turn:` addresses. */
  readonly urls: string | readonly string[];
  /** For TURN. */
  readonly username?: string;
  /** For TURN. */
  readonly credential?: string;
}

/** How frames and input can travel. */
export const TRANSPORTS = {
  /** WebRTC: video track and data channels. */
  webrtc: "webrtc",
  /** One WebSocket for everything. */
  websocket: "websocket",
} as const;

/** One of `TRANSPORTS`. */
export type Transport = (typeof TRANSPORTS)[keyof typeof TRANSPORTS];

/** Answer of `GET /api/config`. */
export interface ConfigAnswer {
  /** Version of Dreamloop. */
  readonly version: string;
  /** Version of the messages. */
  readonly protocolVersion: number;
  /** For the client's peer connection. */
  readonly iceServers: readonly IceServerEntry[];
  /** Whether only relayed connections are to be used. */
  readonly iceTransportPolicy: "all" | "relay";
  /** What this server offers. */
  readonly transports: readonly Transport[];
  /** Limits that clients have to keep. */
  readonly limits: typeof PROTOCOL_LIMITS;
  /** Whether starting a session needs the server's token. */
  readonly authentication: "none" | "token";
  /** Whether sessions can be recorded. */
  readonly recording: boolean;
  /** What a picture to start from may be; absent: the server takes none. */
  readonly uploads?: UploadLimits;
  /** Bytes of a moment file that a session can be started from; 0: none can. */
  readonly momentBytes: number;
  /** Whether sessions keep a history, so that they can go back and be forked. */
  readonly history: boolean;
}

/** What a picture may be that is uploaded. */
export interface UploadLimits {
  /** Bytes of the file. */
  readonly maxBytes: number;
  /** Pixels. */
  readonly maxPixels: number;
  /** Kinds of picture, as media types; the content decides, not what a client says of it. */
  readonly types: readonly string[];
}

/** Answer of `POST /api/uploads`. */
export interface UploadAnswer {
  /** Made by the server; stands for the picture in `CreateSessionRequest.images`, once, for whoever uploaded it. */
  readonly uploadId: string;
  /** Pixels a row of what was kept. */
  readonly width: number;
  /** Rows of what was kept. */
  readonly height: number;
  /** Seconds after which it is forgotten. */
  readonly expiresSeconds: number;
}

/** Body of `POST /api/sessions`. */
export interface CreateSessionRequest {
  /** Id of the world. */
  readonly world: string;
  /** A preset of its model. */
  readonly preset?: string;
  /** Seed; default a random one, told in the state. */
  readonly seed?: number;
  /** Prompt at the start. */
  readonly prompt?: string;
  /** Size of the picture, for worlds that accept one. */
  readonly size?: { readonly width: number; readonly height: number };
  /** Name of a moment that the server holds ready, to start from; its inputs and its seed then count. */
  readonly moment?: string;
  /** Uploaded pictures by the name of the initial input that takes them; each can be used once. */
  readonly images?: Readonly<Record<string, string>>;
}

const uploadId = text({ maxLength: PROTOCOL_LIMITS.tokenLength });
const images: Reader<Readonly<Record<string, string>>> = (value, path) => {
  const given = mapping(value, path);
  const names = Object.keys(given);
  if (names.length > PROTOCOL_LIMITS.images) refuse(path, `at most ${PROTOCOL_LIMITS.images} pictures`, names.length);
  names.forEach((name) => text({ maxLength: PROTOCOL_LIMITS.worldIdLength })(name, `${path} (a name)`));
  return mappingOf(uploadId)(given, path);
};
const side = finite({ integer: true, min: 16, max: PROTOCOL_LIMITS.sidePixels });
const createRequest = shape<CreateSessionRequest>(
  {
    world: text({ maxLength: PROTOCOL_LIMITS.worldIdLength }),
    preset: optional(text({ maxLength: PROTOCOL_LIMITS.worldIdLength })),
    seed: optional(finite({ integer: true, min: 0 })),
    prompt: optional(text({ allowBlank: true, maxLength: PROTOCOL_LIMITS.promptLength })),
    size: optional(shape<{ width: number; height: number }>({ width: side, height: side }, { allowUnknown: true })),
    moment: optional(text({ maxLength: PROTOCOL_LIMITS.momentNameLength })),
    images: optional(images),
  },
  { allowUnknown: true },
);

/** Body of `POST /api/sessions/:id/fork`. */
export interface ForkSessionRequest {
  /** The moment to begin from; absent: the next step boundary. */
  readonly at?: { readonly generation: number; readonly stepIndex: number };
  /** Seed of every draw from there on; absent: the same. */
  readonly seed?: number;
  /** Prompt from there on; absent: the same. */
  readonly prompt?: string;
}

const forkRequest = shape<ForkSessionRequest>(
  {
    at: optional(readMomentPosition),
    seed: optional(finite({ integer: true, min: 0 })),
    prompt: optional(text({ allowBlank: true, maxLength: PROTOCOL_LIMITS.promptLength })),
  },
  { allowUnknown: true },
);

/** Reads the body of a fork; throws `invalid_value` naming the field. */
export function readForkSessionRequest(value: unknown): ForkSessionRequest {
  return forkRequest(value, "ForkSessionRequest");
}

/** Body of `POST /api/sessions/:id/moment`. */
export interface SaveMomentRequest {
  /** The moment; absent: the next step boundary. */
  readonly at?: { readonly generation: number; readonly stepIndex: number };
  /** A name that a person gave it. */
  readonly name?: string;
}

const momentRequest = shape<SaveMomentRequest>(
  { at: optional(readMomentPosition), name: optional(text({ maxLength: PROTOCOL_LIMITS.momentNameLength })) },
  { allowUnknown: true },
);

/** Reads the body of a request for a moment file; throws `invalid_value` naming the field. */
export function readSaveMomentRequest(value: unknown): SaveMomentRequest {
  return momentRequest(value, "SaveMomentRequest");
}

/** Reads the body of `POST /api/sessions`; throws `invalid_value` naming the field. */
export function readCreateSessionRequest(value: unknown): CreateSessionRequest {
  return createRequest(value, "CreateSessionRequest");
}

/** Answer of `POST /api/sessions` and of a resume. */
export interface SessionAnswer {
  /** Made by the server. */
  readonly sessionId: string;
  /** For everything that the player does with this session; short-lived, a resume gives a new one. */
  readonly token: string;
  /** When the token ends, in seconds from now. */
  readonly tokenSeconds: number;
  /** For a resume; keep it in the page. */
  readonly resumeSecret: string;
  /** For viewers: watch only. */
  readonly viewerToken: string;
  /** The epoch for the next connection's input; `welcome` and `connected` repeat it. */
  readonly epoch: number;
  /** What the session delivers; absent while the world loads. */
  readonly description?: SessionDescription;
  /** What it is doing. */
  readonly state: SessionState;
  /** The world. */
  readonly world: WorldSummary;
  /** For the client's peer connection. */
  readonly iceServers: readonly IceServerEntry[];
  /** Whether only relayed connections are to be used. */
  readonly iceTransportPolicy: "all" | "relay";
  /** Path of the WebSocket, without the token. */
  readonly websocketPath: string;
}

/** Answer of `GET /api/sessions/:id`. */
export interface SessionFacts {
  /** Made by the server. */
  readonly sessionId: string;
  /** Id of the world. */
  readonly world: string;
  /** What it is doing. */
  readonly state: SessionState;
  /** Resets so far. */
  readonly generation: number;
  /** Seed of the current rollout. */
  readonly seed: number;
  /** How much of the load is done, where it is known. */
  readonly loadFraction?: number;
  /** What it delivers, once loaded. */
  readonly description?: SessionDescription;
  /** What its runtime says of itself, once loaded: engine, weights, what came of reference frames, where it fell back. */
  readonly runtimeFacts?: { readonly [key: string]: Json };
  /** Counters, once there are some. */
  readonly stats?: SessionStatsMessage;
  /** Viewers, the player included. */
  readonly viewerCount: number;
  /** Recordings that can be fetched. */
  readonly recordings: readonly RecordingFacts[];
}

/** Body of an offer, and of its answer. */
export interface SdpMessage {
  /** Which of the two. */
  readonly type: "offer" | "answer";
  /** The description. */
  readonly sdp: string;
}

const offer = shape<SdpMessage>(
  {
    type: (value, path) => oneOf({ offer: "offer" } as const)(value, path),
    sdp: text({ maxLength: PROTOCOL_LIMITS.sdpLength }),
  },
  { allowUnknown: true },
);

/** Reads an offer; throws `invalid_value` naming the field. */
export function readOffer(value: unknown): SdpMessage {
  return offer(value, "Offer");
}

const candidates = shape<{ candidates: readonly IceCandidate[] }>(
  { candidates: listOf(readCandidate, { max: PROTOCOL_LIMITS.candidates }) },
  { allowUnknown: true },
);

/** Reads the body of `POST …/candidates`; throws `invalid_value` naming the field. */
export function readCandidates(value: unknown): readonly IceCandidate[] {
  return candidates(value, "Candidates").candidates;
}

const resume = shape<{ resumeSecret: string }>(
  { resumeSecret: text({ maxLength: PROTOCOL_LIMITS.tokenLength }) },
  { allowUnknown: true },
);

/** Reads the body of `POST …/resume`; throws `invalid_value` naming the field. */
export function readResumeRequest(value: unknown): { readonly resumeSecret: string } {
  return resume(value, "ResumeRequest");
}

/** The body of every answer that is an error. */
export interface ErrorAnswer {
  /** What went wrong: code and message, never a stack. */
  readonly error: ErrorRecord;
  /** When to try again, for errors that are retryable. */
  readonly retryAfterSeconds?: number;
}
