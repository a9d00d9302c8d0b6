import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { MAX_HEADER_BYTES, MAX_PAYLOAD_BYTES, MESSAGE_MAGIC, PREFIX_BYTES } from "./limits.ts";

/** A message as it came off the wire; its header has not been checked. */
export interface RawMessage {
  /** The JSON header. */
  readonly header: unknown;
  /** The bytes that followed it, in memory of their own. */
  readonly payload: Uint8Array<ArrayBuffer>;
}

const MAGIC = new TextEncoder().encode(MESSAGE_MAGIC);
const NO_BYTES = new Uint8Array(0);

/** Writes a message as it travels; throws `limit_exceeded` when it is too large. The payload is not copied: both parts are sent in this order. */
export function writeMessage(header: object, payload: Uint8Array = NO_BYTES): readonly Uint8Array[] {
  const text = new TextEncoder().encode(JSON.stringify(header));
  checkSizes(text.length, payload.length);
  const start = new Uint8Array(PREFIX_BYTES + text.length);
  start.set(MAGIC);
  const view = new DataView(start.buffer);
  view.setUint32(4, text.length, true);
  view.setUint32(8, payload.length, true);
  start.set(text, PREFIX_BYTES);
  return payload.length === 0 ? [start] : [start, payload];
}

/**
 * Puts messages together from the pieces of a stream. Throws `invalid_value` and `limit_exceeded` for what is no message; after that it
 * takes nothing more, since the bytes that follow have no meaning.
 */
export class MessageReader {
  readonly #prefix = new Uint8Array(PREFIX_BYTES);
  #part: Uint8Array<ArrayBuffer> = this.#prefix;
  #filled = 0;
  #header: Uint8Array | undefined;
  #payloadBytes = 0;
  #isBroken = false;

  /** Takes the next piece and gives the messages that it completes. */
  push(piece: Uint8Array): readonly RawMessage[] {
    if (this.#isBroken) return [];
    const messages: RawMessage[] = [];
    try {
      for (let at = 0; at < piece.length;) {
        const taken = Math.min(piece.length - at, this.#part.length - this.#filled);
        this.#part.set(piece.subarray(at, at + taken), this.#filled);
        this.#filled += taken;
        at += taken;
        if (this.#filled === this.#part.length) this.#complete(messages);
      }
    } catch (error) {
      this.#isBroken = true;
      throw error;
    }
    return messages;
  }

  #complete(messages: RawMessage[]): void {
    if (this.#part === this.#prefix) {
      if (MAGIC.some((byte, index) => this.#prefix[index] !== byte)) {
        const found = JSON.stringify(String.fromCharCode(...this.#prefix.subarray(0, MAGIC.length)));
        throw new DreamloopError(
          ERROR_CODES.invalidValue,
          `session protocol: expected a message that begins with "${MESSAGE_MAGIC}", found ${found}; the other side does not speak it`,
        );
      }
      const view = new DataView(this.#prefix.buffer);
      const headerBytes = view.getUint32(4, true);
      this.#payloadBytes = view.getUint32(8, true);
      checkSizes(headerBytes, this.#payloadBytes);
      if (headerBytes === 0) readHeader(NO_BYTES);
      this.#expect(new Uint8Array(headerBytes));
      return;
    }
    if (this.#header === undefined) {
      this.#header = this.#part;
      if (this.#payloadBytes > 0) {
        this.#expect(new Uint8Array(this.#payloadBytes));
        return;
      }
      messages.push({ header: readHeader(this.#header), payload: NO_BYTES });
    } else {
      messages.push({ header: readHeader(this.#header), payload: this.#part });
    }
    this.#header = undefined;
    this.#expect(this.#prefix);
  }

  #expect(part: Uint8Array<ArrayBuffer>): void {
    this.#part = part;
    this.#filled = 0;
  }
}

function checkSizes(headerBytes: number, payloadBytes: number): void {
  if (headerBytes <= MAX_HEADER_BYTES && payloadBytes <= MAX_PAYLOAD_BYTES) return;
  throw new DreamloopError(
    ERROR_CODES.limitExceeded,
    `session protocol: a message of ${headerBytes} + ${payloadBytes} bytes; at most ${MAX_HEADER_BYTES} + ${MAX_PAYLOAD_BYTES} are allowed`,
  );
}

function readHeader(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DreamloopError(ERROR_CODES.invalidValue, `session protocol: a header is not JSON: ${reason}`, {
      cause: error,
    });
  }
}
