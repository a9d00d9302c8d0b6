import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../setup/run.mjs";
import { allCitations } from "../tasks/guarantees.mjs";
import { citationsInText, citedGuarantees, readGuarantees } from "./guarantees.mjs";
import { repeatSummary } from "./repeat-summary.mjs";
import { closingLine, countTests } from "./vitest-report.mjs";

/** A report with one file for each list of [title, status] pairs; a title may carry its group before a slash. */
function report(...files: [title: string, status: string][][]) {
  return {
    startTime: 0,
    success: true,
    testResults: files.map((tests, index) => ({
      name: `file-${index}`,
      status: tests.length === 0 || tests.some(([, status]) => status === "failed") ? "failed" : "passed",
      assertionResults: tests.map(([path, status]) => {
        const titles = path.split("/");
        return { ancestorTitles: titles.slice(0, -1), title: titles.at(-1) ?? "", status };
      }),
    })),
  };
}

const PAGE = `# Promises

1. not in a chapter

**A. Input**
1. Nothing is lost. *Test:* lose something.
2. Keys are released.

**B. Pacing**
1. One pacer, at most.
`;

test("promises are read with their chapter's letter and first sentence", () => {
  expect(readGuarantees(PAGE)).toEqual([
    { id: "A1", text: "Nothing is lost." },
    { id: "A2", text: "Keys are released." },
    { id: "B1", text: "One pacer, at most." },
  ]);
});

test("the page of this repository names each promise once, in rising order, and tests cite no other numbers", () => {
  const ids = readGuarantees(readFileSync(join(ROOT, "docs/guarantees.md"), "utf8")).map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const letter of new Set(ids.map((id) => id.charAt(0)))) {
    const numbers = ids.filter((id) => id.startsWith(letter)).map((id) => Number(id.slice(1)));
    expect(numbers, letter).toEqual([...numbers].sort((one, other) => one - other));
  }
  expect(ids).toEqual(expect.arrayContaining(["A1", "M7"]));
  expect(allCitations().filter(({ id }) => !ids.includes(id))).toEqual([]);
});

test("citations are found in the text of a test, in titles of groups, tables and templates too", () => {
  const text = [
    'describe("A1: a group", () => {',
    "  test.each([1])(`A2, B1: a \\`template\\` %s`, () => {});",
    '  test("no A2: at the start", () => {});',
    "});",
  ].join("\n");
  expect(citationsInText("x.test.ts", text).map(({ id, title }) => [id, title])).toEqual([
    ["A1", "A1: a group"],
    ["A2", "A2, B1: a \\`template\\` %s"],
    ["B1", "A2, B1: a \\`template\\` %s"],
  ]);
});

test("a promise is proved by a passing test that cites it in its title or its group's", () => {
  const { proofs, unknown } = citedGuarantees(
    readGuarantees(PAGE),
    report([
      ["A1: it holds", "passed"],
      ["A2, B1: a group/a test of it", "passed"],
      ["mentions A2: but does not begin with it", "passed"],
    ]),
  );
  expect([...proofs.keys()]).toEqual(["A1", "A2", "B1"]);
  expect(proofs.get("A2")?.map(({ title }) => title)).toEqual(["a test of it"]);
  expect(unknown).toEqual([]);
});

test("a failing or skipped test proves nothing, and one failing citation outweighs passing ones", () => {
  const tests = report([
    ["A1: passes here", "passed"],
    ["A1: fails there", "failed"],
    ["A2: not tried", "skipped"],
  ]);
  const { proofs, failures } = citedGuarantees(readGuarantees(PAGE), tests);
  expect([...proofs.keys()]).toEqual([]);
  expect(failures.map(({ id }) => id)).toEqual(["A1"]);
});

test("a number that is not on the page is named", () => {
  const { unknown } = citedGuarantees(readGuarantees(PAGE), report([["B7: who knows", "passed"]]));
  expect(unknown).toEqual([{ id: "B7", title: "B7: who knows", file: "file-0" }]);
});

test("tests are counted by how they ended, and the line leaves out what is zero", () => {
  const counts = countTests(
    report([
      ["a", "passed"],
      ["b", "failed"],
      ["c", "skipped"],
      ["d", "todo"],
    ]),
    1,
  );
  expect(counts).toEqual({ passed: 1, failed: 1, skipped: 2 });
  expect(closingLine(counts)).toBe("1 passed, 1 failed, 2 skipped");
  expect(closingLine({ passed: 3, failed: 0, skipped: 0 })).toBe("3 passed, 0 failed");
});

test("a file that did not load, a run that failed otherwise and a missing report each count as a failure", () => {
  expect(countTests(report([["a", "passed"]], []), 1)).toEqual({ passed: 1, failed: 1, skipped: 0 });
  expect(countTests(report([["a", "passed"]]), 1)).toEqual({ passed: 1, failed: 1, skipped: 0 });
  expect(countTests(undefined, 1)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(countTests(report([["a", "passed"]]), 0)).toEqual({ passed: 1, failed: 0, skipped: 0 });
});

test("repeated runs are summed up: a line each, then what failed, how often and in which run", () => {
  const good = report([["group/a", "passed"]]);
  const bad = report([["group/a", "failed"]]);
  const runs = [
    { number: 1, isBusy: false, exitCode: 0, seconds: 10.4, report: good },
    { number: 2, isBusy: true, exitCode: 1, seconds: 20, report: bad },
    { number: 3, isBusy: false, exitCode: 1, seconds: 1, report: undefined },
  ];
  expect(repeatSummary(runs)).toEqual([
    "run 1: 1 passed, 0 failed, 10 s",
    "run 2 (busy): 0 passed, 1 failed, 20 s",
    "run 3: 0 passed, 1 failed, 1 s",
    expect.stringMatching(/^failed 1 of 3: .*file-0: group > a \[run 2 \(busy\)\]$/),
    "2 of 3 runs failed.",
  ]);
  expect(repeatSummary(runs.slice(0, 1)).at(-1)).toBe("All 1 runs passed.");
});
