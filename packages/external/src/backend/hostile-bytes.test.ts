import { Duplex } from "node:stream";
import { DreamloopError } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { SocketCarrier } from "../carriers/socket-carrier.ts";
import { MessageReader, writeMessage } from "../protocol/message-reader.ts";
import { encodeValue } from "../protocol/value-encoder.ts";
import { ProtocolClient } from "./protocol-client.ts";

const ASK = { message: { type: "describe" }, reply: z.object({ ok: z.literal(true) }), deadlineSeconds: 60 } as const;

/** A stream to a world that the test plays. */
class PlayedWorld extends Duplex {
  readonly #reader = new MessageReader();
  /** What the driver said. */
  readonly heard: Record<string, unknown>[] = [];

  /** Says something. */
  say(...pieces: readonly (object | Uint8Array)[]): void {
    for (const piece of pieces) {
      for (const bytes of piece instanceof Uint8Array ? [piece] : writeMessage(piece)) this.push(bytes);
    }
  }

  override _read(): void {}

  override _write(bytes: Uint8Array, _encoding: string, done: () => void): void {
    for (const { header } of this.#reader.push(bytes)) this.heard.push(header as Record<string, unknown>);
    done();
  }
}

function played(): { readonly world: PlayedWorld; readonly client: ProtocolClient } {
  const world = new PlayedWorld();
  return { world, client: new ProtocolClient({ carrier: new SocketCarrier(world), label: "played.py" }) };
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

describe("N7: what a world says that is not as documented ends the connection with a named error", () => {
  test.each<[string, readonly (object | Uint8Array)[], RegExp]>([
    ["text", [text("hello, I am printed")], /begins with "DLP1", found "hell"/],
    [
      "a message beyond the limits",
      [Uint8Array.of(68, 76, 80, 49, 255, 255, 255, 255, 0, 0, 0, 0)],
      /4294967295 \+ 0 bytes/,
    ],
    ["a header that is no JSON", [text("DLP1\u0001\0\0\0\0\0\0\0{")], /a header is not JSON/],
    ["an empty header", [text("DLP1\0\0\0\0\0\0\0\0")], /a header is not JSON/],
    ["an unknown type", [{ type: "surprise" }], /played\.py: it sent a message that is not as it should be: type/],
    ["a result without an id", [{ type: "result", value: {} }], /id: /],
    [
      "an answer of another shape",
      [{ type: "result", id: 1, value: { ok: "yes" } }],
      /its answer to describe is not as it should be: ok/,
    ],
    ["a progress beyond its range", [{ type: "progress", id: 1, stage: "x", fraction: 7 }], /fraction/],
    [
      "another version",
      [{ type: "hello", protocol: 9 }],
      /speaks version 9 of the session protocol, and this side 1 to 1/,
    ],
    [
      "its last word",
      [{ type: "error", id: 0, error: { code: "invalid_value", message: "you broke it" } }],
      /you broke it/,
    ],
  ])("N7: %s", async (_what, pieces, message) => {
    const { world, client } = played();
    const asked = client.request(ASK);
    world.say(...pieces);
    await expect(asked).rejects.toThrow(message);
    expect(client.failure).toBeInstanceOf(DreamloopError);
    await expect(client.request(ASK)).rejects.toThrow(message);
    expect(world.destroyed).toBe(true);
  });

  test("N7: messages arrive whole whatever the pieces of the stream, with payloads in memory of their own", () => {
    const messages = [{ type: "a" }, { type: "b", text: "ü".repeat(50) }, { type: "c" }];
    const bytes = Buffer.concat(
      messages.flatMap((message, index) => [...writeMessage(message, new Uint8Array(index * 7).fill(index))]),
    );
    for (let size = 1; size < 40; size += 1) {
      const reader = new MessageReader();
      const found = [];
      for (let at = 0; at < bytes.length; at += size) found.push(...reader.push(bytes.subarray(at, at + size)));
      expect(found.map(({ header }) => header)).toEqual(messages);
      expect(found.map(({ payload }) => [...payload])).toEqual([[], Array(7).fill(1), Array(14).fill(2)]);
      expect(found.every(({ payload }) => payload.buffer.byteLength === payload.length)).toBe(true);
    }
  });

  test("a request that a world leaves unanswered fails at its deadline; the others are told too", async () => {
    const { world, client } = played();
    const other = client.request(ASK);
    await expect(client.request({ ...ASK, deadlineSeconds: 0.01 })).rejects.toThrow(
      /describe was not answered within 0\.01 s/,
    );
    await expect(other).rejects.toThrow(/not answered/);
    expect(world.heard.map(({ type }) => type)).toEqual(["hello", "describe", "describe"]);
  });

  test("a cancelled request is still answered, and the world hears of it", async () => {
    const { world, client } = played();
    const controller = new AbortController();
    const asked = client.request({ ...ASK, signal: controller.signal });
    controller.abort();
    world.say({ type: "result", id: 1, value: { ok: true } });
    await expect(asked).resolves.toMatchObject({ value: { ok: true } });
    expect(world.heard).toContainEqual({ type: "cancel", id: 1 });
  });

  test("values that do not travel are refused with their place; functions of a picture are left out", () => {
    expect(() => encodeValue({ a: { b: Number.NaN } }, "ModelInputs")).toThrow(
      /ModelInputs\.a\.b: expected a finite number/,
    );
    expect(() => encodeValue({ $array: 1 }, "ModelInputs")).toThrow(/names that do not begin with "\$"/);
    expect(() => encodeValue({ a: new Map() }, "ModelInputs")).toThrow(/ModelInputs\.a: expected a plain value/);
    const { json, payload } = encodeValue(
      { photo: { width: 1, data: Uint8Array.of(1, 2, 3), release: () => undefined } },
      "x",
    );
    expect(json).toEqual({ photo: { width: 1, data: { $array: { type: "uint8", shape: [3], offset: 0, bytes: 3 } } } });
    expect([...payload]).toEqual([1, 2, 3, 0, 0, 0, 0, 0]);
  });
});
