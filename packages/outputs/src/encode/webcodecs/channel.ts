import type { DreamloopError } from "@dreamloop/core";
import type { EncoderProcess } from "./encoder-process-host.ts";
import {
  MESSAGE_TYPES,
  type CreatedReply,
  type DecoderRequest,
  type EncoderRequest,
  type MessageHeader,
  type MessageType,
} from "./messages.ts";

/** What `openChannel` takes. */
export interface ChannelOptions {
  /** Which kind of channel. */
  readonly type: Extract<MessageType, 1 | 4>;
  /** What is to be made at the other end. */
  readonly request: EncoderRequest | DecoderRequest;
  /** Gets what comes after the channel has been made; the payload is valid during the call only. */
  readonly onMessage: (header: MessageHeader, payload: Uint8Array) => void;
  /** Told of a fault after the channel has been made. */
  readonly onFailure: (error: DreamloopError) => void;
}

/** An encoder or decoder at the other end. */
export interface Channel {
  /** Its number. */
  readonly number: number;
  /** What was told about it. */
  readonly reply: CreatedReply;
}

/** Makes an encoder or decoder in the process; rejects with what hindered it. */
export async function openChannel(host: EncoderProcess, options: ChannelOptions): Promise<Channel> {
  const release = host.hold();
  try {
    const reply = new Promise<Channel>((resolve, reject) => {
      let isMade = false;
      const number = host.open({
        onMessage: (header, payload) => {
          if (header.type === MESSAGE_TYPES.created) {
            isMade = true;
            resolve({ number, reply: JSON.parse(Buffer.from(payload).toString()) as CreatedReply });
          } else options.onMessage(header, payload);
        },
        onFailure: (error) => {
          reject(error);
          if (isMade) options.onFailure(error);
          else void host.release(number);
        },
      });
      const header = { type: options.type, channel: number, sequence: 0, flags: 0 };
      host.send(header, Buffer.from(JSON.stringify(options.request))).catch(reject);
    });
    return await reply;
  } finally {
    release();
  }
}
