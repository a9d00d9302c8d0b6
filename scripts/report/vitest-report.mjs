import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The parts of vitest's JSON report that are read here.
 *
 * @typedef {object} Report
 * @property {number} startTime milliseconds since 1970
 * @property {boolean} success
 * @property {readonly ReportFile[]} testResults
 *
 * @typedef {object} ReportFile
 * @property {string} name full path of the test file
 * @property {string} status
 * @property {string} [message]
 * @property {readonly ReportTest[]} assertionResults
 *
 * @typedef {object} ReportTest
 * @property {readonly string[]} ancestorTitles titles of the groups around it, the outermost first
 * @property {string} title
 * @property {string} status
 * @property {number | null} [duration] milliseconds
 * @property {{ readonly figures?: Readonly<Record<string, number>> }} [meta] what the test noted
 */

/** Where a run of all tests leaves its report, from the root. */
export const REPORT_PATH = ".cache/vitest-report.json";

/**
 * @param {string} root
 * @param {string} [path] relative to the root
 * @returns {Report | undefined} undefined when there is none
 */
export function readReport(root, path = REPORT_PATH) {
  const file = join(root, path);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

/**
 * Counts tests so that nothing that went wrong is lost: a file that could not even be loaded counts as one failure, and so
 * does a run that failed although every test passed, for example through an unhandled rejection.
 *
 * @param {Report | undefined} report undefined when the run left none
 * @param {number} exitCode of the run
 * @returns {{ passed: number, failed: number, skipped: number }}
 */
export function countTests(report, exitCode) {
  const files = report?.testResults ?? [];
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const brokenFiles = files.filter(({ status, assertionResults }) => {
    return status === "failed" && !assertionResults.some((test) => test.status === "failed");
  });
  const passed = tests.filter(({ status }) => status === "passed").length;
  const failed = tests.filter(({ status }) => status === "failed").length + brokenFiles.length;
  return {
    passed,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: tests.length - passed - tests.filter(({ status }) => status === "failed").length,
  };
}

/**
 * @param {{ passed: number, failed: number, skipped: number }} counts
 * @returns {string} for example `12 passed, 0 failed`, with `, 3 skipped` only when there are any
 */
export function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
