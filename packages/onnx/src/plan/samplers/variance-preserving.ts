import { exactCos, exactExp } from "@dreamloop/core";
import type { SamplerSettings, SettingRule } from "./sampler.ts";

/** Settings of the samplers whose levels are steps of a training schedule, as in DDPM (Ho et al., 2020). */
export const SCHEDULE_SETTINGS = {
  predicts: { default: "eps", choices: ["eps", "v", "x0"] },
  betas: { default: "linear", choices: ["linear", "scaled_linear", "squared_cosine", "sigmoid"] },
  betaStart: { default: 0.0001, least: 0, greatest: 1 },
  betaEnd: { default: 0.02, least: 0, greatest: 1 },
  trainSteps: { default: 1000, least: 2, greatest: 100_000 },
  clip: { default: 0, least: 0, greatest: 1_000_000 },
} as const satisfies Readonly<Record<string, SettingRule>>;

/** The largest beta of the schedules that are made from a curve of the remaining signal. */
const MAX_BETA = 0.999;

/**
 * The part of the signal's variance that is left after each training step, for t = 0 to trainSteps − 1. `linear` and `scaled_linear` run
 * from betaStart to betaEnd; `squared_cosine` is that of Nichol and Dhariwal (2021), `sigmoid` that of Jabri et al. (2022) with −3 to 3.
 */
export function remainingSignal(settings: SamplerSettings): Float64Array {
  const count = Number(settings.trainSteps);
  const betas = betasOf(settings, count);
  const remaining = new Float64Array(count);
  let product = 1;
  for (let step = 0; step < count; step += 1) {
    product *= 1 - betas(step);
    remaining[step] = product;
  }
  return remaining;
}

function betasOf(settings: SamplerSettings, count: number): (step: number) => number {
  const [start, end] = [Number(settings.betaStart), Number(settings.betaEnd)];
  const along = (from: number, to: number, step: number): number => from + ((to - from) * step) / (count - 1);
  switch (settings.betas) {
    case "scaled_linear":
      return (step) => along(Math.sqrt(start), Math.sqrt(end), step) ** 2;
    case "squared_cosine": {
      const left = (at: number): number => exactCos((((at + 0.008) / 1.008) * Math.PI) / 2) ** 2;
      return (step) => Math.min(MAX_BETA, 1 - left((step + 1) / count) / left(step / count));
    }
    case "sigmoid": {
      const curve = (value: number): number => 1 / (1 + exactExp(-value));
      const left = (at: number): number => (curve(3) - curve(at * 6 - 3)) / (curve(3) - curve(-3));
      return (step) => Math.min(MAX_BETA, 1 - left((step + 1) / count) / left(step / count));
    }
    default:
      return (step) => along(start, end, step);
  }
}

/** How much signal and how much noise a latent holds at a level; at -1 it is clean. */
export function mixAt(remaining: Float64Array, level: number): { readonly signal: number; readonly noise: number } {
  const left = level < 0 ? 1 : remaining[level];
  return { signal: Math.sqrt(left), noise: Math.sqrt(1 - left) };
}

/** The clean latent that a prediction stands for; `clip` above 0 keeps it within ± clip. */
export function cleanLatent(
  latent: Float32Array,
  prediction: Float32Array,
  { signal, noise }: { readonly signal: number; readonly noise: number },
  settings: SamplerSettings,
): Float64Array {
  const clean = new Float64Array(latent.length);
  const clip = Number(settings.clip);
  for (let at = 0; at < clean.length; at += 1) {
    let value = prediction[at];
    if (settings.predicts === "eps") value = (latent[at] - noise * value) / signal;
    if (settings.predicts === "v") value = signal * latent[at] - noise * value;
    clean[at] = clip > 0 ? Math.min(clip, Math.max(-clip, value)) : value;
  }
  return clean;
}

/** Why levels are no steps of the training schedule that fall to -1, where the latent is clean. */
export function refusedTrainingSteps(levels: readonly number[], { trainSteps }: SamplerSettings): string | undefined {
  if (!levels.every(Number.isInteger)) return "whole numbers, the steps of the training schedule";
  if (!levels.every((level, index) => index === 0 || level < levels[index - 1])) return "levels that fall strictly";
  if (levels[0] >= Number(trainSteps)) return `a first level below trainSteps, ${trainSteps}`;
  return levels[levels.length - 1] === -1 ? undefined : "a last level of -1, where the latent is clean";
}

/** Why a level is no step of the training schedule. */
export function refusedTrainingStep(level: number, { trainSteps }: SamplerSettings): string | undefined {
  if (Number.isInteger(level) && level >= -1 && level < Number(trainSteps)) return undefined;
  return `a whole number from -1 to ${Number(trainSteps) - 1}, a step of the training schedule`;
}

/** A clean latent at a level: signal · latent + noise · noise. */
export function addScheduledNoise(
  latent: Float32Array,
  noise: Float32Array,
  level: number,
  settings: SamplerSettings,
): Float32Array {
  const mix = mixAt(remainingSignal(settings), level);
  return latent.map((value, at) => mix.signal * value + mix.noise * noise[at]);
}
