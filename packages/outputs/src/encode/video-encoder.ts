import type { I420Picture, VideoRange } from "../color/i420.ts";

/** The codecs that encoders may offer. */
export const VIDEO_CODECS = {
  /** H.264 (AVC), as an Annex B stream with parameter sets before each key frame. */
  h264: "h264",
  /** VP8; odd sizes and sizes down to 1×1 need no padding. */
  vp8: "vp8",
} as const;

/** One of `VIDEO_CODECS`. */
export type VideoCodec = (typeof VIDEO_CODECS)[keyof typeof VIDEO_CODECS];

/** What an encoder aims at. */
export const ENCODER_LATENCIES = {
  /** Each frame comes out before the next one is needed: no look-ahead, no reordering, one thread a stream. */
  realtime: "realtime",
  /** Files: as many threads as help; still no reordering. */
  quality: "quality",
} as const;

/** One of `ENCODER_LATENCIES`. */
export type EncoderLatency = (typeof ENCODER_LATENCIES)[keyof typeof ENCODER_LATENCIES];

/** What an encoder is asked for. */
export interface VideoEncoderConfig {
  /** Codec of the stream. */
  readonly codec: VideoCodec;
  /** Columns of the pictures that are to be seen; padding is the encoder's business. */
  readonly width: number;
  /** Rows of the pictures that are to be seen. */
  readonly height: number;
  /** Frames each second, above 0; fractions are fine. */
  readonly framesPerSecond: number;
  /** Aim for the size of the stream, in bits each second. */
  readonly bitrateBitsPerSecond: number;
  /** Greatest distance between key frames, in frames; more come on demand. */
  readonly keyFrameIntervalFrames: number;
  /** What counts more; default `quality`. */
  readonly latency?: EncoderLatency;
  /** Range of the pictures and of the stream's tags; default `limited`. */
  readonly range?: VideoRange;
}

/** What holds in an encoder, read back from the stream and the library where they tell. */
export interface VideoEncoderSettings {
  /** Name of the backend, such as `webcodecs`. */
  readonly backend: string;
  /** The library that encodes and, where known, its version, such as `libopenh264`. */
  readonly implementation: string;
  /** Whether the encoder runs on special hardware. */
  readonly isHardware: boolean;
  /** Codec of the stream. */
  readonly codec: VideoCodec;
  /** The codec with profile and level, as containers and browsers name it, such as `avc1.42c01f`. */
  readonly codecString: string;
  /** Columns that a decoder gives. */
  readonly width: number;
  /** Rows that a decoder gives. */
  readonly height: number;
  /** Columns handed to the encoder, with padding. */
  readonly codedWidth: number;
  /** Rows handed to the encoder, with padding. */
  readonly codedHeight: number;
  /** Aim for the size, in bits each second. */
  readonly bitrateBitsPerSecond: number;
  /** Greatest distance between key frames, in frames. */
  readonly keyFrameIntervalFrames: number;
  /** What was asked for. */
  readonly latency: EncoderLatency;
  /** What the library was told about speed, in its own words, such as `ultrafast, zerolatency`. */
  readonly speed: string;
  /** Frames that are held back before the first one comes out, as the library was told. */
  readonly lookAheadFrames: number;
  /** Frames in a row that refer to later ones and so are out of order: as many as the stream was seen to have. */
  readonly bFrames: number;
  /** Range of the stream. */
  readonly range: VideoRange;
}

/** One encoded frame. */
export interface EncodedFrame {
  /** The bytes, memory of their own: H.264 as Annex B with parameter sets before each key frame, VP8 as a bare frame. */
  readonly data: Uint8Array;
  /** The timestamp that was given with the picture. */
  readonly timestamp: number;
  /** Whether decoding can start here. */
  readonly isKeyFrame: boolean;
}

/** How one picture is to be encoded. */
export interface EncodeOptions {
  /** Any number that rises from picture to picture; comes back with the encoded frame. */
  readonly timestamp: number;
  /** Whether it must be a key frame; default false. */
  readonly keyFrame?: boolean;
}

/** What an encoder reports to its owner. */
export interface VideoEncoderEvents {
  /** Takes one encoded frame; called once for each picture, in order. */
  readonly onFrame: (frame: EncodedFrame) => void;
  /** Told once when the encoder has failed; every later call rejects with the same `encoder_failed` error. */
  readonly onError?: (error: Error) => void;
}

/**
 * One running encoder. Owned by who made it, and used from one thread; encoding itself happens elsewhere. To change the bitrate or size, make
 * another one: its first frame is a key frame.
 */
export interface VideoEncoder {
  /** What holds; the codec string and sizes come from the stream once its first frame has come out. */
  readonly settings: VideoEncoderSettings;
  /** Pictures handed in whose frames have not come out yet. */
  readonly pendingFrames: number;
  /**
   * Takes one picture of `settings.codedWidth` × `codedHeight`. Resolves when its memory may be used again and the encoder has room for
   * another; that is the back-pressure. Rejects with `encoder_failed`.
   */
  encode(picture: I420Picture, options: EncodeOptions): Promise<void>;
  /** Resolves when the frame of every picture handed in has come out. */
  flush(): Promise<void>;
  /** Ends the encoder; frames that have not come out are lost. Idempotent. */
  close(): Promise<void>;
}

/** How soon a key frame follows a demand. */
export const KEY_FRAME_DEMANDS = {
  /** The picture itself becomes one. */
  immediate: "immediate",
  /** The encoder is started anew for it, which costs some tens of milliseconds. */
  restart: "restart",
} as const;

/** One of `KEY_FRAME_DEMANDS`. */
export type KeyFrameDemand = (typeof KEY_FRAME_DEMANDS)[keyof typeof KEY_FRAME_DEMANDS];

/** A way of encoding: a library or program. It may hold a process of its own; who made it closes it. */
export interface VideoEncoderBackend {
  /** Name for people and for `selectEncoder`. */
  readonly name: string;
  /** Codecs it offers on this machine. */
  readonly codecs: readonly VideoCodec[];
  /** Whether it encodes on special hardware. */
  readonly isHardware: boolean;
  /** How it answers a demand for a key frame. */
  readonly keyFrameDemand: KeyFrameDemand;
  /** Starts an encoder. Throws `encoder_failed` when the settings cannot be met. */
  readonly createEncoder: (config: VideoEncoderConfig, events: VideoEncoderEvents) => Promise<VideoEncoder>;
  /** Decodes frames that an encoder of any backend gave; for self-tests. Absent where the backend has no decoder. */
  readonly decode?: (options: DecodeOptions) => Promise<readonly I420Picture[]>;
  /** Ends everything that it holds; idempotent. */
  readonly close: () => Promise<void>;
}

/** What is to be decoded. */
export interface DecodeOptions {
  /** Codec of the frames. */
  readonly codec: VideoCodec;
  /** The frames, the first one a key frame. */
  readonly frames: readonly EncodedFrame[];
  /** Columns of each picture. */
  readonly width: number;
  /** Rows of each picture. */
  readonly height: number;
}
