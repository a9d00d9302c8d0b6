import { expect, test } from "vitest";
import { countOf, formatBytes, formatDuration, formatRate, formatTable, wrapText } from "./format.ts";

test("durations are short and never show sixty of anything", () => {
  const shown = [0, 0.0004, 0.04, 0.0996, 0.86, 9.94, 9.96, 59.4, 59.6, 187, 3599.6, 7509].map(formatDuration);
  expect(shown).toEqual([
    "0 s",
    "0 s",
    "40 ms",
    "0.1 s",
    "0.9 s",
    "9.9 s",
    "10 s",
    "59 s",
    "1:00 min",
    "3:07 min",
    "1:00:00 h",
    "2:05:09 h",
  ]);
});

test("sizes change their unit before they have four digits", () => {
  const shown = [0, 812, 999, 1000, 3412, 99_600, 999_499, 999_600, 3_412_000, 5e12].map(formatBytes);
  expect(shown).toEqual([...["0 B", "812 B", "999 B", "1 kB", "3.4 kB", "100 kB", "999 kB", "1 MB", "3.4 MB", "5 TB"]]);
});

test("rates keep what can be read at a glance", () => {
  expect([0.04, 0.123, 1.25, 24.6, 99.4, 99.6, 12_345].map(formatRate)).toEqual([
    ...["0.04", "0.12", "1.3", "25", "99", "100", "12,345"],
  ]);
});

test("counts agree with their noun", () => {
  expect([countOf(1, "frame"), countOf(0, "frame"), countOf(1200, "frame"), countOf(2, "entry", "entries")]).toEqual([
    ...["1 frame", "0 frames", "1,200 frames", "2 entries"],
  ]);
});

test("columns of a table line up, without blanks at the end", () => {
  expect(
    formatTable([
      ["a", "long cell", "x"],
      ["longer", "b", ""],
    ]),
  ).toBe("a       long cell  x\nlonger  b");
});

test("text is wrapped between words, and a longer word has a line of its own", () => {
  expect(wrapText("one two  three", 7)).toEqual(["one two", "three"]);
  expect(wrapText("a incomprehensible b", 5)).toEqual(["a", "incomprehensible", "b"]);
  expect(wrapText("", 5)).toEqual([]);
});
