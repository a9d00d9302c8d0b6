import { fileURLToPath } from "node:url";
import { inferenceConfig, type InferenceConfigInput, type InferenceRuntime, type ModelAdapter } from "@dreamloop/core";
import type { WorldLog } from "../backend/protocol-client.ts";
import { pythonWorld } from "../python/python-world.ts";
import type { PythonWorldOptions } from "../python/python-options.ts";

/** The worlds of the tests. */
export const WORLDS_FILE = fileURLToPath(new URL("worlds.py", import.meta.url));

/* eslint-disable-next-line no-restricted-properties -- the test task tells in the environment what this machine has */
const given = process.env["DREAMLOOP_NUMPY_PYTHON"];

/** An interpreter with NumPy; empty where there is none. */
export const PYTHON = given ?? "";

/** Whether tests that need one are skipped. */
export const IS_PYTHON_MISSING = PYTHON === "";

/** Makes the adapter of a world of the tests; what it prints is collected. */
export async function testWorld(
  name: string,
  options: Partial<PythonWorldOptions> = {},
): Promise<{ readonly adapter: ModelAdapter; readonly lines: string[] }> {
  const lines: string[] = [];
  const onLog = ({ text }: WorldLog): void => void lines.push(text);
  const adapter = await pythonWorld({ file: WORLDS_FILE, name, python: PYTHON, ...options }, { onLog });
  return { adapter, lines };
}

/** Loads a world of the tests. */
export async function loadTestWorld(
  adapter: ModelAdapter,
  config: Partial<InferenceConfigInput> = {},
): Promise<InferenceRuntime & AsyncDisposable> {
  const full = inferenceConfig({ ...config, modelId: adapter.modelId });
  return disposable(await adapter.createRuntime(full, {}));
}

/** A runtime or session that closes at the end of its scope. */
export function disposable<Part extends { close(): void | Promise<void> }>(part: Part): Part & AsyncDisposable {
  return Object.assign(part, { [Symbol.asyncDispose]: async () => part.close() });
}

/** A driver who presses the accelerator a little more in each step. */
export function driving(stepIndex: number): { readonly step: { readonly drive: object } } {
  return { step: { drive: { throttle: (stepIndex % 10) / 10, brake: 0, steer: 0, reverse: false, stop: false } } };
}
