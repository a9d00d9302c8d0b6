import { relative } from "node:path";
import { ROOT } from "../setup/run.mjs";
import { closingLine, countTests } from "./vitest-report.mjs";

/**
 * One run of the suite among several.
 *
 * @typedef {object} RepeatedRun
 * @property {number} number from 1
 * @property {boolean} isBusy whether busy loops ran beside it
 * @property {number} exitCode
 * @property {number} seconds how long it took
 * @property {import("./vitest-report.mjs").Report | undefined} report absent when vitest wrote none
 */

/**
 * What a person wants to know after several runs: a line for each run, then each test that failed, how often and in which runs.
 *
 * @param {readonly RepeatedRun[]} runs
 * @returns {string[]} lines
 */
export function repeatSummary(runs) {
  const lines = runs.map(({ number, isBusy, exitCode, seconds, report }) => {
    const counts = closingLine(countTests(report, exitCode));
    return `run ${number}${isBusy ? " (busy)" : ""}: ${counts}, ${Math.round(seconds)} s`;
  });
  /** @type {Map<string, string[]>} */
  const failures = new Map();
  for (const { number, isBusy, report } of runs) {
    for (const { name: file, assertionResults } of report?.testResults ?? []) {
      for (const { ancestorTitles, title, status } of assertionResults) {
        if (status !== "failed") continue;
        const test = `${relative(ROOT, file)}: ${[...ancestorTitles, title].join(" > ")}`;
        failures.set(test, [...(failures.get(test) ?? []), `${number}${isBusy ? " (busy)" : ""}`]);
      }
    }
  }
  for (const [test, numbers] of failures)
    lines.push(`failed ${numbers.length} of ${runs.length}: ${test} [run ${numbers.join(", ")}]`);
  const failed = runs.filter(({ exitCode }) => exitCode !== 0).length;
  lines.push(failed === 0 ? `All ${runs.length} runs passed.` : `${failed} of ${runs.length} runs failed.`);
  return lines;
}
