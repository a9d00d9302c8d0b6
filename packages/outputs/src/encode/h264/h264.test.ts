import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  joinAnnexB,
  splitAnnexB,
  splitLengthPrefixed,
  withEmulationPrevention,
  withoutEmulationPrevention,
} from "./annex-b.ts";
import { BitReader, BitWriter } from "./bits.ts";
import { avcCodecString, BT709_LIMITED, readSps, rewriteSps } from "./sps.ts";
import { H264StreamFixer } from "./stream-fixer.ts";

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"));
/** Bytes of which many are those that start codes are made of. */
const trickyBytes = fc.uint8Array({ minLength: 1, maxLength: 60 }).map((bytes) => bytes.map((byte) => byte % 6));

describe("bit codes", () => {
  it("read what was written", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100_000), { maxLength: 20 }), fc.nat(31), (values, width) => {
        const writer = new BitWriter();
        for (const value of values) {
          writer.unsigned(value);
          writer.flag(value % 2 === 1);
          writer.bits(value % 2 ** width, width);
        }
        const reader = new BitReader(writer.finish());
        for (const value of values) {
          expect(reader.unsigned()).toBe(value);
          expect(reader.flag()).toBe(value % 2 === 1);
          expect(reader.bits(width)).toBe(value % 2 ** width);
        }
      }),
    );
  });

  it("map signed codes as the standard's table 9-3", () => {
    const writer = new BitWriter();
    for (const code of [0, 1, 2, 3, 4]) writer.unsigned(code);
    const reader = new BitReader(writer.finish());
    expect([0, 1, 2, 3, 4].map(() => reader.signed())).toEqual([0, 1, -1, 2, -2]);
  });

  it("refuse to read over the end", () => {
    expect(() => new BitReader(new Uint8Array(1)).bits(9)).toThrow(RangeError);
    expect(() => new BitReader(new Uint8Array(8)).unsigned()).toThrow(RangeError);
  });
});

describe("NAL units", () => {
  it("survive emulation prevention, and never contain a start code with it", () => {
    fc.assert(
      fc.property(trickyBytes, (bytes) => {
        const safe = withEmulationPrevention(bytes);
        expect(withoutEmulationPrevention(safe)).toEqual(bytes);
        expect(Buffer.from(safe).toString("hex")).not.toMatch(/^(..)*00000[012]/);
      }),
    );
  });

  it("come back from an Annex B stream, with short and long start codes", () => {
    const units = fc.array(
      trickyBytes.map((bytes) => Uint8Array.from([0x65, ...withEmulationPrevention(bytes), 0x80])),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(units, fc.boolean(), (list, isShort) => {
        const stream = isShort ? Uint8Array.from(list.flatMap((unit) => [0, 0, 1, ...unit])) : joinAnnexB(list);
        expect(splitAnnexB(stream)).toEqual(list);
      }),
    );
  });

  it("come back from a stream of lengths, which may not overrun", () => {
    expect(splitLengthPrefixed(bytesOf("0002650100016a"), 2)).toEqual([bytesOf("6501"), bytesOf("6a")]);
    expect(() => splitLengthPrefixed(bytesOf("000365"), 2)).toThrow(RangeError);
  });
});

/** Parameter sets as encoders wrote them. */
const SETS = {
  openh264: { hex: "6742c0148c6847201e1108d4", width: 64, height: 48, codec: "avc1.42c014" },
  x264: { hex: "6764000dacd94171be5930e10000030001000003003c0f142996", width: 360, height: 202, codec: "avc1.64000d" },
  "x264 with buffering": {
    hex: "67640014acd94171be5930e10000030001000003003c604000f424001e84e4c30078a14cb0",
    width: 360,
    height: 202,
    codec: "avc1.640014",
  },
};

