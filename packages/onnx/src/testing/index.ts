export { writeOnnxModel } from "./model-writer.ts";
export type {
  OnnxAttribute,
  OnnxInitializer,
  OnnxModelInput,
  OnnxNode,
  OnnxPort,
  WrittenModel,
} from "./model-writer.ts";
export { toyDiffusionWorld } from "./diffusion-world.ts";
export { toyForcingWorld } from "./forcing-world.ts";
export { toyFlowWorld } from "./flow-world.ts";
export { packBundle } from "./pack-bundle.ts";
export type { PackOptions } from "./pack-bundle.ts";
export type { BundleContents, Digest } from "../manifest/memory-files.ts";
export { toyPictureWorld } from "./picture-world.ts";
export { standInModel } from "./stand-in-model.ts";
export { toyStepWorld } from "./step-world.ts";
