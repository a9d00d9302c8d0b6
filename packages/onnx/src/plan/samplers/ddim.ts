import type { Sampler } from "./sampler.ts";
import * as schedule from "./variance-preserving.ts";

/**
 * DDIM (Song et al., "Denoising Diffusion Implicit Models", 2021, equation 12). `eta` 0 is deterministic; with 1 it is DDPM's ancestral
 * sampling. Levels are steps of the training schedule and end with -1.
 */
export const ddim: Sampler = {
  name: "ddim",
  version: "1",
  settings: { ...schedule.SCHEDULE_SETTINGS, eta: { default: 0, least: 0, greatest: 1 } },
  refusedLevels: schedule.refusedTrainingSteps,
  refusedLevel: schedule.refusedTrainingStep,
  addNoise: schedule.addScheduledNoise,
  async sample({ latent, levels, settings, predict, noise }) {
    const remaining = schedule.remainingSignal(settings);
    const eta = Number(settings.eta);
    for (let index = 0; index + 1 < levels.length; index += 1) {
      const level = levels[index];
      const now = schedule.mixAt(remaining, level);
      const next = schedule.mixAt(remaining, levels[index + 1]);
      const clean = schedule.cleanLatent(latent, await predict({ latent, level, index }), now, settings);
      const ratio = now.signal / next.signal;
      const fresh = eta * (next.noise / now.noise) * Math.sqrt(1 - ratio * ratio);
      const kept = Math.sqrt(Math.max(0, next.noise * next.noise - fresh * fresh));
      const drawn = fresh > 0 ? noise(index) : undefined;
      for (let at = 0; at < latent.length; at += 1) {
        const direction = (latent[at] - now.signal * clean[at]) / now.noise;
        latent[at] = next.signal * clean[at] + kept * direction + (drawn === undefined ? 0 : fresh * drawn[at]);
      }
    }
  },
};
