import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../foundation/validate/reader.ts";
import { decodeValue } from "./decode-value.ts";
import { contentAddressOf } from "../../snapshot/content/content-address.ts";
import { hashValue } from "./hash-value.ts";
import { MemoryPayloadStore } from "../../snapshot/content/payload-store.ts";
import { PayloadReader } from "./payload-reader.ts";
import { resolveValue, storedValue } from "./resolve-value.ts";
import { encodeValue, MAX_VALUE_DEPTH } from "./trace-value.ts";

const hasher = {
  digest: (parts: readonly Uint8Array[]) => createHash("sha256").update(Buffer.concat(parts)).digest("hex"),
};

const arrays = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.int16Array({ maxLength: 20 }),
  fc.uint32Array({ maxLength: 10 }),
  fc.float32Array({ maxLength: 10 }),
  fc.float64Array({ maxLength: 10 }),
  fc.uint8ClampedArray({ maxLength: 10 }),
  fc.bigInt64Array({ maxLength: 4 }),
  fc.uint8Array({ maxLength: 10 }).map((bytes) => bytes.slice().buffer),
);

const keys = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom("$", "__proto__", "constructor", "type"));

const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, true, false, -0, Number.NaN, Infinity, -Infinity),
    fc.double(),
    fc.string({ unit: "binary" }),
    fc.bigInt(),
    arrays,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(keys, tie("value")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
}));

/** What a line carries of a value and back. */
async function throughLine(value: unknown, inlineBytes: number): Promise<unknown> {
  const store = new MemoryPayloadStore();
  const hashed = await hashValue(value, "value", hasher);
  const inline = { inlineBytes, inlineBudgetBytes: 100 };
  for (const { hash, bytes } of hashed.outside(inline)) store.put(hash, bytes);
  const json = JSON.parse(JSON.stringify(hashed.json(inline))) as Json;
  return resolveValue(storedValue(json, "value"), "value", new PayloadReader(store, hasher));
}

describe("values in a trace", () => {
  test("read back as they were, whatever JSON lacks, whether arrays stand in the line or not (property)", async () => {
    await fc.assert(
      fc.asyncProperty(values, fc.integer({ min: 0, max: 60 }), async (value, inlineBytes) => {
        expect(await throughLine(value, inlineBytes)).toEqual(value);
      }),
    );
  });

  test("equal values give equal text, whatever the order of their keys", async () => {
    const first = { b: 1, a: { y: [1, 2], x: new Float32Array([1]) } };
    const second = { a: { x: new Float32Array([1]), y: [1, 2] }, b: 1, left: undefined };
    const text = async (value: unknown): Promise<string> =>
      JSON.stringify((await hashValue(value, "v", hasher)).json());
    expect(await text(first)).toBe(await text(second));
    expect(await text({ ...first, b: -0 })).not.toBe(await text({ ...first, b: 0 }));
    expect(await text({ x: new Uint8Array([0, 0]) })).not.toBe(await text({ x: new Uint16Array([0]) }));
  });

  test("E7: a view carries its own bytes only, and comes back as memory of its own", async () => {
    const pool = Uint8Array.from({ length: 32 }, (_, index) => index);
    const back = (await throughLine({ view: pool.subarray(5, 8) }, 100)) as { readonly view: Uint8Array };
    expect(back.view).toEqual(Uint8Array.of(5, 6, 7));
    expect(back.view.buffer.byteLength).toBe(3);
    expect(await throughLine(Buffer.from("pooled"), 100)).toEqual(new Uint8Array(Buffer.from("pooled")));
  });

  test("the same array twice is hashed and kept once", async () => {
    const array = new Uint8Array(50);
    const hashed = await hashValue([array, array], "value", hasher);
    expect(hashed.arrays).toHaveLength(1);
    expect(hashed.arrays[0]?.hash).toBe(await contentAddressOf(array, hasher));
    // The budget lasts for one of the two, so the content has to be kept outside all the same.
    expect(hashed.outside({ inlineBytes: 50, inlineBudgetBytes: 60 })).toHaveLength(1);
    expect(hashed.outside({ inlineBytes: 50, inlineBudgetBytes: 100 })).toHaveLength(0);
  });

  test.each([
    ["a function", { step: { act: () => 1 } }, "value.step.act"],
    ["a class instance", { list: [new Map()] }, "value.list[0]"],
    ["a hole", { list: [1, undefined] }, "value.list[1]"],
    ["a symbol", { at: Symbol("x") }, "value.at"],
    ["a view without element type", { at: new DataView(new ArrayBuffer(1)) }, "value.at"],
  ])("refuses %s and names its place", async (_name, value, place) => {
    await expect(hashValue(value, "value", hasher)).rejects.toMatchObject({
      code: "invalid_value",
      message: expect.stringMatching(`^${place.replaceAll(/[.[\]]/g, "\\$&")}: `) as string,
    });
  });

  test("refuses values that are nested too deep, also those within themselves", () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    const encode = (value: unknown): unknown => encodeValue(value, "value", () => null);
    expect(encode(nested(MAX_VALUE_DEPTH))).toEqual(nested(MAX_VALUE_DEPTH));
    expect(() => encode(nested(MAX_VALUE_DEPTH + 1))).toThrow(/nested at most 64 deep/);
    const own: Record<string, unknown> = {};
    own.own = own;
    expect(() => encode(own)).toThrow(/nested at most 64 deep/);
    expect(() => decodeValue(nested(MAX_VALUE_DEPTH + 1) as Json, "value", () => 0)).toThrow(/nested at most 64 deep/);
  });

  const hash = `sha256:${"0".repeat(64)}`;
  test.each([
    [{ $: "other" }, /^v\.\$: expected one of number, bigint, array, mapping, found "other"/],
    [{ $: "number", value: "12" }, /^v\.value: expected one of "-0"/],
    [{ $: "number", value: "NaN", more: 1 }, /^v\.more: unknown key/],
    [{ $: "bigint", value: "1e3" }, /^v: expected a whole number/],
    [{ $: "mapping", value: [1] }, /^v\.value: expected a mapping/],
    [{ $: "array", type: "float99", bytes: 4, hash }, /^v\.type: expected one of uint8/],
    [{ $: "array", type: "float32", bytes: 6, hash }, /^v\.bytes: expected a whole number of float32 elements/],
    [{ $: "array", type: "uint8", bytes: -1, hash }, /^v\.bytes: expected an integer at least 0/],
    [{ $: "array", type: "uint8", bytes: 1, hash: "sha256:../../x" }, /^v\.hash: expected sha256: and 64/],
  ])("refuses %j when reading", (json, message) => {
    expect(() => storedValue(json as Json, "v")).toThrow(message);
  });
});

