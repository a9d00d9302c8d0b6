import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../foundation/validate/reader.ts";
import { decodeState, encodeState, MAX_STATE_DEPTH } from "./state-value.ts";

function roundTrip(value: unknown): unknown {
  const { json, arrays } = encodeState(value, "state");
  return decodeState(JSON.parse(JSON.stringify(json)) as Json, arrays, "state");
}

describe("a state as JSON and arrays", () => {
  test("O1: everything that can be cloned into a plain state comes back the same (property)", () => {
    const leaf = fc.oneof(
      fc.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withSet: true,
        withTypedArray: true,
        maxDepth: 3,
      }),
    );
    fc.assert(
      fc.property(leaf, (value) => {
        let json;
        try {
          json = encodeState(value, "state");
        } catch {
          // What no state may hold, such as an object without a prototype that is no plain one.
          return;
        }
        expect(decodeState(JSON.parse(JSON.stringify(json.json)) as Json, json.arrays, "state")).toStrictEqual(value);
      }),
      { numRuns: 400 },
    );
  });

  test("O1: numbers that JSON lacks, undefined, the order of keys and a key named like the mark are kept", () => {
    const value = { z: -0, a: [NaN, Infinity, undefined], $: "number", m: new Map([[{ k: 1 }, new Set(["x", 2n])]]) };
    const back = roundTrip(value) as typeof value;
    expect(back).toStrictEqual(value);
    expect(Object.is(back.z, -0)).toBe(true);
    expect(Object.keys(back)).toEqual(["z", "a", "$", "m"]);
  });

  test("O1: an array that stands at two places stays one array", () => {
    const shared = new Float32Array([1, 2]);
    const { json, arrays } = encodeState({ a: shared, b: [shared], c: new Float32Array([1, 2]) }, "state");
    expect(arrays).toHaveLength(2);
    const back = decodeState(json, arrays, "state") as { a: unknown; b: unknown[]; c: unknown };
    expect(back.a).toBe(back.b[0]);
    expect(back.c).not.toBe(back.a);
  });

  test("refuses what is no data, naming the place", () => {
    class Own {
      value = 1;
    }
    const nested = Array.from({ length: MAX_STATE_DEPTH + 1 }).reduce<unknown>((inner) => [inner], 1);
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    const cases: readonly (readonly [unknown, RegExp])[] = [
      [{ run: () => 1 }, /^state\.run: expected plain data/],
      [[1, { own: new Own() }], /^state\[1\]\.own: expected plain data/],
      [Symbol("s"), /^state: expected plain data/],
      [{ list: [1, , 3] }, /^state\.list\[1\]: expected a list without holes/],
      [nested, /nested at most/],
      [cyclic, /nested at most/],
    ];
    for (const [value, message] of cases) {
      expect(() => encodeState(value, "state")).toThrow(message);
    }
  });

  test("refuses JSON that no state encodes to", () => {
    const cases: readonly unknown[] = [
      { $: "array", index: 0 },
      { $: "array", index: "toString" },
      { $: "bigint", value: "1e3" },
      { $: "number", value: "12" },
      { $: "map", entries: [[1]] },
      { $: "set", entries: 3 },
      { $: "mapping", value: [] },
      { $: "function" },
      { $: { deep: 1 } },
    ];
    for (const json of cases) {
      expect(() => decodeState(json as never, [], "state")).toThrow(expect.objectContaining({ code: "invalid_value" }));
    }
    const own = decodeState(JSON.parse('{"__proto__": {"polluted": 1}}') as Json, [], "state") as object;
    expect(Object.keys(own)).toEqual(["__proto__"]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});
