import type { MessagePort } from "node:worker_threads";
import type {
  ControlHint,
  HistoryOptions,
  InferenceConfigInput,
  Json,
  LoadProgress,
  ModelInputsInput,
  MomentAgo,
  RealtimeStatus,
  RewindAnswer,
  RunReport,
  RunWarning,
  SessionDescriptionInput,
  StepResultInput,
  UserInputEventInput,
  WaitLimits,
} from "@dreamloop/core";
import type { ErrorRecord, HistoryFacts, MomentLimits, MomentPosition } from "@dreamloop/core/internal";
import type { ImageInputSize } from "../image-input.ts";
import type { MomentExtras } from "../moment/run-from.ts";
import type { ThreadError } from "./thread-error.ts";
import type { WorldReferenceInput } from "./world-reference.ts";

/** What the worker is started with. */
export interface WorkerStart {
  /** The world to load. */
  readonly reference: WorldReferenceInput;
  /** How it runs; `modelId` defaults to the adapter's. */
  readonly config: Partial<InferenceConfigInput>;
  /** Which candidate of `config.model` runs. */
  readonly candidateIndex?: number;
  /** How long its code is waited for. */
  readonly waits: WaitLimits;
  /** Memory that both sides share, see `ThreadMarks`. */
  readonly marks: SharedArrayBuffer;
}

/** One initial input of a world; plain data. */
export interface WorldInfoField {
  /** Its name. */
  readonly name: string;
  /** Whether it must be there. */
  readonly required: boolean;
  /** Whether an update may change it: `session_start` or `step_boundary`. */
  readonly updatePolicy: string;
  /** For people. */
  readonly description: string;
  /** Size of the picture that it takes; absent: it takes none. */
  readonly image?: ImageInputSize;
}

/** What is known of a world once it is loaded; plain data. */
export interface WorldInfo {
  /** Stable identity. */
  readonly modelId: string;
  /** Version of the adapter. */
  readonly version: string;
  /** For people. */
  readonly title: string;
  /** For people. */
  readonly description: string;
  /** What sessions deliver. */
  readonly session: SessionDescriptionInput;
  /** Sessions that may be active at a time. */
  readonly maxSessions: number;
  /** Controls of the converters that this world uses. */
  readonly controls: readonly ControlHint[];
  /** Event types that its converters understand. */
  readonly eventTypes: readonly string[];
  /** Initial inputs: name, whether required, whether an update may change it, description. */
  readonly initialFields: readonly WorldInfoField[];
  /** Words that the prompt understands; absent: free text or no prompt. */
  readonly promptVocabulary?: readonly string[];
  /** Whole prompts that the world's author offers; absent: none. */
  readonly promptSuggestions?: readonly string[];
  /** What the runtime says of itself. */
  readonly runtimeFacts: { readonly [key: string]: Json };
  /** Whether sessions have snapshots cannot be known before one runs; the configuration in force is. */
  readonly config: InferenceConfigInput;
  /** Seconds that loading took. */
  readonly loadSeconds: number;
}

/** How a session is started in the worker. */
export interface SessionStart {
  /** Initial inputs such as a prompt. */
  readonly initialInputs?: ModelInputsInput;
  /** Seed of every random draw; default 0. */
  readonly seed?: number;
  /** By how many frames generation may lead presentation; default those of two steps. */
  readonly leadFrames?: number;
  /** Steps to run; default no limit. */
  readonly stepLimit?: number;
  /** Seconds without a message after which held input is released; default 1. */
  readonly holdTimeoutSeconds?: number;
  /** Whether frames are checked; default true. */
  readonly checkFrames?: boolean;
  /** Chunks that may be on their way to the receiver; beyond that new ones are dropped and counted; default 4. */
  readonly maxChunksInFlight?: number;
  /** A moment file to go on from; its initial inputs count, and its seed unless one is given. */
  readonly from?: Uint8Array;
  /** Bounds of the moment file that is read. */
  readonly momentLimits?: Partial<MomentLimits>;
  /** Goes on with another engine than that of the moment; default false. */
  readonly allowOtherEngine?: boolean;
  /** How a history is kept, so that the session can go back; absent: none. */
  readonly history?: HistoryOptions;
  /** Whether the lines of an exact trace are sent, and before them the arrays that are too big for a line. */
  readonly trace?: boolean;
}

