import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { keepSoakResults } from "../report/soak-results.mjs";
import { closingLine, countTests, readReport, REPORT_PATH } from "../report/vitest-report.mjs";
import { ensureInstalled } from "../setup/install.mjs";
import { ROOT, runBin } from "../setup/run.mjs";
import { ensureSystemPackages } from "../setup/system-packages.mjs";
import { build } from "./build.mjs";

/** Where a run of chosen tests leaves its report; it says nothing about the others, so it is kept apart. */
const PARTIAL_REPORT_PATH = ".cache/vitest-report-partial.json";

/**
 * Sets up what is missing, builds, runs the tests, and ends with one line that counts them.
 *
 * @param {string[]} args passed on to vitest; `--soak` as the first runs the soak tests instead
 * @returns {number} exit code
 */
export function main(args) {
  ensureInstalled();
  if (build() !== 0) return 1;
  ensureSystemPackages();

  const soak = args[0] === "--soak";
  const passedOn = soak ? args.slice(1) : args;
  const reportPath = soak || passedOn.length > 0 ? PARTIAL_REPORT_PATH : REPORT_PATH;
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  rmSync(join(ROOT, reportPath), { force: true });
  const exitCode = runBin("vitest", "vitest", [
    "run",
    ...(soak ? ["--config=vitest.soak.config.ts"] : ["--typecheck.enabled"]),
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${reportPath}`,
    ...passedOn,
  ]);
  const report = readReport(ROOT, reportPath);
  if (soak && passedOn.length === 0 && report !== undefined) keepSoakResults(ROOT, report);
  const counts = countTests(report, exitCode);
  if (counts.passed + counts.failed === 0) console.log("No test ran.");
  console.log(closingLine(counts));
  return exitCode === 0 && counts.failed === 0 && counts.passed > 0 ? 0 : 1;
}
