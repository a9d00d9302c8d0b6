export { PROBE_NEUTRAL } from "./controls.ts";
export {
  MIN_CELL_PIXELS,
  probeLayout,
  ROBUST_CELL_PIXELS,
  type ProbeLayout,
  type Rectangle,
  type StripLayout,
} from "./layout.ts";
export { PROBE_PATCH_COLORS } from "./paint/palette.ts";
export { type RgbColor } from "./paint/raster.ts";
export { probeInputSchema, probeMapping } from "./probe-mapping.ts";
export { PROBE_MODEL_ID, probeOptionsSchema, type ProbeOptions } from "./probe-options.ts";
export { createProbeWorld, PROBE_VERSION, probeWorld, type ProbeWorldOptions } from "./probe-world.ts";
export { clockStepCost, hostStepCost, type StepCost } from "./step-cost.ts";
export { promptHash } from "./strip/check-codes.ts";
export { readProbeStrip, type ReadStripOptions, type StripPicture } from "./strip/strip-reader.ts";
export {
  actionBits,
  actionsOfBits,
  OTHER_ACTION_BIT,
  PROBE_ACTIONS,
  type ProbeAction,
  type ProbeStripCommand,
  type ProbeStripValues,
} from "./strip/strip-values.ts";
