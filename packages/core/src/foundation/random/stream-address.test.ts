import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isDreamloopError } from "../dreamloop-error.ts";
import {
  assertDistinctStreams,
  MAX_SEED,
  MAX_STREAM_NUMBER,
  MAX_SUB_STEP,
  philoxAddress,
  streamNumber,
  type RandomStreamAddress,
} from "./stream-address.ts";

const edges = (largest: number) =>
  fc.oneof(fc.integer({ min: 0, max: largest }), fc.constantFrom(0, 1, largest - 1, largest));

const addresses: fc.Arbitrary<Required<RandomStreamAddress>> = fc.record({
  seed: fc.oneof(edges(Number.MAX_SAFE_INTEGER), fc.bigInt({ min: 0n, max: MAX_SEED })),
  step: fc.oneof(edges(Number.MAX_SAFE_INTEGER), fc.constantFrom(2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1)),
  subStep: edges(MAX_SUB_STEP),
  stream: edges(MAX_STREAM_NUMBER),
});

describe("the mapping to key and counter", () => {
  it("G2: seed, step, sub-step and stream can be read back from key and counter, so no two addresses share one", () => {
    fc.assert(
      fc.property(addresses, (address) => {
        const words = philoxAddress(address);
        for (const word of Object.values(words) as number[]) {
          expect(Number.isInteger(word) && word >= 0 && word < 2 ** 32).toBe(true);
        }
        expect((BigInt(words.key1) << 32n) | BigInt(words.key0)).toBe(BigInt(address.seed));
        expect((words.counter2 % 2 ** 21) * 2 ** 32 + words.counter1).toBe(address.step);
        expect(Math.floor(words.counter2 / 2 ** 21)).toBe(address.subStep);
        expect(words.counter3).toBe(address.stream);
      }),
      { numRuns: 2000 },
    );
  });

  it("I3: steps beyond 2^31 and 2^32 keep all their bits", () => {
    const at = (step: number) => philoxAddress({ seed: 0, step, stream: 0 });
    expect(at(2 ** 31)).toMatchObject({ counter1: 0x80000000, counter2: 0 });
    expect(at(2 ** 32 + 5)).toMatchObject({ counter1: 5, counter2: 1 });
    expect(at(Number.MAX_SAFE_INTEGER)).toMatchObject({ counter1: 0xffffffff, counter2: 0x1fffff });
  });

  it("a seed means the same as a number and as a bigint", () => {
    expect(philoxAddress({ seed: 7, step: 0, stream: 0 })).toEqual(philoxAddress({ seed: 7n, step: 0, stream: 0 }));
    expect(philoxAddress({ seed: -0, step: -0, stream: -0 })).toEqual(philoxAddress({ seed: 0, step: 0, stream: 0 }));
  });
});

describe("the number of a stream", () => {
  it("a name is its FNV-1a hash with the uppermost bit set", () => {
    // Published FNV-1a values: "a" is e40c292c, "foobar" is bf9cf968 and "fo" is 6222e842.
    expect(streamNumber("a")).toBe(0xe40c292c);
    expect(streamNumber("foobar")).toBe(0xbf9cf968);
    expect(streamNumber("fo")).toBe((0x6222e842 | 0x80000000) >>> 0);
  });

  it("a name never meets an integer", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 128, unit: "grapheme-ascii" }), (name) => {
        expect(streamNumber(name)).toBeGreaterThan(MAX_STREAM_NUMBER);
      }),
    );
  });

  it("names that meet, or are given twice, are refused together", () => {
    expect(() => assertDistinctStreams(["noise", "traffic", 0, 1])).not.toThrow();
    expect(() => assertDistinctStreams(["noise", "traffic", "noise"])).toThrow(/"noise" and "noise"/);
    const [first, second] = collidingNames();
    expect(first).not.toBe(second);
    expect(() => assertDistinctStreams(["noise", first, second])).toThrow(`${first}" and "${second}`);
  });
});

describe("what is refused", () => {
  const good = { seed: 1, step: 2, subStep: 3, stream: "noise" };

  it.each([
    ["seed", -1],
    ["seed", 1.5],
    ["seed", 2 ** 53],
    ["seed", NaN],
    ["seed", "7"],
    ["seed", -1n],
    ["seed", MAX_SEED + 1n],
    ["seed", undefined],
    ["step", -1],
    ["step", 0.5],
    ["step", 2 ** 53],
    ["step", null],
    ["subStep", 2048],
    ["subStep", -1],
    ["stream", -1],
    ["stream", 2 ** 31],
    ["stream", ""],
    ["stream", "x".repeat(129)],
    ["stream", "rauschen-ä"],
    ["stream", "two\nlines"],
    ["stream", undefined],
    ["substep", 1],
  ])("%s of %s is refused with a message that names the field", (field, value) => {
    const address = { ...good, [field]: value } as RandomStreamAddress;
    try {
      philoxAddress(address);
      expect.unreachable();
    } catch (error) {
      expect(isDreamloopError(error, "invalid_value")).toBe(true);
      expect((error as Error).message).toContain(`RandomStreamAddress.${field} `);
    }
  });
});

/** Two names with one number, found by trying names until the birthday bound gives a pair. */
function collidingNames(): [string, string] {
  const byNumber = new Map<number, string>();
  for (let index = 0; ; index += 1) {
    const name = `stream-${index.toString(36)}`;
    const other = byNumber.get(streamNumber(name));
    if (other !== undefined) return [other, name];
    byNumber.set(streamNumber(name), name);
  }
}
