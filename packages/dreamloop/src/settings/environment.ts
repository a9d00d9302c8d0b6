import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import type { CliHost } from "../program/cli-host.ts";
import { markUsage } from "../program/exit-code-of.ts";
import { didYouMean } from "../program/usage-error.ts";
import { SettingLayer } from "./layers.ts";
import { environmentVariable, type Setting } from "./setting.ts";

const PREFIX = "DREAMLOOP_";

/** Variables that are no settings: the debugging switch, the configuration file, and those of the tests. */
const OTHER_VARIABLES = ["DREAMLOOP_DEBUG", "DREAMLOOP_CONFIG"];
const FOREIGN_VARIABLES = [
  "DREAMLOOP_CHROMIUM",
  "DREAMLOOP_FFMPEG",
  "DREAMLOOP_AIORTC_PYTHON",
  "DREAMLOOP_NUMPY_PYTHON",
  "DREAMLOOP_TORCH_PYTHON",
  "DREAMLOOP_TEST_MISSING",
];

/**
 * The layer of the environment. A variable with the prefix that no command knows is refused, so that a typing error does not
 * silently change a run.
 */
export function environmentLayer(env: CliHost["env"], settings: readonly Setting<unknown>[]): SettingLayer {
  const byVariable = new Map(settings.map((setting) => [environmentVariable(setting), setting]));
  const known = [...byVariable.keys(), ...OTHER_VARIABLES];
  const values = new Map<string, unknown>();
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith(PREFIX) || text === undefined) continue;
    const setting = byVariable.get(variable);
    if (setting !== undefined) values.set(setting.path, setting.fromText(text));
    else if (!known.includes(variable) && !FOREIGN_VARIABLES.includes(variable)) {
      const message = `${variable}: no such environment variable.${didYouMean(variable, known)} Unset it; the known ones are in docs/cli.md`;
      throw markUsage(new DreamloopError(ERROR_CODES.unknownKey, message));
    }
  }
  return new SettingLayer(values, environmentVariable);
}
