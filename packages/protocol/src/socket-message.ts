import { finite, listOf, oneOf, shape, type Reader } from "@dreamloop/core/internal";
import { FRAME_CODECS, type FrameCodec } from "./frame-message.ts";

/** The first text of a client on a WebSocket. */
export interface HelloMessage {
  /** What this message is. */
  readonly type: "hello";
  /** Version of the protocol that the client speaks. */
  readonly version: number;
  /** What it can decode, the best first. */
  readonly decoders: readonly FrameCodec[];
}

const read = shape<HelloMessage>(
  {
    type: (value, path) => oneOf({ hello: "hello" } as const)(value, path),
    version: finite({ integer: true, min: 0 }),
    decoders: listOf(oneOf(FRAME_CODECS) as Reader<FrameCodec>, { min: 1, max: 8 }),
  },
  { allowUnknown: true },
);

/** Reads the first message of a WebSocket; throws `invalid_value` naming the field. The version is the caller's to judge. */
export function readHelloMessage(value: unknown): HelloMessage {
  return read(value, "HelloMessage");
}
