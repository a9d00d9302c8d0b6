import { describe, expect, test } from "vitest";
import { probeLayout, type ProbeLayout, type Rectangle } from "./layout.ts";

function partsOf(layout: ProbeLayout): readonly (readonly [string, Rectangle])[] {
  const { strip, header, values, stage, patches, ramp, checker, lamps, gauges } = layout;
  const single = Object.entries({ strip, header, values, stage, ramp, checker });
  const groups = Object.entries({ patches, lamps, gauges }).flatMap(([name, areas]) =>
    areas.map((area, index) => [`${name}[${index}]`, area] as const),
  );
  return [...single, ...groups].flatMap(([name, area]) => (area === undefined ? [] : [[name, area] as const]));
}

function overlaps(one: Rectangle, other: Rectangle): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

const SIZES: readonly (readonly [number, number])[] = [
  ...Array.from({ length: 65 }, (_, index) => [index + 1, 65 - index] as const),
  ...Array.from({ length: 40 }, (_, index) => [40 + index * 17, 30 + index * 11] as const),
  ...([
    [1, 1080],
    [1920, 1],
    [359, 641],
    [640, 360],
    [1280, 720],
    [1920, 1080],
    [4096, 4096],
  ] as const),
];

describe("probeLayout", () => {
  test("every part lies within the frame, has pixels and overlaps no other", () => {
    for (const [width, height] of SIZES) {
      const parts = partsOf(probeLayout(width, height));
      parts.forEach(([name, area], index) => {
        const place = `${name} at ${width}x${height}: ${JSON.stringify(area)}`;
        expect(area.width > 0 && area.height > 0, place).toBe(true);
        expect(area.x >= 0 && area.y >= 0, place).toBe(true);
        expect(area.x + area.width <= width && area.y + area.height <= height, place).toBe(true);
        for (const [otherName, other] of parts.slice(index + 1)) {
          expect(overlaps(area, other), `${place} and ${otherName} ${JSON.stringify(other)}`).toBe(false);
        }
      });
    }
  });

  test("cells that survive lossy video fit from 160×90 on, cells of two pixels from 64×64 on", () => {
    expect(probeLayout(160, 90).strip).toMatchObject({ cellPixels: 4, columns: 30, rows: 8 });
    expect(probeLayout(640, 360).strip).toMatchObject({ cellPixels: 10, columns: 60, rows: 4 });
    expect(probeLayout(64, 64).strip?.cellPixels).toBe(2);
    expect(probeLayout(63, 30).strip).toBeUndefined();
  });

  test("what does not fit is left out whole", () => {
    expect(probeLayout(1, 1)).toMatchObject({
      stage: { x: 0, y: 0, width: 1, height: 1 },
      patches: [],
      lamps: [],
      gauges: [],
    });
    const small = probeLayout(160, 90);
    expect([small.header, small.patches.length, small.lamps.length]).toEqual([undefined, 8, 0]);
    const large = probeLayout(320, 180);
    expect([large.header === undefined, large.patches.length, large.lamps.length]).toEqual([false, 8, 16]);
  });
});
