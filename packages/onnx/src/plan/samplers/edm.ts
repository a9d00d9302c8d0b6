import { exactLog } from "@dreamloop/core";
import type { Sampler, SamplerRun, SamplerSettings } from "./sampler.ts";

const LEAST_SIGMA_RATIO = Math.SQRT2 - 1;

/**
 * EDM (Karras et al., "Elucidating the Design Space of Diffusion-Based Generative Models", 2022, algorithm 2). At level σ a latent is
 * clean + σ · noise. With `predicts` `preconditioned` the graph is the raw network: it is fed c_in · latent and ln(σ) / 4, and its output
 * F gives c_skip · latent + c_out · F; with `clean` it is fed the latent and σ and gives the clean latent. `solver` is `euler` or `heun`.
 */
export const edm: Sampler = {
  name: "edm",
  version: "1",
  settings: {
    predicts: { default: "preconditioned", choices: ["preconditioned", "clean"] },
    solver: { default: "euler", choices: ["euler", "heun"] },
    starts: { default: "noise", choices: ["noise", "latent"] },
    sigmaData: { default: 0.5, least: 1e-6, greatest: 1e6 },
    sigmaOffset: { default: 0, least: 0, greatest: 1e6 },
    churn: { default: 0, least: 0, greatest: 1e6 },
    churnLeast: { default: 0, least: 0, greatest: 1e6 },
    churnGreatest: { default: 1e6, least: 0, greatest: 1e6 },
    churnNoise: { default: 1, least: 0, greatest: 10 },
  },
  refusedLevels(levels) {
    if (!levels.every((level, index) => index === 0 || level < levels[index - 1])) return "levels that fall strictly";
    return levels[levels.length - 1] === 0 ? undefined : "a last level of 0, where the latent is clean";
  },
  refusedLevel: (level) => (level >= 0 ? undefined : "a level of at least 0"),
  addNoise: (latent, noise, level) => latent.map((value, at) => value + level * noise[at]),
  async sample(run) {
    const { latent, levels, settings } = run;
    if (settings.starts === "noise") for (let at = 0; at < latent.length; at += 1) latent[at] *= levels[0];
    for (let index = 0; index + 1 < levels.length; index += 1) {
      const sigma = churned(run, index);
      const next = levels[index + 1];
      const slope = slopeAt(latent, await denoised(run, { latent, sigma, index }), sigma);
      const start = Float64Array.from(latent);
      for (let at = 0; at < latent.length; at += 1) latent[at] = start[at] + (next - sigma) * slope[at];
      if (settings.solver !== "heun" || next === 0) continue;
      const second = slopeAt(latent, await denoised(run, { latent, sigma: next, index }), next);
      for (let at = 0; at < latent.length; at += 1) {
        latent[at] = start[at] + ((next - sigma) * (slope[at] + second[at])) / 2;
      }
    }
  },
};

/** Raises the noise of the latent a little where the settings want it; gives the level that it is at then. */
function churned({ latent, levels, settings, noise }: SamplerRun, index: number): number {
  const sigma = levels[index];
  const within = sigma >= Number(settings.churnLeast) && sigma <= Number(settings.churnGreatest);
  const raise = within ? Math.min(Number(settings.churn) / (levels.length - 1), LEAST_SIGMA_RATIO) : 0;
  if (raise === 0) return sigma;
  const raised = sigma * (1 + raise);
  const spread = Math.sqrt(raised * raised - sigma * sigma) * Number(settings.churnNoise);
  const drawn = noise(index);
  for (let at = 0; at < latent.length; at += 1) latent[at] += spread * drawn[at];
  return raised;
}

async function denoised(
  { settings, predict }: SamplerRun,
  { latent, sigma, index }: { readonly latent: Float32Array; readonly sigma: number; readonly index: number },
): Promise<Float64Array> {
  if (settings.predicts === "clean") return Float64Array.from(await predict({ latent, level: sigma, index }));
  const { skip, out, scale, level } = preconditioning(sigma, settings);
  const raw = await predict({ latent: latent.map((value) => value * scale), level, index });
  return Float64Array.from(raw, (value, at) => skip * latent[at] + out * value);
}

/** Table 1 of the paper; an offset noise in training (as in DIAMOND) adds its variance to that of the level. */
function preconditioning(sigma: number, settings: SamplerSettings) {
  const [data, offset] = [Number(settings.sigmaData), Number(settings.sigmaOffset)];
  const whole = Math.sqrt(sigma * sigma + offset * offset);
  const sum = whole * whole + data * data;
  return {
    skip: (data * data) / sum,
    out: (whole * data) / Math.sqrt(sum),
    scale: 1 / Math.sqrt(sum),
    level: exactLog(whole) / 4,
  };
}

function slopeAt(latent: Float32Array, clean: Float64Array, sigma: number): Float64Array {
  return Float64Array.from(clean, (value, at) => (latent[at] - value) / sigma);
}
