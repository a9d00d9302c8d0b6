import { spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { repeatSummary } from "../report/repeat-summary.mjs";
import { readReport } from "../report/vitest-report.mjs";
import { ensureInstalled } from "../setup/install.mjs";
import { ROOT, runBin } from "../setup/run.mjs";
import { ensureSystemPackages } from "../setup/system-packages.mjs";
import { build } from "./build.mjs";

/** How often the tests run unless `--runs` says otherwise; every second time beside busy loops. */
const DEFAULT_RUNS = 10;
/** As many as the machine of the smallest kind has cores. */
const BUSY_LOOPS = 2;

/**
 * Runs the whole suite again and again, every second time beside two processes that keep a core busy each, and sums up which tests failed how
 * often. Tests that pass here do not depend on how fast the machine is.
 *
 * @param {string[]} args `--runs N` first, if at all; the rest goes to vitest
 * @returns {number} exit code: 0 when no test failed in any run
 */
export function main(args) {
  const runs = args[0] === "--runs" ? Number(args[1]) : DEFAULT_RUNS;
  const passedOn = args[0] === "--runs" ? args.slice(2) : args;
  if (!Number.isInteger(runs) || runs < 1) {
    console.error("--runs needs a whole number, at least 1: npm run test:repeat -- --runs 4");
    return 1;
  }
  ensureInstalled();
  if (build() !== 0) return 1;
  ensureSystemPackages();
  mkdirSync(join(ROOT, ".cache"), { recursive: true });

  const results = [];
  for (let number = 1; number <= runs; number += 1) {
    const isBusy = number % 2 === 0;
    console.log(`Run ${number} of ${runs}${isBusy ? `, beside ${BUSY_LOOPS} busy loops` : ""}`);
    results.push(runOnce(number, isBusy, passedOn));
    console.log(repeatSummary(results.slice(-1))[0]);
  }
  for (const line of repeatSummary(results)) console.log(line);
  return results.every(({ exitCode }) => exitCode === 0) ? 0 : 1;
}

/**
 * @param {number} number
 * @param {boolean} isBusy
 * @param {readonly string[]} passedOn
 * @returns {import("../report/repeat-summary.mjs").RepeatedRun}
 */
function runOnce(number, isBusy, passedOn) {
  const reportPath = `.cache/vitest-repeat-${number}.json`;
  rmSync(join(ROOT, reportPath), { force: true });
  // The loops end by themselves when this process is gone, so that an interrupted run leaves none behind.
  const loop = `const parent = process.ppid; while (process.ppid === parent) for (let i = 0; i < 1e8; i += 1);`;
  const loops = Array.from({ length: isBusy ? BUSY_LOOPS : 0 }, () => {
    return spawn(process.execPath, ["-e", loop], { stdio: "ignore" });
  });
  const startMs = performance.now();
  try {
    const exitCode = runBin("vitest", "vitest", [
      "run",
      "--reporter=dot",
      "--reporter=json",
      `--outputFile.json=${reportPath}`,
      ...passedOn,
    ]);
    const seconds = (performance.now() - startMs) / 1000;
    return { number, isBusy, exitCode, seconds, report: readReport(ROOT, reportPath) };
  } finally {
    for (const child of loops) child.kill("SIGKILL");
  }
}
