import type { Sampler } from "./sampler.ts";
import * as schedule from "./variance-preserving.ts";

/**
 * Latent consistency sampling (Luo et al., "Latent Consistency Models", 2023): each step jumps to a clean latent and adds fresh noise for
 * the next level. `sigmaData` and `timeScale` shape the boundary condition. Levels are steps of the training schedule and end with -1.
 */
export const lcm: Sampler = {
  name: "lcm",
  version: "1",
  settings: {
    ...schedule.SCHEDULE_SETTINGS,
    sigmaData: { default: 0.5, least: 0, greatest: 1000 },
    timeScale: { default: 10, least: 0, greatest: 1000 },
  },
  refusedLevels: schedule.refusedTrainingSteps,
  refusedLevel: schedule.refusedTrainingStep,
  addNoise: schedule.addScheduledNoise,
  async sample({ latent, levels, settings, predict, noise }) {
    const remaining = schedule.remainingSignal(settings);
    const data = Number(settings.sigmaData);
    for (let index = 0; index + 1 < levels.length; index += 1) {
      const level = levels[index];
      const now = schedule.mixAt(remaining, level);
      const next = schedule.mixAt(remaining, levels[index + 1]);
      const clean = schedule.cleanLatent(latent, await predict({ latent, level, index }), now, settings);
      const time = level * Number(settings.timeScale);
      const sum = time * time + data * data;
      const [skip, out] = [(data * data) / sum, time / Math.sqrt(sum)];
      const drawn = next.noise > 0 ? noise(index) : undefined;
      for (let at = 0; at < latent.length; at += 1) {
        const jumped = out * clean[at] + skip * latent[at];
        latent[at] = next.signal * jumped + (drawn === undefined ? 0 : next.noise * drawn[at]);
      }
    }
  },
};
