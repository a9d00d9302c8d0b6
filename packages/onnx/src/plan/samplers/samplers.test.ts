import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { karrasLevels } from "../sample-planner.ts";
import { BUILT_IN_SAMPLERS } from "./built-in-samplers.ts";
import { refusedSetting, settledSettings, type Sampler, type SamplerSettings } from "./sampler.ts";

/** Made by packages/onnx/testing/sampler_goldens.py, which writes every sampler a second time in NumPy. */
const goldens = JSON.parse(readFileSync(new URL("sampler-goldens.json", import.meta.url), "utf8")) as {
  readonly start: readonly number[];
  readonly karras: {
    readonly steps: number;
    readonly least: number;
    readonly greatest: number;
    readonly rho: number;
    readonly levels: readonly number[];
  };
  readonly cases: readonly {
    readonly sampler: string;
    readonly levels: readonly number[];
    readonly settings: SamplerSettings;
    readonly result: readonly number[];
  }[];
};

const named = (name: string): Sampler => BUILT_IN_SAMPLERS[name];
const network = (value: number, level: number): number => value / (1 + value * value) + (0.05 * level) / 1000;
const noise = (index: number): Float32Array =>
  Float32Array.from(goldens.start, (_, element) => (((element * 7 + index * 3) % 11) - 5) / 5);

describe("samplers", () => {
  test.each(goldens.cases.map((each) => [each.sampler, JSON.stringify(each.settings), each] as const))(
    "%s with %s gives the numbers of the reference within 1e-5",
    async (name, _, { levels, settings, result }) => {
      const sampler = named(name);
      const settled = settledSettings(sampler, settings);
      expect(sampler.refusedLevels(levels, settled)).toBeUndefined();
      const latent = Float32Array.from(goldens.start);
      await sampler.sample({
        latent,
        levels,
        settings: settled,
        predict: async (call) => call.latent.map((value) => network(value, call.level)),
        noise,
      });
      latent.forEach((value, at) => {
        const expected = result[at] ?? NaN;
        expect(Math.abs(value - expected)).toBeLessThan(1e-5 * Math.max(1, Math.abs(expected)));
      });
    },
  );

  test("Karras levels are those of the reference, and end clean", () => {
    const { levels, ...how } = goldens.karras;
    karrasLevels(how).forEach((level, index) => expect(level).toBeCloseTo(levels[index] ?? NaN, 9));
    expect(karrasLevels({ ...how, steps: 1 })).toEqual([expect.closeTo(80, 9), 0]);
  });

  test.each(["ddim", "dpm_solver_pp_2m", "lcm"])(
    "%s refuses levels that are no training steps falling to -1",
    (name) => {
      const sampler = named(name);
      const settings = settledSettings(sampler);
      const refused = (levels: readonly number[]): string | undefined => sampler.refusedLevels(levels, settings);
      expect(refused([999, 500, -1])).toBeUndefined();
      expect(refused([999.5, -1])).toMatch(/whole numbers/);
      expect(refused([500, 500, -1])).toMatch(/fall/);
      expect(refused([1000, -1])).toMatch(/below trainSteps, 1000/);
      expect(refused([999, 0])).toMatch(/-1, where the latent is clean/);
      expect(sampler.refusedLevel(-1, settings)).toBeUndefined();
      expect(sampler.refusedLevel(1000, settings)).toMatch(/from -1 to 999/);
    },
  );

  test("every sampler brings a clean latent to a level and leaves it alone at the clean one", () => {
    const latent = Float32Array.of(2, -1);
    for (const sampler of Object.values(BUILT_IN_SAMPLERS)) {
      const settings = settledSettings(sampler);
      const clean = sampler.refusedLevel(-1, settings) === undefined ? -1 : 0;
      expect([...sampler.addNoise(latent, Float32Array.of(1, 1), clean, settings)]).toEqual([2, -1]);
    }
    expect([...named("edm").addNoise(latent, Float32Array.of(1, -1), 3, {})]).toEqual([5, -4]);
  });

  test("settings have names, bounds and choices", () => {
    const { eta, predicts } = named("ddim").settings;
    expect(eta && refusedSetting(eta, 2)).toBe("a number from 0 to 1");
    expect(predicts && refusedSetting(predicts, "noise")).toBe("one of eps, v, x0");
    expect(settledSettings(named("ddim"), { eta: 1 })).toMatchObject({ eta: 1, predicts: "eps" });
  });
});
