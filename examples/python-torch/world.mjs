import { fileURLToPath } from "node:url";
import { findPython, pythonWorld } from "dreamloop/external";
import { loadBundle } from "dreamloop/onnx";
import { driveDomain } from "dreamloop/worlds/drive";

/** @param {string} path */
const place = (path) => fileURLToPath(new URL(path, import.meta.url));

const file = place("world.py");

/**
 * The drive world with its network in PyTorch: vehicle, road and map come from the bundle's domain, frames from world.py.
 *
 * @param {string} [python] the interpreter; default the one that `findPython` finds
 * @returns {Promise<import("dreamloop").ModelAdapter>}
 */
export default async function driveInTorch(python = findPython({ file, env: process.env }).path) {
  const bundle = await loadBundle(place("../../worlds/drive"), { domains: { [driveDomain.id]: driveDomain } });
  const torch = await pythonWorld({ file, python });
  return {
    ...torch,
    title: "Drive in PyTorch",
    modelInputSchema: bundle.modelInputSchema,
    converters: bundle.converters,
    promptVocabulary: bundle.promptVocabulary,
    promptSuggestions: bundle.promptSuggestions,
    defaultInputMapping: () => bundle.defaultInputMapping(),
  };
}
