import { existsSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { citedGuarantees, readGuarantees } from "../report/guarantees.mjs";
import { readReport, REPORT_PATH } from "../report/vitest-report.mjs";
import { ROOT, run } from "../setup/run.mjs";
import { listFiles } from "../workspace/packages.mjs";

/**
 * Prints every guarantee with the tests that prove it, from the report of the last full test run, and counts them.
 *
 * @returns {number} exit code: 1 when a cited number does not exist or a test that cites one fails
 */
export function main() {
  if (isStale()) {
    console.log("The tests have not run since the sources changed; running npm test first.");
    run(process.execPath, ["scripts/test.mjs"]);
  }
  const guarantees = readGuarantees(readFileSync(join(ROOT, "docs/guarantees.md"), "utf8"));
  const { proofs, failures, unknown } = citedGuarantees(guarantees, readReport(ROOT));

  for (const { id, text } of guarantees) {
    const tests = proofs.get(id) ?? [];
    const failing = failures.some((failure) => failure.id === id);
    console.log(`${id}  ${failing ? "FAILING" : tests.length === 0 ? "no test" : "proved"}  ${text}`);
    for (const { title, file } of tests) console.log(`      ${title}  (${relative(ROOT, file)})`);
  }
  for (const { id, title, file } of failures)
    console.log(`${id} is cited by a failing test: ${title} (${relative(ROOT, file)})`);
  for (const { id, title, file } of unknown)
    console.log(`${id} is no guarantee, but cited: ${title} (${relative(ROOT, file)})`);
  console.log(`${proofs.size} / ${guarantees.length}`);
  return failures.length + unknown.length === 0 ? 0 : 1;
}

/** Whether there is no report, or a source is younger than it. */
function isStale() {
  const report = join(ROOT, REPORT_PATH);
  if (!existsSync(report)) return true;
  const reportTime = statSync(report).mtimeMs;
  return ["packages", "apps", "e2e", "scripts", "training"].some((folder) => {
    return listFiles(join(ROOT, folder)).some((path) => {
      return path.endsWith("ts") && statSync(join(ROOT, folder, path)).mtimeMs > reportTime;
    });
  });
}