describe("payloads", () => {
  const array = new Uint8Array([1, 2, 3]);
  const stored = async (inlineBytes: number): Promise<ReturnType<typeof storedValue>> => {
    const hashed = await hashValue({ array }, "v", hasher);
    return storedValue(hashed.json({ inlineBytes, inlineBudgetBytes: 100 }), "v");
  };

  test("content that is nowhere is refused, saying how to have it", async () => {
    const without = resolveValue(await stored(0), "first frame", new PayloadReader(undefined, hasher));
    await expect(without).rejects.toMatchObject({ code: "replay_refused", message: /^first frame: .*--record-inputs/ });
    const empty = resolveValue(await stored(0), "first frame", new PayloadReader(new MemoryPayloadStore(), hasher));
    await expect(empty).rejects.toMatchObject({
      code: "replay_refused",
      message: /the payload store does not have it/,
    });
  });

  test("content that was changed is refused, in the store and in the line", async () => {
    const address = await contentAddressOf(array, hasher);
    const damaged = { put: () => undefined, get: () => Uint8Array.of(1, 2, 4) };
    const fromStore = resolveValue(await stored(0), "frame", new PayloadReader(damaged, hasher));
    await expect(fromStore).rejects.toMatchObject({ code: "trace_invalid", details: { expected: address } });
    const line = { $: "array", type: "uint8", bytes: 3, hash: address, data: "AQIE" };
    const fromLine = resolveValue(storedValue(line, "frame"), "frame", new PayloadReader(undefined, hasher));
    await expect(fromLine).rejects.toMatchObject({ code: "trace_invalid", message: /damaged/ });
  });

  test("a length that is not that of the content is refused", async () => {
    const line = { $: "array", type: "uint8", bytes: 4, hash: await contentAddressOf(array, hasher), data: "AQID" };
    const read = resolveValue(storedValue(line, "frame"), "frame", new PayloadReader(undefined, hasher));
    await expect(read).rejects.toThrow(/^frame\.bytes: expected 3, found number 4/);
  });

  test("a store in memory keeps copies", () => {
    const store = new MemoryPayloadStore();
    const bytes = Uint8Array.of(7);
    store.put("sha256:a", bytes);
    bytes[0] = 8;
    expect(store.get("sha256:a")).toEqual(Uint8Array.of(7));
    expect([store.size, store.delete("sha256:a"), store.delete("sha256:a"), store.size]).toEqual([1, true, false, 0]);
  });
});
