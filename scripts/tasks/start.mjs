import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { ensureInstalled } from "../setup/install.mjs";
import { ROOT, run } from "../setup/run.mjs";
import { build } from "./build.mjs";

/** What `npm start` shows: arguments of the `dreamloop` command, and the file it leaves. */
const DEMO = {
  args: ["run", "probe", "--script", "examples/demo.script", "--out", "out/demo.mp4"],
  result: "out/demo.mp4",
};

/**
 * Sets up what is missing, builds, and renders the demo run.
 *
 * @param {string[]} args added to the command
 * @returns {number} exit code
 */
export function main(args) {
  ensureInstalled();
  const built = build();
  if (built !== 0) return built;
  console.log(`dreamloop ${[...DEMO.args, ...args].join(" ")}`);
  const file = join(ROOT, DEMO.result);
  mkdirSync(dirname(file), { recursive: true });
  const code = run(process.execPath, ["packages/cli/bin/dreamloop.js", ...DEMO.args, ...args]);
  if (code === 0 && existsSync(file)) console.log(`The video is at ${file}`);
  return code;
}
