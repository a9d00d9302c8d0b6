import type { Mapping } from "@dreamloop/core";
import {
  finite,
  listOf,
  oneOf,
  optional,
  refuse,
  shape,
  text,
  type ErrorRecord,
  mapping,
  type Reader,
} from "@dreamloop/core/internal";
import { PROTOCOL_LIMITS } from "./limits.ts";

/** What a client may ask for over the reliable control channel. */
export interface ControlRequests {
  /** A new prompt at the next step boundary. */
  readonly prompt: { readonly prompt: string; readonly negativePrompt?: string };
  /** A text event of the world changes its state, such as `start` or `end`, as the world understands it. */
  readonly text_event: { readonly id: string; readonly state: string };
  /** The rollout starts again, with a new seed if one is given. */
  readonly reset: { readonly seed?: number };
  /** The session goes back to a moment of its history and continues from there as a new generation. */
  readonly rewind: { readonly generation: number; readonly stepIndex: number } | { readonly secondsAgo: number };
  /** What the session's history holds: its generations, and how much memory it takes. */
  readonly history: Readonly<Record<string, never>>;
  /** Session time stands still. */
  readonly pause: Readonly<Record<string, never>>;
  /** Session time goes on. */
  readonly resume: Readonly<Record<string, never>>;
  /** While paused: one step. */
  readonly step: Readonly<Record<string, never>>;
  /** Starts a recording; MP4 and trace are made on the server. */
  readonly record_start: Readonly<Record<string, never>>;
  /** Ends the recording; the answer names where to fetch it. */
  readonly record_stop: Readonly<Record<string, never>>;
  /** A key frame, for a decoder that lost its way. */
  readonly key_frame: Readonly<Record<string, never>>;
  /** Trickled ICE candidates; none ends them. */
  readonly candidates: { readonly candidates: readonly IceCandidate[] };
  /** What the client sees, for statistics and the bitrate. */
  readonly client_stats: ClientStats;
  /** Ends the session. */
  readonly close: Readonly<Record<string, never>>;
}

/** An ICE candidate as browsers give it. */
export interface IceCandidate {
  /** The candidate line; empty ends the candidates. */
  readonly candidate: string;
  /** The media section. */
  readonly sdpMid?: string;
}

/** What a client measures. */
export interface ClientStats {
  /** Frames shown since the start. */
  readonly presentedFrames: number;
  /** Frames the decoder or the page dropped since the start. */
  readonly droppedFrames: number;
  /** Input to photon, median of the last seconds, in seconds. */
  readonly inputToPhotonSeconds?: number;
  /** Bytes that wait in the client's receive queue. */
  readonly queuedBytes?: number;
}

/** The name of a request. */
export type ControlMethod = keyof ControlRequests;

/** A request with its id. */
export type ControlRequest = {
  readonly [Method in ControlMethod]: {
    readonly type: "request";
    readonly id: number;
    readonly method: Method;
    readonly params: ControlRequests[Method];
  };
}[ControlMethod];

const nothing = shape<Record<string, never>>({}, { allowUnknown: true });
const count = finite({ integer: true, min: 0 });

/** Reads an ICE candidate. */
export const readCandidate: Reader<IceCandidate> = shape<IceCandidate>(
  {
    candidate: text({ allowBlank: true, maxLength: PROTOCOL_LIMITS.candidateLength }),
    sdpMid: (value, path) =>
      value === null ? undefined : optional(text({ allowBlank: true, maxLength: 64 }))(value, path),
  },
  { allowUnknown: true },
);

const momentAgo = shape<{ readonly secondsAgo: number }>(
  { secondsAgo: finite({ min: 0, max: 1_000_000 }) },
  { allowUnknown: true },
);

/** Reads a moment of a session's history. */
export const readMomentPosition: Reader<{ readonly generation: number; readonly stepIndex: number }> = shape<{
  readonly generation: number;
  readonly stepIndex: number;
}>({ generation: count, stepIndex: count }, { allowUnknown: true });

const readers: { readonly [Method in ControlMethod]: Reader<ControlRequests[Method]> } = {
  prompt: shape<ControlRequests["prompt"]>(
    {
      prompt: text({ allowBlank: true, maxLength: PROTOCOL_LIMITS.promptLength }),
      negativePrompt: optional(text({ allowBlank: true, maxLength: PROTOCOL_LIMITS.promptLength })),
    },
    { allowUnknown: true },
  ),
  text_event: shape<ControlRequests["text_event"]>(
    { id: text({ maxLength: 128 }), state: text({ maxLength: 128 }) },
    { allowUnknown: true },
  ),
  reset: shape<ControlRequests["reset"]>({ seed: optional(count) }, { allowUnknown: true }),
  rewind: (params, path) =>
    Object.hasOwn(mapping(params, path), "secondsAgo") ? momentAgo(params, path) : readMomentPosition(params, path),
  history: nothing,
  pause: nothing,
  resume: nothing,
  step: nothing,
  record_start: nothing,
  record_stop: nothing,
  key_frame: nothing,
  candidates: shape<ControlRequests["candidates"]>(
    { candidates: listOf(readCandidate, { max: PROTOCOL_LIMITS.candidates }) },
    { allowUnknown: true },
  ),
  client_stats: shape<ClientStats>(
    {
      presentedFrames: count,
      droppedFrames: count,
      inputToPhotonSeconds: optional(finite({ min: 0, max: 3600 })),
      queuedBytes: optional(count),
    },
    { allowUnknown: true },
  ),
  close: nothing,
};

/** Reads a message of the control channel; throws `invalid_value` naming the field. */
export function readControlRequest(value: unknown): ControlRequest {
  const request = shape<{ type: "request"; id: number; method: ControlMethod; params: Mapping }>(
    {
      type: (type, path) => oneOf({ request: "request" } as const)(type, path),
      id: count,
      method: (method, path) =>
        typeof method === "string" && Object.hasOwn(readers, method)
          ? (method as ControlMethod)
          : refuse(path, `one of ${Object.keys(readers).join(", ")}`, method),
      params: (params, path) => (params === undefined ? {} : mapping(params, path)),
    },
    { allowUnknown: true },
  )(value, "ControlRequest");
  const { id, method } = request;
  return {
    type: "request",
    id,
    method,
    params: readers[method](request.params, `ControlRequest(${method}).params`),
  } as ControlRequest;
}

/** The answer to a request. */
export type ControlResponse =
  | { readonly type: "response"; readonly id: number; readonly ok: true; readonly result: Mapping }
  | { readonly type: "response"; readonly id: number; readonly ok: false; readonly error: ErrorRecord };
