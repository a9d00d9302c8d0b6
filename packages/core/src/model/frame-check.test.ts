import { describe, expect, it } from "vitest";
import { frameRgb8, videoChunk, type VideoChunk } from "../index.ts";
import { CONSTANT_FRAMES, FrameChecker } from "./frame-check.ts";
import { frameHashInput, sliceFrames } from "./frame-pixels.ts";
import { flatValue } from "./frame-check.ts";

const base = { width: 8, height: 8, colorSpace: "srgb", layout: "thwc" } as const;
const float = (fill: (index: number) => number): VideoChunk =>
  videoChunk({
    ...base,
    format: "rgbf32",
    range: "unit",
    data: Float32Array.from({ length: 192 }, (_, index) => fill(index)),
  });

describe("the frame check", () => {
  it.each([0, 95, 191])("F1: finds NaN and infinity at index %d", (at) => {
    for (const bad of [Number.NaN, Infinity, -Infinity]) {
      const chunk = float((index) => (index === at ? bad : 0.5));
      expect(() => new FrameChecker().check(chunk)).toThrow(new RegExp(`index ${at} of 192`));
    }
  });

  it("F1: gives mean, variance and difference, and warns of values outside of the declared range", () => {
    const checker = new FrameChecker();
    const varied = checker.check(float((index) => index / 191));
    expect(varied.warnings).toEqual([]);
    expect(varied.statistics.mean).toBeGreaterThan(0.4);
    const dark = checker.check(float(() => 0));
    expect(dark.statistics).toMatchObject({ mean: 0, variance: 0 });
    expect(dark.statistics.difference).toBeCloseTo(varied.statistics.mean, 6);
    expect(checker.check(float((index) => 1.2 + (index % 5) * 0.01)).warnings).toEqual(["mean_out_of_band"]);
    expect(checker.check(float((index) => -0.2 - (index % 5) * 0.01)).warnings).toEqual(["mean_out_of_band"]);
    expect(checker.check(float((index) => ((index >> 4) % 2 === 0 ? -1 : 2))).warnings).toEqual([
      "variance_out_of_band",
    ]);
  });

  /** Checks the same frame again and again; gives the numbers of the frames that were found constant. */
  const constantAt = (checker: FrameChecker, count: number, frame: (index: number) => VideoChunk): number[] =>
    Array.from({ length: count }, (_, index) => index).filter((index) => {
      const { warnings } = checker.check(frame(index));
      expect(warnings.filter((warning) => warning !== "constant")).toEqual([]);
      return warnings.includes("constant");
    });

  it.each([0, 1])("F1: warns once of a picture that stays at the one value %d, and again after a reset", (value) => {
    const checker = new FrameChecker();
    expect(constantAt(checker, 100, () => float(() => value))).toEqual([CONSTANT_FRAMES - 1]);
    expect(constantAt(checker, 1, () => float((index) => index / 191))).toEqual([]);
    expect(constantAt(checker, 60, () => float(() => value))).toEqual([CONSTANT_FRAMES - 1]);
    checker.reset();
    expect(constantAt(checker, 60, () => float(() => value))).toEqual([CONSTANT_FRAMES - 1]);
  });

  it("F1: counts all frames of a step", () => {
    const black = videoChunk({ ...base, format: "rgb8", range: "full", data: new Uint8Array(192 * 81) });
    expect(new FrameChecker().check(black).warnings).toEqual(["constant"]);
  });

  it("F1: finds nothing constant in a flat picture that changes, or in one colour", () => {
    expect(constantAt(new FrameChecker(), 60, (at) => float(() => (at % 2) / 2))).toEqual([]);
    const red = (index: number): number => (index % 3 === 0 ? 0.5 : 0);
    expect(constantAt(new FrameChecker(), 60, () => float(red))).toEqual([]);
  });

  // Offsets in memory of any alignment, as pooled frames have them.
  const formats = [0, 1, 2, 3].flatMap((offset) => [
    ["rgb8", "thwc", offset] as const,
    ["rgba8", "thwc", offset] as const,
    ["rgb8", "cthw", offset] as const,
    ["rgba8", "tchw", offset] as const,
  ]);
  it.each(formats)(
    "F1: one value of %s (%s, offset %d) that differs is seen wherever it is, transparency apart",
    (...given) => {
      const [format, layout, offset] = given;
      const channels = format === "rgba8" ? 4 : 3;
      const [width, height] = [7, 3];
      const length = width * height * channels;
      const isAlpha = (at: number): boolean =>
        channels === 4 && (layout === "thwc" ? at % 4 === 3 : at >= width * height * 3);
      const frame = (different: number | undefined): VideoChunk => {
        const data = new Uint8Array(offset + length).subarray(offset);
        for (let at = 0; at < length; at += 1) data[at] = isAlpha(at) ? 255 : 20;
        if (different !== undefined) data[different] = 21;
        return videoChunk({ width, height, format, layout, range: "full", colorSpace: "srgb", data });
      };
      expect(flatValue(frame(undefined))).toBe(20);
      for (let at = 0; at < length; at += 1) expect(flatValue(frame(at))).toBe(isAlpha(at) ? 20 : undefined);
    },
  );

  it("F1: finds nothing odd in a dark or light world with one pixel of another colour", () => {
    for (const [ground, dot] of [
      [0, 255],
      [255, 0],
      [20, 21],
    ]) {
      const data = new Uint8Array(64 * 36 * 3).fill(ground);
      data[3001] = dot;
      const frame = videoChunk({ ...base, width: 64, height: 36, format: "rgb8", range: "full", data });
      const checker = new FrameChecker();
      for (let at = 0; at < 60; at += 1) expect(checker.check(frame).warnings).toEqual([]);
    }
  });
});

