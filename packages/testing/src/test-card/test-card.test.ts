import { describe, expect, test } from "vitest";
import { compareTestCard, TEST_CARD_LIMITS } from "./compare-test-card.ts";
import { testCardLayout, type CardArea } from "./test-card-layout.ts";
import { barcodeBits, barcodeNumber, testCard, TEST_CARD_COLORS, type TestCard } from "./test-card.ts";

const SIZE = { width: 320, height: 180 };

/** The card after something was done to each pixel. */
function changed(card: TestCard, change: (red: number, green: number, blue: number) => readonly number[]): TestCard {
  const data = new Uint8Array(card.data.length);
  for (let at = 0; at < data.length; at += 3) {
    const pixel = change(card.data[at], card.data[at + 1], card.data[at + 2]);
    data.set(
      pixel.map((value) => Math.min(255, Math.max(0, Math.round(value)))),
      at,
    );
  }
  return { ...card, data };
}

/** The card moved to the right and down, its first rows and columns repeated. */
function shifted(card: TestCard, right: number, down: number): TestCard {
  const { width, height } = card;
  const data = new Uint8Array(card.data.length);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const from = (Math.max(0, y - down) * width + Math.max(0, x - right)) * 3;
      data.set(card.data.subarray(from, from + 3), (y * width + x) * 3);
    }
  }
  return { width, height, data };
}

/** The mean of each block of pixels, as a strong codec leaves it. */
function blocks(card: TestCard, side: number): TestCard {
  const { width, height } = card;
  const data = new Uint8Array(card.data.length);
  for (let at = 0; at < data.length; at += 1) {
    const [x, y] = [Math.floor(at / 3) % width, Math.floor(at / 3 / width)];
    let [sum, count] = [0, 0];
    for (let row = y - (y % side); row < Math.min(height, y - (y % side) + side); row += 1) {
      for (let column = x - (x % side); column < Math.min(width, x - (x % side) + side); column += 1) {
        sum += card.data[(row * width + column) * 3 + (at % 3)];
        count += 1;
      }
    }
    data[at] = Math.round(sum / count);
  }
  return { width, height, data };
}

