import { ensureInstalled } from "../setup/install.mjs";
import { run } from "../setup/run.mjs";
import { build } from "./build.mjs";

/** What `npm start` runs: arguments of the `dreamloop` command. */
const START = ["play"];

/**
 * Sets up what is missing, builds, and starts a world in the browser. Arguments replace the command: `npm start -- run probe --frames 90`.
 *
 * @param {string[]} args the command to run instead
 * @returns {number} exit code
 */
export function main(args) {
  ensureInstalled();
  const built = build();
  if (built !== 0) return built;
  const command = args.length > 0 ? args : START;
  console.log(`dreamloop ${command.join(" ")}`);
  return run(process.execPath, ["packages/dreamloop/bin/dreamloop.js", ...command]);
}
