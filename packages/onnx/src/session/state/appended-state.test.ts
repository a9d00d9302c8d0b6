import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tensorOf, type Tensor } from "../../manifest/tensor.ts";
import type { AppendedStateDeclaration } from "../../manifest/world-manifest.ts";
import { AppendedState } from "./appended-state.ts";

const OUTER = 2;
const INNER = 3;

interface Layout {
  readonly window: number;
  readonly sink: number;
  readonly align: "end" | "start" | "ring";
  readonly padding: "zeros" | "none";
}

function declaration({ window, sink, align, padding }: Layout): AppendedStateDeclaration {
  const length = padding === "none" ? ("any" as const) : window + sink;
  const shape = [OUTER, length, INNER];
  return { update: "append", dtype: "float32", shape, axis: 1, window, sink, align, padding, entriesPerFrame: 1 };
}

/** Entries `first` to `first + count`, each element saying which entry, stretch and place it is. */
function entries(first: number, count: number): Tensor {
  const values: number[] = [];
  for (let outer = 0; outer < OUTER; outer += 1) {
    for (let entry = 0; entry < count; entry += 1) {
      for (let inner = 0; inner < INNER; inner += 1) values.push((first + entry + 1) * 100 + outer * 10 + inner);
    }
  }
  return tensorOf("float32", [OUTER, count, INNER], values);
}

/** What a cache holds, worked out from scratch: the position at each place, `undefined` where there is none. */
function expectedPlaces(total: number, { window, sink, align, padding }: Layout): (number | undefined)[] {
  const kept: number[] = [];
  for (let position = 0; position < total; position += 1) {
    if (position < sink || position >= total - window) kept.push(position);
  }
  if (padding === "none") return kept;
  const places = new Array<number | undefined>(window + sink).fill(undefined);
  kept.forEach((position, index) => {
    if (align === "end") places[places.length - kept.length + index] = position;
    else if (align === "start") places[index] = position;
    else places[position < sink ? position : sink + ((position - sink) % window)] = position;
  });
  return places;
}

function placesOf(cache: AppendedState): (number | undefined)[] {
  const { shape, data } = cache.tensor;
  const mask = cache.mask();
  return Array.from({ length: shape[1] ?? 0 }, (_, place) => {
    if (mask[place] === 0) return undefined;
    const position = Number(data[place * INNER]) / 100 - 1;
    for (let outer = 0; outer < OUTER; outer += 1) {
      for (let inner = 0; inner < INNER; inner += 1) {
        const at = (outer * (shape[1] ?? 0) + place) * INNER + inner;
        expect(data[at]).toBe((position + 1) * 100 + outer * 10 + inner);
      }
    }
    return position;
  });
}

const layouts = fc.record({
  window: fc.integer({ min: 1, max: 5 }),
  sink: fc.integer({ min: 0, max: 3 }),
  align: fc.constantFrom("end" as const, "start" as const, "ring" as const),
  padding: fc.constantFrom("zeros" as const, "none" as const),
});

