import { describe, expect, test } from "vitest";
import { flowMatching } from "./flow-matching.ts";

describe("flowMatching", () => {
  test("follows a straight flow exactly, however few steps there are", async () => {
    const clean = Float32Array.of(0.5, -1, 2);
    const noise = Float32Array.of(1, 0.25, -0.5);
    for (const levels of [
      [1, 0],
      [1, 0.6, 0],
      [1, 0.75, 0.5, 0.25, 0],
    ]) {
      const latent = noise.slice();
      const seen: number[] = [];
      await flowMatching.sample({
        latent,
        levels,
        settings: {},
        predict: async ({ level }) => {
          seen.push(level);
          return noise.map((value, index) => value - (clean[index] ?? 0));
        },
        noise: () => new Float32Array(3),
      });
      latent.forEach((value, index) => expect(value).toBeCloseTo(clean[index] ?? 0, 6));
      expect(seen).toEqual(levels.slice(0, -1));
    }
  });

  test("adds noise along the same line", () => {
    const latent = flowMatching.addNoise(Float32Array.of(2, 0), Float32Array.of(0, 4), 0.25, {});
    expect([...latent]).toEqual([1.5, 1]);
  });

  test("refuses levels that do not fall from at most 1 to 0", () => {
    expect(flowMatching.refusedLevels([1, 0.6, 0], {})).toBeUndefined();
    expect(flowMatching.refusedLevels([1, 0.6, 0.6, 0], {})).toMatch(/fall/);
    expect(flowMatching.refusedLevels([1.5, 0], {})).toMatch(/at most 1/);
    expect(flowMatching.refusedLevels([1, 0.1], {})).toMatch(/last level of 0/);
    expect(flowMatching.refusedLevel(0.15, {})).toBeUndefined();
    expect(flowMatching.refusedLevel(1.5, {})).toMatch(/0 to 1/);
  });
});
