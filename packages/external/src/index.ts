// Worlds in Python
export { pythonWorld } from "./python/python-world.ts";
export type { PythonWorldListener } from "./python/python-world.ts";
export { DEFAULT_LOAD_SECONDS, DEFAULT_STEP_SECONDS } from "./python/python-options.ts";
export type { PythonWorldOptions, PythonWorldOptionsInput } from "./python/python-options.ts";
export { findPython } from "./supervisor/find-python.ts";
export type { FindPythonOptions, FoundPython } from "./supervisor/find-python.ts";
export type { WorldLog } from "./backend/protocol-client.ts";
