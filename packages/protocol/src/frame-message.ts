import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { isPlainObject, oneOf } from "@dreamloop/core/internal";
import { PROTOCOL_LIMITS } from "./limits.ts";
import type { FrameMetadata } from "./server-message.ts";

/** How frames are coded. */
export const FRAME_CODECS = {
  /** H.264 as an Annex B stream, parameter sets before each key frame. */
  h264: "h264",
  /** VP8, bare frames. */
  vp8: "vp8",
  /** A JPEG picture for each frame, where nothing can decode video. */
  jpeg: "jpeg",
} as const;

/** One of `FRAME_CODECS`. */
export type FrameCodec = (typeof FRAME_CODECS)[keyof typeof FRAME_CODECS];

/** The header of a binary message on the WebSocket. */
export interface FrameHeader extends FrameMetadata {
  /** How the payload is coded. */
  readonly codec: FrameCodec;
  /** With key frames: the codec as WebCodecs names it, such as `avc1.42c01e`, `vp8` or `image/jpeg`. */
  readonly codecString?: string;
  /** With key frames: columns that are shown. */
  readonly width?: number;
  /** With key frames: rows that are shown. */
  readonly height?: number;
}

const LENGTH_BYTES = 4;

/** The beginning of a binary message: the header's length as a big-endian 32-bit number, then the header as JSON; the payload follows. */
export function frameMessageHead(header: FrameHeader): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(header));
  const head = new Uint8Array(LENGTH_BYTES + json.byteLength);
  new DataView(head.buffer).setUint32(0, json.byteLength);
  head.set(json, LENGTH_BYTES);
  return head;
}

/** Reads a binary message; the payload shares its memory. Throws `invalid_value` for anything that is not one. */
export function readFrameMessage(message: Uint8Array): { readonly header: FrameHeader; readonly payload: Uint8Array } {
  const { buffer, byteOffset, byteLength } = message;
  const headerBytes = byteLength < LENGTH_BYTES ? 0 : new DataView(buffer, byteOffset, byteLength).getUint32(0);
  if (headerBytes === 0 || headerBytes > Math.min(PROTOCOL_LIMITS.frameHeaderBytes, byteLength - LENGTH_BYTES)) {
    throw new DreamloopError(
      ERROR_CODES.invalidValue,
      `frame message: expected a header of 1 to ${PROTOCOL_LIMITS.frameHeaderBytes} bytes, found ${headerBytes} in a message of ${byteLength}`,
    );
  }
  const header = parse(message.subarray(LENGTH_BYTES, LENGTH_BYTES + headerBytes));
  oneOf(FRAME_CODECS)(header.codec, "FrameHeader.codec");
  return { header: header as unknown as FrameHeader, payload: message.subarray(LENGTH_BYTES + headerBytes) };
}

function parse(bytes: Uint8Array): Record<string, unknown> {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new DreamloopError(ERROR_CODES.invalidValue, "frame message: the header is not JSON", { cause });
  }
  if (!isPlainObject(header)) {
    throw new DreamloopError(ERROR_CODES.invalidValue, "frame message: the header is not an object");
  }
  return header;
}