describe("AppendedState", () => {
  test("I2: whatever is appended, the first entries and the newest ones are kept, each at its place", () => {
    fc.assert(
      fc.property(layouts, fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 12 }), (layout, counts) => {
        const cache = new AppendedState(declaration(layout), { window: layout.window, sink: layout.sink });
        let total = 0;
        for (const count of counts) {
          cache.append(entries(total, count));
          total += count;
          const expected = expectedPlaces(total, layout);
          expect(placesOf(cache)).toEqual(expected);
          expect(cache.positions()).toEqual(expected.map((position) => position ?? 0));
          expect(cache.length).toBe(expected.filter((position) => position !== undefined).length);
          expect(cache.total).toBe(total);
        }
      }),
    );
  });

  test("I2: once the window is full the memory stays the same, however much is inserted after eviction", () => {
    for (const align of ["end", "start", "ring"] as const) {
      for (const padding of ["zeros", "none"] as const) {
        const layout = { window: 3, sink: 1, align, padding };
        const cache = new AppendedState(declaration(layout), layout);
        for (let index = 0; index < 4; index += 1) cache.append(entries(index, 1));
        const { tensor } = cache;
        for (let index = 4; index < 500; index += 1) cache.append(entries(index, 1));
        expect(cache.tensor).toBe(tensor);
        expect(tensor.data.length).toBe(OUTER * 4 * INNER);
        expect(placesOf(cache)).toEqual(expectedPlaces(500, layout));
      }
    }
  });

  test("places that hold nothing yet are zero", () => {
    const cache = new AppendedState(declaration({ window: 3, sink: 0, align: "end", padding: "zeros" }), {
      window: 3,
      sink: 0,
    });
    cache.append(entries(0, 1));
    expect([...cache.tensor.data].slice(0, 2 * INNER)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(cache.mask()).toEqual([0, 0, 1]);
  });

  test("a span that is smaller than the tensor leaves the rest of it unused", () => {
    for (const align of ["end", "start", "ring"] as const) {
      const cache = new AppendedState(declaration({ window: 5, sink: 0, align, padding: "zeros" }), {
        window: 2,
        sink: 1,
      });
      for (let index = 0; index < 6; index += 1) cache.append(entries(index, 1));
      const kept = placesOf(cache).filter((position) => position !== undefined);
      expect(kept.sort()).toEqual([0, 4, 5]);
      expect(cache.tensor.shape).toEqual([OUTER, 5, INNER]);
    }
  });

  test("I3: positions count on past 2^31 and past 2^32", () => {
    for (const start of [2 ** 31 - 2, 2 ** 32 - 2]) {
      const layout = { window: 3, sink: 1, align: "ring", padding: "zeros" } as const;
      const cache = new AppendedState(declaration(layout), layout);
      cache.restore({ total: start, data: new Float32Array(OUTER * 4 * INNER) });
      for (let index = 0; index < 5; index += 1)
        cache.append(tensorOf("float32", [OUTER, 1, INNER], new Array(6).fill(index)));
      expect(cache.total).toBe(start + 5);
      expect([...cache.positions()].sort((a, b) => a - b)).toEqual([0, start + 2, start + 3, start + 4]);
    }
  });

  test("a copy of the content restores the cache and shares no memory with it", () => {
    const layout = { window: 2, sink: 0, align: "end", padding: "none" } as const;
    const cache = new AppendedState(declaration(layout), layout);
    cache.append(entries(0, 3));
    const content = cache.content();
    cache.append(entries(3, 1));
    const other = new AppendedState(declaration(layout), layout);
    other.restore(content);
    expect(placesOf(other)).toEqual([1, 2]);
    other.append(entries(3, 1));
    expect([...other.tensor.data]).toEqual([...cache.tensor.data]);
    expect(() => other.restore({ total: 5, data: new Float32Array(1) })).toThrow(/expected 12 elements, found 1/);
  });

  test("64-bit whole numbers are moved like any others", () => {
    const state: AppendedStateDeclaration = {
      ...declaration({ window: 2, sink: 0, align: "end", padding: "zeros" }),
      dtype: "int64",
      shape: [2],
      axis: 0,
    };
    const cache = new AppendedState(state, { window: 2, sink: 0 });
    for (const value of [7, 8, 9]) cache.append(tensorOf("int64", [1], [value]));
    expect(cache.tensor.data).toEqual(BigInt64Array.of(8n, 9n));
  });

  test("with a limit it says when an append would push something out", () => {
    const state = declaration({ window: 4, sink: 0, align: "end", padding: "none" });
    const cache = new AppendedState(state, { window: 4, sink: 0, limit: 4 });
    cache.append(entries(0, 3));
    expect(cache.isCompleteBefore(1)).toBe(false);
    expect(cache.isCompleteBefore(2)).toBe(true);
  });
});