describe("frame pixels", () => {
  it.each([
    ["thwc", (t: number, y: number, x: number, c: number) => ((t * 2 + y) * 3 + x) * 3 + c],
    ["tchw", (t: number, y: number, x: number, c: number) => ((t * 3 + c) * 2 + y) * 3 + x],
    ["cthw", (t: number, y: number, x: number, c: number) => ((c * 2 + t) * 2 + y) * 3 + x],
  ] as const)("E3: packs %s by its declared layout", (layout, at) => {
    const data = new Uint8Array(36);
    const value = (t: number, y: number, x: number, c: number): number => t * 100 + y * 30 + x * 10 + c;
    for (let t = 0; t < 2; t += 1)
      for (let y = 0; y < 2; y += 1)
        for (let x = 0; x < 3; x += 1) for (let c = 0; c < 3; c += 1) data[at(t, y, x, c)] = value(t, y, x, c);
    const chunk = videoChunk({ width: 3, height: 2, format: "rgb8", layout, colorSpace: "srgb", range: "full", data });
    expect(chunk.frameCount).toBe(2);
    for (let t = 0; t < 2; t += 1) {
      const expected: number[] = [];
      for (let y = 0; y < 2; y += 1)
        for (let x = 0; x < 3; x += 1) for (let c = 0; c < 3; c += 1) expected.push(value(t, y, x, c));
      expect(Array.from(frameRgb8(chunk, t))).toEqual(expected);
      expect(Array.from(frameRgb8(sliceFrames(chunk, t, 1), 0))).toEqual(expected);
    }
  });

  it("scales every range to 0..255, clamped and rounded half up", () => {
    const unit = videoChunk({
      ...base,
      width: 1,
      height: 1,
      format: "rgbf32",
      range: "unit",
      data: Float32Array.of(-1, 0.5, 2),
    });
    expect(Array.from(frameRgb8(unit, 0))).toEqual([0, 128, 255]);
    const signed = videoChunk({
      ...base,
      width: 1,
      height: 1,
      format: "rgbf32",
      range: "signed",
      data: Float32Array.of(-1, 0, 1),
    });
    expect(Array.from(frameRgb8(signed, 0))).toEqual([0, 128, 255]);
    const limited = videoChunk({
      ...base,
      width: 1,
      height: 1,
      format: "rgb8",
      range: "limited",
      data: Uint8Array.of(16, 126, 235),
    });
    expect(Array.from(frameRgb8(limited, 0))).toEqual([0, 128, 255]);
    const rgba = videoChunk({
      ...base,
      width: 1,
      height: 1,
      format: "rgba8",
      range: "full",
      data: Uint8Array.of(1, 2, 3, 4),
    });
    expect(Array.from(frameRgb8(rgba, 0))).toEqual([1, 2, 3]);
  });

  it("E7: uses offset and length of pooled memory", () => {
    const pool = new Uint8Array(100).fill(9);
    const data = pool.subarray(40, 46);
    data.set([1, 2, 3, 4, 5, 6]);
    const chunk = videoChunk({ ...base, width: 1, height: 1, format: "rgb8", range: "full", data });
    expect(Array.from(frameRgb8(chunk, 1))).toEqual([4, 5, 6]);
  });

  it("hashes width, height, format and packed pixels, so that a 1×2 and a 2×1 frame differ", () => {
    const flat = (width: number, height: number): string =>
      frameHashInput(videoChunk({ ...base, width, height, format: "rgb8", range: "full", data: new Uint8Array(6) }), 0)
        .map((part) => Array.from(part).join())
        .join("|");
    expect(flat(1, 2)).not.toBe(flat(2, 1));
  });

  it("refuses a frame that is not there", () => {
    const chunk = videoChunk({ ...base, width: 1, height: 1, format: "rgb8", range: "full", data: new Uint8Array(3) });
    expect(() => frameRgb8(chunk, 1)).toThrow(/frameIndex/);
    expect(() => sliceFrames(chunk, 0, 2)).toThrow(/count/);
  });
});
