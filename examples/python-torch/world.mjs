import { fileURLToPath } from "node:url";
import { findPython, pythonWorld } from "dreamloop/external";
import { loadBundle } from "dreamloop/onnx";
import { driveDomain } from "dreamloop/worlds/drive";

const place = (path) => fileURLToPath(new URL(path, import.meta.url));

const file = place("world.py");

/** The drive world with its network in PyTorch: vehicle, road and map come from the bundle's domain, frames from world.py. */
export default async function driveInTorch(python = findPython({ file, env: process.env }).path) {
  const bundle = await loadBundle(place("../../worlds/drive"), { domains: { [driveDomain.id]: driveDomain } });
  const torch = await pythonWorld({ file, python });
  return {
    modelId: torch.modelId,
    title: "Drive in PyTorch",
    modelInputSchema: bundle.modelInputSchema,
    converters: bundle.converters,
    promptVocabulary: bundle.promptVocabulary,
    promptSuggestions: bundle.promptSuggestions,
    supports: torch.supports,
    defaultInputMapping: () => bundle.defaultInputMapping(),
    validateConfig: (config) => torch.validateConfig(config),
    describe: (config) => torch.describe(config),
    createRuntime: (config, options) => torch.createRuntime(config, options),
  };
}
