import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pageWithSections } from "../bench/report.mjs";

const page = readFileSync(new URL("../docs/benchmarks.md", import.meta.url), "utf8");
const withSections = pageWithSections as (text: string) => string;
const withoutPadding = (text: string): string => text.replaceAll(/[ -]+\|/g, "|").replaceAll(/\| +/g, "|");

test("K4: the tables of docs/benchmarks.md are those of the result files", () => {
  expect(withoutPadding(withSections(page))).toBe(withoutPadding(page));
});

test("a figure that was changed by hand is noticed", () => {
  const changed = page.replace(/p50 [\d.]+ µs/, "p50 1.0 µs");
  expect(withoutPadding(withSections(changed))).not.toBe(withoutPadding(changed));
});
