import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { messageHead, MessageReader, MESSAGE_TYPES, type MessageHeader } from "./messages.ts";

describe("messages to the encoding process", () => {
  it("E7: come back whole, however the pipe cuts them", () => {
    const message = fc.record({
      sequence: fc.nat(0xffff_ffff),
      channel: fc.nat(0xffff_ffff),
      flags: fc.nat(255),
      payload: fc.uint8Array({ maxLength: 50 }),
    });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 6 }), fc.array(fc.nat(20), { minLength: 1 }), (messages, cuts) => {
        const sent = messages.map(({ payload, ...rest }) => ({
          header: { type: MESSAGE_TYPES.picture, ...rest } satisfies MessageHeader,
          payload,
        }));
        const stream = Buffer.concat(
          sent.flatMap(({ header, payload }) => [messageHead(header, payload.byteLength), payload]),
        );
        const received: { header: MessageHeader; payload: Uint8Array }[] = [];
        const reader = new MessageReader((header, payload) => received.push({ header, payload: payload.slice() }));
        let at = 0;
        for (let index = 0; at < stream.length; index += 1) {
          const end = at + (cuts[index % cuts.length] || 1);
          // Each piece lies somewhere in a larger buffer, as pooled ones do.
          const pool = Buffer.concat([Buffer.alloc(3, 0xaa), stream.subarray(at, end), Buffer.alloc(3, 0xbb)]);
          reader.push(pool.subarray(3, pool.length - 3));
          at = end;
        }
        expect(received).toEqual(sent.map(({ header, payload }) => ({ header, payload: Uint8Array.from(payload) })));
      }),
    );
  });
});
