import { exactLog } from "@dreamloop/core";
import type { Sampler } from "./sampler.ts";
import * as schedule from "./variance-preserving.ts";

/**
 * DPM-Solver++ (2M) in its midpoint form (Lu et al., "DPM-Solver++", 2022, algorithm 2): two clean estimates make a step of second order.
 * The first step, and the one that ends clean, are of first order. Levels are steps of the training schedule and end with -1.
 */
export const dpmSolver: Sampler = {
  name: "dpm_solver_pp_2m",
  version: "1",
  settings: schedule.SCHEDULE_SETTINGS,
  refusedLevels: schedule.refusedTrainingSteps,
  refusedLevel: schedule.refusedTrainingStep,
  addNoise: schedule.addScheduledNoise,
  async sample({ latent, levels, settings, predict }) {
    const remaining = schedule.remainingSignal(settings);
    let before: { readonly clean: Float64Array; readonly logSnr: number } | undefined;
    for (let index = 0; index + 1 < levels.length; index += 1) {
      const level = levels[index];
      const now = schedule.mixAt(remaining, level);
      const next = schedule.mixAt(remaining, levels[index + 1]);
      const clean = schedule.cleanLatent(latent, await predict({ latent, level, index }), now, settings);
      const logSnr = exactLog(now.signal / now.noise);
      const kept = next.noise / now.noise;
      // signal · (1 − e^−h), where e^−h is the quotient of the two signal-to-noise ratios.
      const gain = next.signal - (next.noise * now.signal) / now.noise;
      const isLast = next.noise === 0;
      const step = isLast ? Infinity : exactLog(next.signal / next.noise) - logSnr;
      const half = before === undefined || isLast ? 0 : step / (2 * (logSnr - before.logSnr));
      for (let at = 0; at < latent.length; at += 1) {
        const slope = before === undefined ? 0 : clean[at] - before.clean[at];
        latent[at] = kept * latent[at] + gain * (clean[at] + half * slope);
      }
      before = { clean, logSnr };
    }
  },
};
