/** What a sampler works with during one run. */
export interface SamplerRun {
  /** The latent, to be changed in place. */
  readonly latent: Float32Array;
  /** Noise levels, one more than there are denoising steps. */
  readonly levels: readonly number[];
  /** The graph's prediction for the latent as it is now, guidance included; `index` counts denoising steps from 0. */
  readonly predict: (level: number, index: number) => Promise<Float32Array>;
  /** Fresh standard normal noise of the latent's size for denoising step `index`, for samplers that add some on the way. */
  readonly noise: (index: number) => Float32Array;
}

/** A way from noise to a latent. Samplers have no state: the same run gives the same latent. */
export interface Sampler {
  /** The name that manifests use. */
  readonly name: string;
  /** Version of its behaviour, recorded in traces. */
  readonly version: string;
  /** Why these noise levels cannot be used; `undefined` when they can. */
  refusedLevels(levels: readonly number[]): string | undefined;
  /** Why a latent cannot be brought to this level by `addNoise`; `undefined` when it can. */
  refusedLevel(level: number): string | undefined;
  /** Changes `run.latent` from the first level to the last. */
  sample(run: SamplerRun): Promise<void>;
  /** A clean latent brought to a noise level. */
  addNoise(latent: Float32Array, noise: Float32Array, level: number): Float32Array;
}

/** Samplers by name. */
export type SamplerRegistry = Readonly<Record<string, Sampler>>;
