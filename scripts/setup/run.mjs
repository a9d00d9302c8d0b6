import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Root folder of the repository. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A failure that is explained by its message alone, without a stack. */
export class TaskError extends Error {
  expected = true;
}

/**
 * Runs a program to its end with this terminal as its own.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {number} the exit code; 1 when a signal ended it
 */
export function run(command, args, { cwd = ROOT, env = process.env } = {}) {
  const { status, error } = spawnSync(command, args, { cwd, env, stdio: "inherit" });
  if (error) throw new TaskError(`${command} could not be started: ${error.message}`);
  return status ?? 1;
}

/**
 * Runs a Node program of an installed package, for example `typescript` with its `tsc`.
 *
 * @param {string} packageName
 * @param {string} binName
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 */
export function runBin(packageName, binName, args, options) {
  return run(process.execPath, [binPath(packageName, binName), ...args], options);
}

/**
 * Finds the file behind a package's command without a shell, which differs from system to system.
 *
 * @param {string} packageName
 * @param {string} binName
 */
export function binPath(packageName, binName) {
  const folder = join(ROOT, "node_modules", packageName);
  /** @type {{ bin?: string | Record<string, string> }} */
  const manifest = createRequire(import.meta.url)(join(folder, "package.json"));
  const bin = typeof manifest.bin === "string" ? manifest.bin : manifest.bin?.[binName];
  if (bin === undefined) throw new TaskError(`${packageName} has no command named ${binName}`);
  return join(folder, bin);
}

/**
 * The command line that starts npm: the running npm's own program where there is one, else the one beside Node.
 *
 * @returns {[command: string, ...args: string[]]}
 */
export function npmCommand() {
  const beside = [
    join(dirname(process.execPath), "node_modules", "npm", "bin", "npm-cli.js"),
    join(dirname(process.execPath), "..", "lib", "node_modules", "npm", "bin", "npm-cli.js"),
  ];
  const program = [process.env["npm_execpath"], ...beside].find(
    (path) => path?.endsWith("npm-cli.js") && existsSync(path),
  );
  return program ? [process.execPath, program] : ["npm"];
}
