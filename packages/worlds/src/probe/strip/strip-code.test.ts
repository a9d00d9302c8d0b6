import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { crc24, promptHash, scramblingBits } from "./check-codes.ts";
import { decodeStrip, encodeStrip, STRIP_BITS } from "./strip-code.ts";
import { actionBits, actionsOfBits, OTHER_ACTION_BIT, type ProbeStripValues } from "./strip-values.ts";

const EMPTY: ProbeStripValues = {
  frameIndex: 0,
  stepIndex: 0,
  generation: 0,
  heldBits: 0,
  pressedBits: 0,
  pressCount: 0,
  lookSumX: 0,
  lookSumY: 0,
};

const bits = (width: number): fc.Arbitrary<number> => fc.integer({ min: 0, max: 2 ** width - 1 });
const lookSum = fc.integer({ min: -(2 ** 23), max: 2 ** 23 - 1 }).map((steps) => steps / 256);
const command = fc.record({
  throttle: fc.integer({ min: 0, max: 63 }).map((step) => step / 63),
  brake: fc.integer({ min: 0, max: 63 }).map((step) => step / 63),
  steer: fc.integer({ min: -31, max: 31 }).map((step) => step / 31),
  reverse: fc.boolean(),
  stop: fc.boolean(),
});

/** Values that the strip can hold without rounding. */
export const stripValues: fc.Arbitrary<ProbeStripValues> = fc.record(
  {
    frameIndex: bits(24),
    stepIndex: bits(24),
    generation: bits(8),
    heldBits: bits(16),
    pressedBits: bits(16),
    pressCount: bits(16),
    lookSumX: lookSum,
    lookSumY: lookSum,
    inputSequence: bits(24),
    driverCommand: command,
    promptHash: bits(16),
  },
  {
    requiredKeys: [
      "frameIndex",
      "stepIndex",
      "generation",
      "heldBits",
      "pressedBits",
      "pressCount",
      "lookSumX",
      "lookSumY",
    ],
  },
);

describe("the strip's code", () => {
  test("what is encoded is decoded", () => {
    fc.assert(
      fc.property(stripValues, (values) => {
        expect(decodeStrip(encodeStrip(values))).toEqual(values);
      }),
    );
  });

  test("a strip with up to three wrong cells is never taken for another one", () => {
    const position = fc.integer({ min: 0, max: STRIP_BITS - 1 });
    fc.assert(
      fc.property(stripValues, fc.uniqueArray(position, { minLength: 1, maxLength: 3 }), (values, wrong) => {
        const cells = encodeStrip(values);
        for (const index of wrong) cells[index] ^= 1;
        expect(decodeStrip(cells)).toBeUndefined();
      }),
    );
  });

  test("counters wrap, sums of mouse motion wrap as signed numbers, controls are clamped", () => {
    const far = decodeStrip(
      encodeStrip({
        ...EMPTY,
        frameIndex: 2 ** 31 + 5,
        stepIndex: 2 ** 40 + 6,
        generation: 256 + 7,
        pressCount: 65_536 + 8,
        lookSumX: 65_536 + 1.5,
        lookSumY: -0.00390625,
        driverCommand: { throttle: 9, brake: -9, steer: -2, reverse: false, stop: false },
      }),
    );
    expect(far).toMatchObject({ frameIndex: 5, stepIndex: 6, generation: 7, pressCount: 8, lookSumX: 1.5 });
    expect(far?.lookSumY).toBe(-0.00390625);
    expect(far?.driverCommand).toMatchObject({ throttle: 1, brake: 0, steer: -1 });
  });

  test("light and dark cells are mixed whatever the values are", () => {
    fc.assert(
      fc.property(stripValues, (values) => {
        const light = encodeStrip(values).reduce((sum, cell) => sum + cell, 0);
        expect(light / STRIP_BITS).toBeGreaterThan(0.2);
        expect(light / STRIP_BITS).toBeLessThan(0.8);
      }),
      { examples: [[EMPTY]] },
    );
  });
});

describe("the strip's layout", () => {
  test("each field lies in the bits that docs/probe.md gives, its highest bit first", () => {
    const scrambling = scramblingBits(STRIP_BITS);
    const plain = (values: Partial<ProbeStripValues>): string =>
      [...encodeStrip({ ...EMPTY, ...values })].map((cell, index) => cell ^ scrambling[index]).join("");
    const command = { throttle: 0, brake: 0, steer: 0, reverse: false, stop: false };
    const fields: readonly (readonly [number, number, number, Partial<ProbeStripValues>])[] = [
      [0, 8, 0x5a, { generation: 0x5a }],
      [8, 24, 0x123456, { frameIndex: 0x123456 }],
      [32, 24, 0xabcdef, { stepIndex: 0xabcdef }],
      [56, 24, 0x800001, { inputSequence: 0x800001 }],
      [80, 16, 0xbeef, { heldBits: 0xbeef }],
      [96, 16, 0x1234, { pressedBits: 0x1234 }],
      [112, 16, 0xfedc, { pressCount: 0xfedc }],
      [128, 24, 0x000280, { lookSumX: 2.5 }],
      [152, 24, 0xffff80, { lookSumY: -0.5 }],
      [176, 6, 63, { driverCommand: { ...command, throttle: 1 } }],
      [182, 6, 21, { driverCommand: { ...command, brake: 1 / 3 } }],
      [188, 6, 1, { driverCommand: { ...command, steer: -1 } }],
      [188, 6, 32, {}],
      [194, 16, 0x4321, { promptHash: 0x4321 }],
      [210, 6, 0b000000, {}],
      [210, 6, 0b000001, { inputSequence: 0 }],
      [210, 6, 0b000010, { driverCommand: command }],
      [210, 6, 0b000110, { driverCommand: { ...command, reverse: true } }],
      [210, 6, 0b001010, { driverCommand: { ...command, stop: true } }],
      [210, 6, 0b010000, { promptHash: 0 }],
    ];
    for (const [start, width, value, values] of fields)
      expect(Number.parseInt(plain(values).slice(start, start + width), 2)).toBe(value);
  });
});

describe("check codes", () => {
  test("crc24 gives the published check value", () => {
    expect(crc24(new TextEncoder().encode("123456789"))).toBe(0x21cf02);
    expect(crc24([])).toBe(0xb704ce);
  });

  test("the scrambling sequence repeats after 32,767 bits and not before", () => {
    const sequence = scramblingBits(2 * 32_767);
    expect(sequence.slice(32_767)).toEqual(sequence.slice(0, 32_767));
    for (const divisor of [7, 31, 151]) {
      const shorter = 32_767 / divisor;
      expect(sequence.slice(shorter, 2 * shorter)).not.toEqual(sequence.slice(0, shorter));
    }
  });

  test("prompts that differ in one letter have different hashes", () => {
    expect(promptHash("a snowy road")).not.toBe(promptHash("a snowy roan"));
    expect(promptHash("")).toBe(0xb704ce & 0xffff);
  });
});

describe("action bits", () => {
  test("each known name has its own bit, all others share one", () => {
    expect(actionsOfBits(actionBits(["jump", "forward"]))).toEqual(["forward", "jump"]);
    expect(actionBits(["waltz", "tango"])).toBe(1 << OTHER_ACTION_BIT);
    expect(actionsOfBits(1 << OTHER_ACTION_BIT)).toEqual([]);
  });
});
