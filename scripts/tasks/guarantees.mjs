import { existsSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { citationsInText, citedGuarantees, readGuarantees } from "../report/guarantees.mjs";
import { readReport, REPORT_PATH } from "../report/vitest-report.mjs";
import { ROOT, run } from "../setup/run.mjs";
import { listFiles } from "../workspace/packages.mjs";

/** Folders whose tests and suites cite promises. */
const FOLDERS = ["packages", "apps", "e2e", "scripts", "training", "examples"];

/**
 * Prints every guarantee with the tests that prove it, from the report of the last full test run, and counts them. `--list` reads the sources
 * instead and runs nothing.
 *
 * @param {string[]} args `--list`, then numbers or letters of chapters; none means all
 * @returns {number} exit code: 1 when a cited number does not exist or a test that cites one fails
 */
export function main(args) {
  const [option, ...wanted] = args;
  if (option !== undefined && option !== "--list") {
    console.error(`There is no option ${option}; --list prints which tests cite which number, without running them.`);
    return 1;
  }
  return option === "--list" ? list(wanted) : prove();
}

/**
 * @param {readonly string[]} wanted
 * @returns {number} exit code
 */
function list(wanted) {
  const guarantees = readGuarantees(readFileSync(join(ROOT, "docs/guarantees.md"), "utf8"));
  const isWanted = (/** @type {string} */ id) =>
    wanted.length === 0 || wanted.includes(id) || wanted.includes(id.charAt(0));
  const citations = allCitations().filter(({ id }) => isWanted(id));
  const shown = guarantees.filter(({ id }) => isWanted(id));
  for (const { id, text } of shown) {
    const citing = citations.filter((citation) => citation.id === id);
    console.log(`${id}  ${text}`);
    for (const { title, file } of citing) console.log(`      ${title}  (${file})`);
    if (citing.length === 0) console.log("      no test cites it");
  }
  const known = new Set(guarantees.map(({ id }) => id));
  const unknown = citations.filter(({ id }) => !known.has(id));
  for (const { id, title, file } of unknown) console.log(`${id} is no guarantee, but cited: ${title} (${file})`);
  const cited = shown.filter(({ id }) => citations.some((citation) => citation.id === id));
  console.log(`${cited.length} / ${shown.length} are cited`);
  return unknown.length === 0 ? 0 : 1;
}

/** Every citation in tests, soak tests and conformance suites; the tests of this reader cite numbers of their own. */
export function allCitations() {
  return FOLDERS.flatMap((folder) => {
    return listFiles(join(ROOT, folder))
      .filter((path) => /\.(test|test-d|soak)\.tsx?$/.test(path) || path.includes("src/conformance/"))
      .map((path) => `${folder}/${path}`)
      .filter((path) => path !== "scripts/report/report.test.ts")
      .flatMap((path) => citationsInText(path, readFileSync(join(ROOT, path), "utf8")));
  });
}

/** @returns {number} exit code */
function prove() {
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
  return FOLDERS.some((folder) => {
    return listFiles(join(ROOT, folder)).some((path) => {
      return path.endsWith("ts") && statSync(join(ROOT, folder, path)).mtimeMs > reportTime;
    });
  });
}
