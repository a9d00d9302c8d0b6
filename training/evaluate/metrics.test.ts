import { describe, expect, it } from "vitest";
import { IouCounter, mean, meanDifference, pictureStatistics, psnr } from "./metrics.ts";

const BLACK = new Uint8Array(12);
const GREY = new Uint8Array(12).fill(51);

describe("psnr", () => {
  it("is 99 for equal pictures and 14 dB for a difference of a fifth", () => {
    expect(psnr(GREY, GREY)).toBe(99);
    expect(psnr(GREY, BLACK)).toBeCloseTo(13.979, 2);
  });

  it("counts masked pixels only", () => {
    const half = Uint8Array.from([0, 0, 0, 0, 0, 0, 51, 51, 51, 51, 51, 51]);
    expect(psnr(half, BLACK, Uint8Array.of(1, 1, 0, 0))).toBe(99);
    expect(psnr(half, BLACK, Uint8Array.of(0, 0, 1, 1))).toBeCloseTo(13.979, 2);
    expect(psnr(half, BLACK, new Uint8Array(4))).toBeNaN();
  });
});

describe("IouCounter", () => {
  it("divides overlap by union over all pictures", () => {
    const counter = new IouCounter();
    counter.add(Uint8Array.of(1, 1, 0, 0), Uint8Array.of(0, 1, 1, 0));
    counter.add(Uint8Array.of(1, 0, 0, 0), Uint8Array.of(1, 0, 0, 0));
    expect(counter.value).toBe(0.5);
    expect(new IouCounter().value).toBeNaN();
  });
});

describe("pictureStatistics", () => {
  it("tells flat from striped and grey from coloured", () => {
    expect(pictureStatistics(GREY, 2)).toEqual({ mean: 51, deviation: 0, detail: 0, colour: 0 });
    const striped = pictureStatistics(Uint8Array.from([0, 0, 0, 200, 200, 200, 0, 0, 0, 200, 200, 200]), 2);
    expect(striped).toMatchObject({ mean: 100, deviation: 100, detail: 100 });
    expect(pictureStatistics(Uint8Array.from([90, 0, 0]), 1).colour).toBeCloseTo(40, 6);
  });
});

describe("mean and meanDifference", () => {
  it("leave out what is no number, and average over all channels", () => {
    expect(mean([1, Number.NaN, 3])).toBe(2);
    expect(meanDifference(GREY, BLACK)).toBe(51);
  });
});
