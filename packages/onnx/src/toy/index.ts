export { writeOnnxModel } from "../onnx-file/model-writer.ts";
export type {
  OnnxAttribute,
  OnnxInitializer,
  OnnxModelInput,
  OnnxNode,
  OnnxPort,
  WrittenModel,
} from "../onnx-file/model-writer.ts";
export { toyFlowWorld } from "./flow-world.ts";
export { packBundle } from "./pack-bundle.ts";
export type { BundleContents, Digest, PackOptions } from "./pack-bundle.ts";
export { toyPictureWorld } from "./picture-world.ts";
export { standInModel } from "./stand-in-model.ts";
export { toyStepWorld } from "./step-world.ts";
