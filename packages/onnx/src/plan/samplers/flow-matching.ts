import type { Sampler } from "./sampler.ts";

/**
 * Flow matching with Euler steps (Lipman et al., "Flow Matching for Generative Modeling", 2023). At level t a latent is
 * (1 − t) · clean + t · noise, and the graph predicts the velocity noise − clean; each step goes x += (next − t) · velocity.
 */
export const flowMatching: Sampler = {
  name: "flow_matching",
  version: "1",
  settings: {},
  refusedLevels(levels) {
    const falls = levels.every((level, index) => index === 0 || level < levels[index - 1]);
    if (!falls) return "levels that fall strictly";
    if (levels[0] > 1) return "a first level of at most 1";
    return levels[levels.length - 1] === 0 ? undefined : "a last level of 0, where the latent is clean";
  },
  refusedLevel: (level) => (level >= 0 && level <= 1 ? undefined : "a level from 0 to 1"),
  async sample({ latent, levels, predict }) {
    for (let index = 0; index + 1 < levels.length; index += 1) {
      const level = levels[index];
      const velocity = await predict({ latent, level, index });
      const step = levels[index + 1] - level;
      for (let element = 0; element < latent.length; element += 1) {
        latent[element] = latent[element] + step * velocity[element];
      }
    }
  },
  addNoise(latent, noise, level) {
    const result = new Float32Array(latent.length);
    for (let element = 0; element < result.length; element += 1) {
      result[element] = (1 - level) * latent[element] + level * noise[element];
    }
    return result;
  },
};
