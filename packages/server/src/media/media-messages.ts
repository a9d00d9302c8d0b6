import type { MessagePort } from "node:worker_threads";
import type { SessionDescriptionInput } from "@dreamloop/core";
import type { ErrorRecord } from "@dreamloop/core/internal";
import type { EncoderName, HardwarePreference, VideoEncoderSettings } from "@dreamloop/outputs";
import type { FrameCodec } from "@dreamloop/protocol";

/** The encoder's name where there is none. */
export const NO_ENCODER = "none";

/** What the media worker is started with. */
export interface MediaWorkerStart {
  /** Which encoder it looks for. */
  readonly encoder: EncoderName;
  /** Where that has to run. */
  readonly hardware: HardwarePreference;
  /** Quality of JPEG pictures, 1 to 100. */
  readonly jpegQuality: number;
}

/** Main thread → media worker. */
export type ToMedia =
  | {
      readonly type: "open";
      readonly mediaId: number;
      readonly description: SessionDescriptionInput;
      readonly chunkPort: MessagePort;
      readonly bitrateBitsPerSecond: number;
    }
  | { readonly type: "set_codecs"; readonly mediaId: number; readonly codecs: readonly FrameCodec[] }
  | { readonly type: "key_frame"; readonly mediaId: number; readonly codec: FrameCodec }
  | { readonly type: "set_bitrate"; readonly mediaId: number; readonly bitrateBitsPerSecond: number }
  | { readonly type: "record_start"; readonly mediaId: number; readonly requestId: number; readonly path: string }
  | { readonly type: "record_stop"; readonly mediaId: number; readonly requestId: number }
  | { readonly type: "close"; readonly mediaId: number }
  | { readonly type: "end" };

/** One encoded frame on its way to the viewers. */
export interface MediaFrame {
  /** How it is coded. */
  readonly codec: FrameCodec;
  /** The bytes; nobody writes to them. */
  readonly data: Uint8Array;
  /** Whether decoding can begin with it. */
  readonly keyFrame: boolean;
  /** RTP timestamp, 90 kHz, modulo 2³². */
  readonly rtpTimestamp: number;
  /** Number of the frame since the session started. */
  readonly frameIndex: number;
  /** Resets before it. */
  readonly generation: number;
  /** Index of its step since the last reset. */
  readonly stepIndex: number;
  /** Its place within the step. */
  readonly frameInStep: number;
  /** Number of the newest input message that its step saw, see `messageNumber`. */
  readonly messageNumber?: number;
  /** When the input of its step was read, in seconds of the process clock. */
  readonly readSeconds: number;
  /** Seconds in the model. */
  readonly modelSeconds: number;
  /** Seconds in the encoder. */
  readonly encodeSeconds: number;
  /** The codec with profile, as WebCodecs names it. */
  readonly codecString: string;
  /** Columns that a decoder gives. */
  readonly width: number;
  /** Rows that a decoder gives. */
  readonly height: number;
}

/** Counters of one session in the media worker. */
export interface MediaStats {
  /** Frames a second that the model gives. */
  readonly generatedFramesPerSecond: number;
  /** Frames a second that were encoded, whatever the number of codecs. */
  readonly encodedFramesPerSecond: number;
  /** Model step, median, in seconds. */
  readonly modelSeconds: number;
  /** Encoding of one frame, median, in seconds. */
  readonly encodeSeconds: number;
  /** Steps later than their due time. */
  readonly underrunCount: number;
  /** Frames not shown, by reason. */
  readonly drops: Readonly<Record<string, number>>;
  /** Bits a second that the encoder aims at. */
  readonly bitrateBitsPerSecond: number;
  /** Bits a second that came out of the encoders since the last report. */
  readonly sentBitsPerSecond: number;
  /** Frames that were presented so far. */
  readonly presentedFrames: number;
  /** Encoders that were made so far. */
  readonly encoderStarts: number;
}

/** What a recording gave. */
export interface RecordedVideo {
  /** Frames in the file; 0: there is no file. */
  readonly frameCount: number;
  /** Frames left out because the encoder was too slow. */
  readonly droppedFrames: number;
  /** Bytes of the file. */
  readonly bytes: number;
}

/** Media worker → main thread. */
export type FromMedia =
  | {
      readonly type: "ready";
      readonly codecs: readonly FrameCodec[];
      readonly encoder: string;
      readonly faults: readonly string[];
    }
  | { readonly type: "frame"; readonly mediaId: number; readonly frame: MediaFrame }
  | { readonly type: "stats"; readonly mediaId: number; readonly stats: MediaStats }
  | { readonly type: "encoder"; readonly mediaId: number; readonly settings: VideoEncoderSettings }
  | { readonly type: "request_done"; readonly requestId: number; readonly recorded?: RecordedVideo }
  | { readonly type: "request_failed"; readonly requestId: number; readonly error: ErrorRecord }
  | { readonly type: "fault"; readonly mediaId: number; readonly error: ErrorRecord }
  | { readonly type: "closed"; readonly mediaId: number };
