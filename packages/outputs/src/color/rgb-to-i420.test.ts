import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { i420Bytes } from "./i420.ts";
import { i420ToRgb } from "./i420-to-rgb.ts";
import { rgbToI420 } from "./rgb-to-i420.ts";

/** The definition in floating point, pixel by pixel, with nothing shared with the code under test. */
function reference(rgb: Uint8Array, width: number, height: number, range: "limited" | "full") {
  const evenWidth = width + (width % 2);
  const evenHeight = height + (height % 2);
  const [black, lumaSpan, chromaSpan] = range === "limited" ? [16, 219, 224] : [0, 255, 255];
  const pixel = (x: number, y: number) => {
    const at = (Math.min(Math.max(y, 0), height - 1) * width + Math.min(Math.max(x, 0), width - 1)) * 3;
    const [r, g, b] = [rgb[at] / 255, rgb[at + 1] / 255, rgb[at + 2] / 255];
    const luma = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    return { luma, blue: (b - luma) / 1.8556, red: (r - luma) / 1.5748 };
  };
  const values: number[] = [];
  for (let y = 0; y < evenHeight; y += 1) {
    for (let x = 0; x < evenWidth; x += 1) values.push(black + lumaSpan * pixel(x, y).luma);
  }
  for (const channel of ["blue", "red"] as const) {
    for (let y = 0; y < evenHeight; y += 2) {
      for (let x = 0; x < evenWidth; x += 2) {
        let sum = 0;
        for (const [dx, weight] of [
          [-1, 1],
          [0, 2],
          [1, 1],
        ] as const) {
          sum += weight * (pixel(x + dx, y)[channel] + pixel(x + dx, y + 1)[channel]);
        }
        values.push(128 + (chromaSpan * sum) / 8);
      }
    }
  }
  return values;
}

/** How far the bytes are from the definition; correct rounding gives at most one half. */
function greatestError(bytes: Uint8Array, exact: readonly number[]): number {
  return bytes.reduce((greatest, byte, index) => Math.max(greatest, Math.abs(byte - Math.min(255, exact[index]))), 0);
}

describe("rgbToI420", () => {
  it.each([
    ["black", [0, 0, 0], [16, 128, 128]],
    ["white", [255, 255, 255], [235, 128, 128]],
    ["red", [255, 0, 0], [63, 102, 240]],
    ["green", [0, 255, 0], [173, 42, 26]],
    ["blue", [0, 0, 255], [32, 240, 118]],
  ])("E2: gives the BT.709 limited values of %s", (_name, color, expected) => {
    const { data } = rgbToI420({ rgb: Uint8Array.from([...color, ...color, ...color, ...color]), width: 2, height: 2 });
    expect([data[0], data[4], data[5]]).toEqual(expected);
  });

  it("keeps every grey exactly neutral, in both ranges", () => {
    for (let grey = 0; grey < 256; grey += 1) {
      for (const range of ["limited", "full"] as const) {
        const { data } = rgbToI420({ rgb: new Uint8Array(12).fill(grey), width: 2, height: 2, range });
        const luma = range === "limited" ? Math.floor(16 + (219 * grey) / 255 + 0.5) : grey;
        expect([...data]).toEqual([luma, luma, luma, luma, 128, 128]);
      }
    }
  });

  it("E2: is the definition, correctly rounded, for any picture", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom("limited" as const, "full" as const),
        fc.infiniteStream(fc.nat({ max: 255 })),
        (width, height, range, stream) => {
          const rgb = new Uint8Array(width * height * 3).map(() => stream.next().value as number);
          const { data } = rgbToI420({ rgb, width, height, range });
          // One half from rounding, a little from the weights' 16 bits.
          expect(greatestError(data, reference(rgb, width, height, range))).toBeLessThanOrEqual(0.51);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("E4: pads every size from 1×1 to 65×65 by repeating the edge", () => {
    for (let width = 1; width <= 65; width += 1) {
      for (let height = 1; height <= 65; height += width % 8 === 1 ? 1 : 7) {
        const rgb = new Uint8Array(width * height * 3).map((_, index) => (index * 37 + width * 11 + height) & 255);
        const codedWidth = Math.max(16, width + (width % 2));
        const codedHeight = Math.max(16, height + (height % 2));
        const { data } = rgbToI420({ rgb, width, height, codedWidth, codedHeight });
        expect(data.byteLength).toBe(i420Bytes(codedWidth, codedHeight));
        const lastX = width - 1;
        const lastY = height - 1;
        for (const [x, y] of [
          [codedWidth - 1, 0],
          [0, codedHeight - 1],
          [codedWidth - 1, codedHeight - 1],
        ] as const) {
          const inside = Math.min(y, lastY) * codedWidth + Math.min(x, lastX);
          expect(data[y * codedWidth + x]).toBe(data[inside]);
        }
        const exact = reference(rgb, width, height, "limited");
        const evenWidth = width + (width % 2);
        for (let y = 0; y < height; y += 1) {
          const row = data.subarray(y * codedWidth, y * codedWidth + width);
          expect(greatestError(row, exact.slice(y * evenWidth, y * evenWidth + width))).toBeLessThanOrEqual(0.51);
        }
      }
    }
  });

  it("sites chroma on even columns", () => {
    // Red from column 2 on: the sample at column 2 sees its left neighbour with one quarter.
    const width = 6;
    const rgb = new Uint8Array(width * 2 * 3);
    for (let y = 0; y < 2; y += 1) for (let x = 2; x < width; x += 1) rgb[(y * width + x) * 3] = 255;
    const { data } = rgbToI420({ rgb, width, height: 2 });
    const red = [...data.subarray(15, 18)];
    expect(red).toEqual([128, 128 + 84, 240]);
  });

  it("E7: reads and writes at the offset of its views, and nowhere else", () => {
    const pool = Buffer.alloc(64, 0xee);
    const rgb = pool.subarray(5, 5 + 12).fill(200);
    const memory = new Uint8Array(20).fill(7);
    rgbToI420({ rgb, width: 2, height: 2, into: memory.subarray(9, 15) });
    const luma = Math.round(16 + (219 * 200) / 255);
    expect([...memory]).toEqual([...Array<number>(9).fill(7), luma, luma, luma, luma, 128, 128, 7, 7, 7, 7, 7]);
  });

  it("E2: comes back from its inverse within rounding where colours are flat", () => {
    fc.assert(
      fc.property(fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)), fc.boolean(), (color, isFull) => {
        const range = isFull ? "full" : "limited";
        const rgb = Uint8Array.from({ length: 4 * 4 * 3 }, (_, index) => color[index % 3]);
        const back = i420ToRgb({ picture: rgbToI420({ rgb, width: 4, height: 4, range }), range });
        for (const [index, value] of back.entries()) expect(Math.abs(value - color[index % 3])).toBeLessThanOrEqual(3);
      }),
    );
  });
});
