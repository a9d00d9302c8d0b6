import { ddim } from "./ddim.ts";
import { dpmSolver } from "./dpm-solver.ts";
import { edm } from "./edm.ts";
import { flowMatching } from "./flow-matching.ts";
import { lcm } from "./lcm.ts";
import type { SamplerRegistry } from "./sampler.ts";

/** The samplers that every bundle may name. */
export const BUILT_IN_SAMPLERS: SamplerRegistry = Object.freeze({
  ddim,
  dpm_solver_pp_2m: dpmSolver,
  edm,
  flow_matching: flowMatching,
  lcm,
});
