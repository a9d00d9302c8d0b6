import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isDreamloopError } from "../dreamloop-error.ts";
import { philox4x32 } from "./philox.ts";
import { RANDOM_STREAM_WORDS, randomStream, type RandomStream } from "./random-stream.ts";

const ADDRESS = { seed: 7, step: 3, subStep: 1, stream: "noise" };

/** FNV-1a of "noise" with the uppermost bit set. */
const NOISE_NUMBER = 0x904416d1;

const take = (count: number, draw: () => number): number[] => Array.from({ length: count }, draw);

describe("positions", () => {
  it("G2: the words of a stream are the Philox blocks of its address, in order", () => {
    const stream = randomStream(ADDRESS);
    const key = [7, 0] as const;
    const expected = [0, 1, 2].flatMap((block) => philox4x32([block, 3, 1 << 21, NOISE_NUMBER], key));
    expect(take(12, () => stream.nextUint32())).toEqual(expected);
    expect(Array.from({ length: 12 }, (_, position) => stream.uint32At(position))).toEqual(expected);
  });

  it("G2: reading any position in any order gives the same words and moves nothing", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: RANDOM_STREAM_WORDS - 1 }), { maxLength: 20 }), (positions) => {
        const stream = randomStream(ADDRESS);
        const forwards = positions.map((position) => stream.uint32At(position));
        const backwards = positions
          .slice()
          .reverse()
          .map((position) => randomStream(ADDRESS).uint32At(position));
        expect(backwards.slice().reverse()).toEqual(forwards);
        expect(stream.position).toBe(0);
      }),
    );
  });

  it("F2: going back to a remembered position repeats the draws", () => {
    const stream = randomStream(ADDRESS);
    take(5, () => stream.nextUint32());
    const position = stream.position;
    const draw = () => [stream.nextNormal(), stream.nextUniform(), stream.nextInteger(10), stream.nextUint32()];
    const first = draw();
    stream.seek(position);
    expect(draw()).toEqual(first);
  });

  it("I3: positions beyond 2^31 and 2^32 are read, and the end of the stream is an error that leaves it in place", () => {
    const stream = randomStream(ADDRESS);
    const at = (position: number) =>
      philox4x32([Math.floor(position / 4), 3, 1 << 21, NOISE_NUMBER], [7, 0])[position % 4];
    for (const position of [2 ** 31, 2 ** 32 + 1, 2 ** 33 + 3, RANDOM_STREAM_WORDS - 1]) {
      expect(stream.uint32At(position)).toBe(at(position));
    }
    stream.seek(RANDOM_STREAM_WORDS - 1);
    expect(codeOf(() => stream.nextUniform())).toBe("limit_exceeded");
    expect(codeOf(() => stream.fillNormal(new Float32Array(1)))).toBe("limit_exceeded");
    expect(stream.position).toBe(RANDOM_STREAM_WORDS - 1);
    expect(stream.nextUint32()).toBe(at(RANDOM_STREAM_WORDS - 1));
    expect(codeOf(() => stream.nextUint32())).toBe("limit_exceeded");
  });

  it("positions and bounds that are no integers in range are refused", () => {
    const stream = randomStream(ADDRESS);
    for (const position of [-1, 0.5, NaN, RANDOM_STREAM_WORDS + 1]) {
      expect(codeOf(() => stream.seek(position))).toBe("invalid_value");
      expect(codeOf(() => stream.uint32At(position))).toBe("invalid_value");
    }
    for (const bound of [0, -3, 1.5, 2 ** 53, NaN]) {
      expect(codeOf(() => stream.nextInteger(bound))).toBe("invalid_value");
    }
  });
});

describe("filling", () => {
  it("gives the numbers of the single draws, from any position, for any length", () => {
    const length = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 500, max: 1100 }));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9 }), length, (start, count) => {
        const single = randomStream(ADDRESS);
        const filled = randomStream(ADDRESS);
        single.seek(start);
        filled.seek(start);
        const normals = new Float64Array(count);
        const uniforms = new Float32Array(count);
        filled.fillNormal(normals);
        filled.fillUniform(uniforms);
        expect([...normals]).toEqual(take(count, () => single.nextNormal()));
        expect([...uniforms]).toEqual(take(count, () => Math.fround(single.nextUniform())));
        expect(filled.position).toBe(single.position);
      }),
      { numRuns: 60 },
    );
  });
});

describe("independence", () => {
  const sessionDraws = (stream: RandomStream) => [stream.nextNormal(), stream.nextUniform(), stream.nextUint32()];

  it("G2: other streams, sessions, pauses and resets do not change the draws of a stream", () => {
    const undisturbed = [0, 1, 2].map((step) => sessionDraws(randomStream({ ...ADDRESS, step })));
    const disturbed = [0, 1, 2].map((step) => {
      randomStream({ ...ADDRESS, step, stream: "traffic" }).fillNormal(new Float32Array(33));
      randomStream({ ...ADDRESS, step: 0 }).nextUint32();
      const stream = randomStream({ ...ADDRESS, step });
      randomStream({ ...ADDRESS, step }).fillUniform(new Float32Array(5));
      return sessionDraws(stream);
    });
    expect(disturbed).toEqual(undisturbed);
  });

  it("J1: two sessions that draw in turns get what each gets alone", () => {
    const alone = [1, 2].map((seed) => {
      const stream = randomStream({ ...ADDRESS, seed });
      return take(50, () => stream.nextNormal());
    });
    const streams = [1, 2].map((seed) => randomStream({ ...ADDRESS, seed }));
    const interleaved: number[][] = [[], []];
    for (let index = 0; index < 50; index += 1) {
      streams.forEach((stream, session) => interleaved[session]?.push(stream.nextNormal()));
    }
    expect(interleaved).toEqual(alone);
  });

  it("G2: neighbours in seed, step, sub-step and stream are uncorrelated", () => {
    const count = 20000;
    const normalsAt = (change: Partial<typeof ADDRESS>) => {
      const target = new Float64Array(count);
      randomStream({ ...ADDRESS, ...change }).fillNormal(target);
      return target;
    };
    const base = normalsAt({});
    for (const change of [{ seed: 8 }, { step: 4 }, { subStep: 2 }, { stream: "noisf" }, { step: 3 + 2 ** 32 }]) {
      const other = normalsAt(change);
      const correlation = base.reduce((sum, value, index) => sum + value * other[index], 0) / count;
      expect(Math.abs(correlation), JSON.stringify(change)).toBeLessThan(5 / Math.sqrt(count));
    }
  });
});

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (isDreamloopError(error)) return error.code;
    throw error;
  }
  return "no error";
}
