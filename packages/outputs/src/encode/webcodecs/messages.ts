/** Kinds of messages between this process and the one that encodes. */
export const MESSAGE_TYPES = {
  /** To the encoder: make an encoder; JSON `EncoderRequest`. */
  createEncoder: 1,
  /** To the encoder: one picture, I420. */
  picture: 2,
  /** To the encoder: end an encoder or decoder. */
  close: 3,
  /** To the encoder: make a decoder; JSON `DecoderRequest`. */
  createDecoder: 4,
  /** To the encoder: one encoded frame for a decoder. */
  packet: 5,
  /** To the encoder: give out every picture of a decoder. */
  drainDecoder: 6,
  /** From it: the encoder or decoder exists; JSON `CreatedReply`. */
  created: 64,
  /** From it: one encoded frame. */
  frame: 65,
  /** From it: an encoder or decoder has failed; the message as text. */
  failed: 66,
  /** From it: one decoded picture, I420. */
  decoded: 67,
  /** From it: a decoder has given out everything. */
  drained: 68,
} as const;

/** One of `MESSAGE_TYPES`. */
export type MessageType = (typeof MESSAGE_TYPES)[keyof typeof MESSAGE_TYPES];

/** Bit of `MessageHeader.flags`: the frame is, or must become, a key frame. */
export const KEY_FRAME_FLAG = 1;

/** What an encoder is made from. */
export interface EncoderRequest {
  /** Codec as WebCodecs names it. */
  readonly codec: string;
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Aim for the size, in bits each second as the library counts them. */
  readonly bitrate: number;
  /** Frames each second of the library's time, a whole number: it makes a key frame after that many. */
  readonly framerate: number;
  /** Frames each second, for timestamps. */
  readonly framesPerSecond: number;
  /** WebCodecs' name for what counts more. */
  readonly latencyMode: "realtime" | "quality";
  /** Whether black and white are 0 and 255. */
  readonly isFullRange: boolean;
}

/** What a decoder is made from. */
export interface DecoderRequest {
  /** Codec as WebCodecs names it. */
  readonly codec: string;
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
}

/** What is told about a new encoder. */
export interface CreatedReply {
  /** The library behind it with its version. */
  readonly implementation: string;
}

/** What precedes the payload of each message. */
export interface MessageHeader {
  /** Kind of message. */
  readonly type: MessageType;
  /** Number of the encoder or decoder. */
  readonly channel: number;
  /** Number of the picture in its channel; 0 where there is none. */
  readonly sequence: number;
  /** Bits with a meaning of their own. */
  readonly flags: number;
}

const HEADER_BYTES = 16;

/** Bytes of the header of a message with a payload of this length; numbers are little-endian. */
export function messageHead(header: MessageHeader, payloadBytes: number): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, payloadBytes, true);
  view.setUint8(4, header.type);
  view.setUint8(5, header.flags);
  view.setUint32(8, header.channel, true);
  view.setUint32(12, header.sequence, true);
  return bytes;
}

/** Puts messages together from the pieces in which a pipe delivers them. */
export class MessageReader {
  readonly #onMessage: (header: MessageHeader, payload: Uint8Array) => void;
  readonly #head = new Uint8Array(HEADER_BYTES);
  #headFilled = 0;
  #payload = new Uint8Array(0);
  #payloadBytes = 0;
  #payloadFilled = 0;

  /** `onMessage` gets each message; the payload is valid during the call only, since its memory is used again. */
  constructor(onMessage: (header: MessageHeader, payload: Uint8Array) => void) {
    this.#onMessage = onMessage;
  }

  /** Takes the next piece. */
  push(piece: Uint8Array): void {
    let at = 0;
    while (at < piece.byteLength) {
      at += this.#headFilled < HEADER_BYTES ? this.#takeHead(piece, at) : this.#takePayload(piece, at);
      if (this.#headFilled === HEADER_BYTES && this.#payloadFilled === this.#payloadBytes) this.#deliver();
    }
  }

  #takeHead(piece: Uint8Array, at: number): number {
    const count = Math.min(HEADER_BYTES - this.#headFilled, piece.byteLength - at);
    this.#head.set(piece.subarray(at, at + count), this.#headFilled);
    this.#headFilled += count;
    if (this.#headFilled === HEADER_BYTES) {
      this.#payloadFilled = 0;
      this.#payloadBytes = new DataView(this.#head.buffer).getUint32(0, true);
      if (this.#payload.byteLength < this.#payloadBytes) this.#payload = new Uint8Array(this.#payloadBytes);
    }
    return count;
  }

  #takePayload(piece: Uint8Array, at: number): number {
    const count = Math.min(this.#payloadBytes - this.#payloadFilled, piece.byteLength - at);
    this.#payload.set(piece.subarray(at, at + count), this.#payloadFilled);
    this.#payloadFilled += count;
    return count;
  }

  #deliver(): void {
    this.#headFilled = 0;
    const view = new DataView(this.#head.buffer);
    const header: MessageHeader = {
      type: view.getUint8(4) as MessageType,
      flags: view.getUint8(5),
      channel: view.getUint32(8, true),
      sequence: view.getUint32(12, true),
    };
    this.#onMessage(header, this.#payload.subarray(0, this.#payloadBytes));
  }
}