describe("testCard and compareTestCard", () => {
  test("an untouched card is exact in every part, at every size and every frame number", () => {
    for (const [width, height] of [
      [64, 64],
      [65, 63],
      [160, 90],
      [320, 180],
      [359, 641],
      [640, 360],
    ]) {
      for (const frameIndex of [0, 1, 0x555555, 2 ** 24 - 1]) {
        const found = compareTestCard(testCard({ width, height, frameIndex }));
        expect(found).toMatchObject({
          maxPatchDeltaE: 0,
          ramp: { largestFall: 0, largestError: 0, largestTint: 0, isMonotonic: true },
          checker: { isExact: true, contrast: 255, displacement: 0, isAligned: true },
          frameIndex,
        });
      }
    }
  });

  test("small cards lack what does not fit, and no part ever lies outside", () => {
    for (let side = 1; side <= 65; side += 1) {
      const layout = testCardLayout(side, 66 - side);
      const { ramp, checker, barcode } = layout;
      for (const area of [...layout.patches, ramp, checker, barcode]) {
        if (area === undefined) continue;
        expect(area.x >= 0 && area.y >= 0 && area.width > 0 && area.height > 0).toBe(true);
        expect(area.x + area.width <= side && area.y + area.height <= 66 - side).toBe(true);
      }
      expect(testCard({ width: side, height: 66 - side }).data.length).toBe(side * (66 - side) * 3);
    }
    expect(compareTestCard(testCard({ width: 1, height: 1 }))).toEqual({ patchDeltaE: [] });
  });

  test("RGBA is compared as well as RGB", () => {
    const card = testCard({ ...SIZE, frameIndex: 77 });
    const data = new Uint8Array(SIZE.width * SIZE.height * 4).fill(9);
    for (let pixel = 0; pixel < SIZE.width * SIZE.height; pixel += 1)
      data.set(card.data.subarray(pixel * 3, pixel * 3 + 3), pixel * 4);
    expect(compareTestCard({ ...SIZE, data, channels: 4 })).toEqual(compareTestCard(card));
  });

  test("a wrong colour matrix is beyond the lossy limit", () => {
    // What an encoder does that converts with the BT.601 matrix while the player assumes BT.709.
    const wrong = changed(testCard(SIZE), (red, green, blue) => {
      const y = 0.299 * red + 0.587 * green + 0.114 * blue;
      const [cb, cr] = [(blue - y) / 1.772, (red - y) / 1.402];
      return [y + 1.5748 * cr, y - 0.1873 * cb - 0.4681 * cr, y + 1.8556 * cb];
    });
    const found = compareTestCard(wrong);
    expect(found.maxPatchDeltaE).toBeGreaterThan(TEST_CARD_LIMITS.lossyDeltaE);
    expect(found.ramp?.largestError).toBeLessThan(1);
  });

  test("a wrong range, exchanged channels and a tint are found", () => {
    const range = compareTestCard(
      changed(testCard(SIZE), (...pixel) => pixel.map((value) => 16 + (value * 219) / 255)),
    );
    // A confused range costs each colour less than a lossy codec may, but its mark on the ramp is unmistakable.
    expect(range.maxPatchDeltaE).toBeGreaterThan(TEST_CARD_LIMITS.losslessDeltaE);
    expect(range.ramp?.largestError).toBeGreaterThan(15);
    const exchanged = compareTestCard(changed(testCard(SIZE), (red, green, blue) => [blue, green, red]));
    expect(exchanged.maxPatchDeltaE).toBeGreaterThan(20);
    const tinted = compareTestCard(changed(testCard(SIZE), (red, green, blue) => [red, green, blue + 6]));
    expect(tinted.ramp?.largestTint).toBeCloseTo(6, 9);
  });

  test("a ramp that falls is found, small steps are not", () => {
    const falling = changed(testCard(SIZE), (...pixel) => pixel.map((value) => (value >= 128 ? value - 5 : value)));
    expect(compareTestCard(falling).ramp?.isMonotonic).toBe(false);
    const steps = changed(testCard(SIZE), (...pixel) => pixel.map((value) => value - (value % 3)));
    expect(compareTestCard(steps).ramp?.isMonotonic).toBe(true);
  });

  test("a picture that moved by a pixel or two is found by the checker, also when that has become a flat grey", () => {
    expect(compareTestCard(shifted(testCard(SIZE), 1, 0)).checker).toMatchObject({ isExact: false, displacement: 1 });
    expect(compareTestCard(shifted(testCard(SIZE), 0, 3)).checker).toMatchObject({ displacement: 3, isAligned: false });
    const grey = (card: TestCard): TestCard => {
      const { checker } = testCardLayout(card.width, card.height) as { checker: CardArea };
      const data = card.data.slice();
      for (let row = checker.y; row < checker.y + checker.height; row += 1) {
        const start = (row * card.width + checker.x) * 3;
        data.fill(127, start, start + checker.width * 3);
      }
      return { ...card, data };
    };
    const flat = compareTestCard(grey(testCard(SIZE))).checker;
    expect(flat).toMatchObject({ isExact: false, contrast: 0, displacement: 0, isAligned: true });
    expect(compareTestCard(shifted(grey(testCard(SIZE)), 2, 0)).checker).toMatchObject({ displacement: 2 });
  });

  test("the barcode survives coarse blocks and is not misread", () => {
    const card = testCard({ ...SIZE, frameIndex: 123_456 });
    expect(compareTestCard(blocks(card, 4)).frameIndex).toBe(123_456);
    const black = changed(card, () => [0, 0, 0]);
    expect(compareTestCard(black).frameIndex).toBeUndefined();
    for (let bit = 0; bit < 32; bit += 1) {
      const bits = barcodeBits(123_456).map((cell, index) => (index === bit ? 1 - cell : cell));
      expect(barcodeNumber(bits)).toBeUndefined();
    }
  });

  test("wrong numbers and short data are refused", () => {
    expect(() => testCard({ ...SIZE, frameIndex: 2 ** 24 })).toThrow(/testCard\.frameIndex/);
    expect(() => testCard({ width: 0, height: 1 })).toThrow(/testCardLayout\(width\)/);
    expect(() => compareTestCard({ ...SIZE, data: [] })).toThrow(/CardPicture\.data: expected 172800 values/);
    expect(TEST_CARD_COLORS).toHaveLength(8);
  });
});