describe("sequence parameter sets", () => {
  it.each(Object.entries(SETS))("of %s are read", (_name, { hex, width, height, codec }) => {
    const sps = readSps(bytesOf(hex));
    expect(sps).toMatchObject({ width, height });
    expect(avcCodecString(sps)).toBe(codec);
  });

  it.each(Object.entries(SETS))(
    "E1: of %s tell BT.709 and limited range after rewriting",
    (_name, { hex, width, height }) => {
      const rewritten = rewriteSps(bytesOf(hex), { width, height, color: BT709_LIMITED });
      const before = readSps(bytesOf(hex));
      expect(readSps(rewritten)).toEqual({ ...before, color: BT709_LIMITED, reorderFrames: 0 });
    },
  );

  it.each(Object.entries(SETS))("E4: of %s can be cropped to every even size of the last block", (_name, { hex }) => {
    const { codedWidth, codedHeight } = readSps(bytesOf(hex));
    for (let cut = 0; cut < 16; cut += 2) {
      const wanted = { width: codedWidth - cut, height: codedHeight - 14 + cut, color: BT709_LIMITED };
      const { width, height } = readSps(rewriteSps(bytesOf(hex), wanted));
      expect({ width, height }).toEqual({ width: wanted.width, height: wanted.height });
    }
  });

  it("E4: cannot be cropped to odd or larger sizes", () => {
    const unit = bytesOf(SETS.openh264.hex);
    for (const width of [63, 66, 80]) {
      expect(() => rewriteSps(unit, { width, height: 48, color: BT709_LIMITED })).toThrow(RangeError);
    }
  });

  it("without subsampled chroma can be cropped to odd sizes", () => {
    const unit = bytesOf("67f4000d919b282e37c4cf8708000003000800000301e078a14cb0");
    expect(readSps(unit)).toMatchObject({ profile: 244, width: 360, height: 202 });
    expect(readSps(rewriteSps(unit, { width: 359, height: 201, color: BT709_LIMITED }))).toMatchObject({
      width: 359,
      height: 201,
    });
  });

  it("with scaling lists, picture order of type 1 and fields are read through to the end", () => {
    // One delta of −8 ends a list early; 64 deltas of 0 fill the other. They come right after their flags.
    const sps = new BitWriter();
    for (const byte of [100, 0, 40]) sps.bits(byte, 8);
    for (const code of [0, 1, 0, 0]) sps.unsigned(code);
    sps.bits(1, 2);
    sps.flag(true);
    sps.unsigned(16); // −8
    sps.bits(0, 5);
    sps.flag(true);
    for (let index = 0; index < 64; index += 1) sps.unsigned(0);
    sps.flag(false);
    sps.unsigned(0); // frame number
    sps.unsigned(1); // picture order type 1
    sps.flag(false);
    sps.unsigned(3);
    sps.unsigned(4);
    sps.unsigned(2);
    sps.unsigned(1);
    sps.unsigned(2);
    sps.unsigned(4); // reference frames
    sps.flag(false);
    sps.unsigned(119); // 1920
    sps.unsigned(33); // 34 × 32
    sps.flag(false); // fields
    sps.flag(true);
    sps.flag(true);
    sps.flag(true); // cropping
    for (const side of [0, 0, 0, 2]) sps.unsigned(side);
    sps.flag(false);
    const unit = Uint8Array.from([0x67, ...withEmulationPrevention(sps.finish())]);
    expect(readSps(unit)).toMatchObject({ width: 1920, height: 1080, referenceFrames: 4, color: undefined });
    expect(readSps(rewriteSps(unit, { width: 1918, height: 1080, color: BT709_LIMITED })).width).toBe(1918);
  });

  it("that end early are refused", () => {
    expect(() => readSps(bytesOf("6742c0"))).toThrow(RangeError);
  });
});

describe("H264StreamFixer", () => {
  const sps = bytesOf(SETS.openh264.hex);
  const pps = bytesOf("68ce3c80");
  const idr = bytesOf("65b80004");
  const slice = bytesOf("41e00020");
  const delimiter = bytesOf("09f0");
  const fixer = () => new H264StreamFixer({ width: 62, height: 48, color: BT709_LIMITED });
  const types = (data: Uint8Array) => splitAnnexB(data).map((unit) => unit[0] & 31);

  it("puts parameter sets before every key frame and leaves delimiters out", () => {
    const fixing = fixer();
    const first = fixing.fixAnnexB(joinAnnexB([delimiter, sps, pps, idr]));
    expect(first.isKeyFrame).toBe(true);
    expect(types(first.data)).toEqual([7, 8, 5]);
    expect(fixing.parameters).toMatchObject({ width: 62, height: 48, color: BT709_LIMITED });
    expect(types(fixing.fixAnnexB(joinAnnexB([delimiter, slice])).data)).toEqual([1]);
    const later = fixing.fixAnnexB(joinAnnexB([idr]));
    expect(types(later.data)).toEqual([7, 8, 5]);
  });

  it("takes parameter sets that come apart, as views whose memory is used again", () => {
    const fixing = fixer();
    const pool = Buffer.concat([sps, pps]);
    fixing.takeParameterSets([pool.subarray(0, sps.length), pool.subarray(sps.length)]);
    pool.fill(0);
    expect(types(fixing.fixAnnexB(joinAnnexB([idr])).data)).toEqual([7, 8, 5]);
  });

  it("D4: tells frames that refer to later ones, by what stands in their slices", () => {
    const fixing = fixer();
    expect(fixing.fixAnnexB(joinAnnexB([sps, pps, idr])).isBFrame).toBe(false);
    // A slice of kind P, B, I; each also in the form that says that all slices of the picture are alike.
    for (const [kind, isBFrame] of [
      [0, false],
      [1, true],
      [2, false],
      [5, false],
      [6, true],
      [7, false],
    ] as const) {
      const header = new BitWriter();
      header.unsigned(300);
      header.unsigned(kind);
      const unit = Uint8Array.from([0x41, ...withEmulationPrevention(header.finish())]);
      expect(fixing.fixAnnexB(joinAnnexB([unit])).isBFrame).toBe(isBFrame);
    }
  });

  it("refuses a key frame without parameter sets", () => {
    expect(() => fixer().fixAnnexB(joinAnnexB([idr]))).toThrow(RangeError);
  });
});