/** Main thread → worker. */
export type ToWorker =
  | {
      readonly type: "start_session";
      readonly sessionId: string;
      readonly start: SessionStart;
      readonly port: MessagePort;
      /** Where chunks go when another thread takes them; absent: they go over `port`. */
      readonly chunkPort?: MessagePort;
    }
  | { readonly type: "cancel_load" }
  | { readonly type: "close" }
  /** Ends the thread as it is. */
  | { readonly type: "exit" };

/** Worker → main thread, about the runtime. */
export type FromWorker =
  | { readonly type: "imported" }
  | { readonly type: "progress"; readonly progress: LoadProgress }
  | { readonly type: "loaded"; readonly info: WorldInfo }
  | { readonly type: "load_failed"; readonly error: ThreadError }
  | { readonly type: "closed"; readonly error?: ErrorRecord };

/** Main thread → session, over the session's own port. */
export type ToSession =
  | { readonly type: "events"; readonly events: readonly UserInputEventInput[]; readonly sequence?: number }
  | { readonly type: "reset"; readonly requestId: number; readonly seed?: number }
  | { readonly type: "rewind"; readonly requestId: number; readonly to: MomentPosition | MomentAgo }
  | {
      readonly type: "moment";
      readonly requestId: number;
      readonly at?: MomentPosition;
      readonly isFork: boolean;
      readonly extras: MomentExtras;
    }
  | { readonly type: "history"; readonly requestId: number }
  | { readonly type: "step_once" }
  | { readonly type: "release_input"; readonly reason: string }
  | { readonly type: "close" }
  | ToChunkSender;

/** Taker of chunks → session, over whichever port the chunks come. */
export interface ToChunkSender {
  /** What this message is. */
  readonly type: "chunk_done";
  /** The memory of a chunk, given back. */
  readonly pixels: ArrayBuffer;
}

/** Session → taker of chunks. */
export type FromChunkSender =
  | {
      readonly type: "chunk";
      readonly result: StepResultInput;
      /** When its first frame is due, in seconds of the process clock. */
      readonly firstDueSeconds: number;
      /** When the input of its step was read, in seconds of the process clock. */
      readonly readSeconds: number;
      readonly status: RealtimeStatus;
      readonly droppedChunks: number;
      /** Seconds that the model's step took. */
      readonly modelSeconds: number;
    }
  | { readonly type: "generation"; readonly generation: number };

/** Session → main thread, over the session's own port. */
export type FromSession =
  | { readonly type: "started" }
  | FromChunkSender
  | { readonly type: "reset_done"; readonly requestId: number; readonly generation: number }
  | { readonly type: "rewind_done"; readonly requestId: number; readonly answer: RewindAnswer }
  | { readonly type: "moment_done"; readonly requestId: number; readonly bytes: Uint8Array }
  | { readonly type: "history_done"; readonly requestId: number; readonly facts: HistoryFacts | undefined }
  | { readonly type: "request_failed"; readonly requestId: number; readonly error: ErrorRecord }
  | { readonly type: "refused_events"; readonly error: ErrorRecord }
  | { readonly type: "status"; readonly status: RealtimeStatus }
  /** Content that the lines of the trace that follow speak of. */
  | { readonly type: "trace_payload"; readonly address: string; readonly bytes: Uint8Array }
  | { readonly type: "trace"; readonly line: string }
  | { readonly type: "warning"; readonly warning: RunWarning }
  | { readonly type: "ended"; readonly report: RunReport }
  | { readonly type: "failed"; readonly error: ThreadError };
