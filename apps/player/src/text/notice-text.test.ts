import { expect, test } from "vitest";
import { english } from "./english.ts";
import { german } from "./german.ts";
import { noticeText } from "./notice-text.ts";

const words = (details: object): { kind: string; message: string; details: Readonly<Record<string, unknown>> } => {
  return { kind: "prompt_words", message: "the server's own words", details: { input: "prompt", ...details } };
};

test("words that a world does not know are named, with what becomes of the prompt", () => {
  const nothing = words({ unknownWords: ["dragon", "banana"], knownWords: [], cutWords: [], applied: false });
  expect(noticeText(nothing, english)).toBe("This world does not know “dragon” and “banana”. Nothing changes.");
  expect(noticeText(nothing, german)).toBe("„dragon“ und „banana“ kennt diese Welt nicht. Es ändert sich nichts.");
  const some = words({ unknownWords: ["dragon"], knownWords: ["a", "calm", "calm"], cutWords: [], applied: true });
  expect(noticeText(some, english)).toBe("This world does not know “dragon”. It follows “calm”.");
  const cut = words({ unknownWords: [], knownWords: ["calm"], cutWords: ["late"], applied: true });
  expect(noticeText(cut, english)).toBe("There was no room for “late”.");
});

test("many words are counted, and long ones cut", () => {
  const unknownWords = ["x".repeat(60), ..."abcdefghijk"];
  const told = noticeText(words({ unknownWords, knownWords: [], cutWords: [], applied: false }), english);
  expect(told).toContain(`“${"x".repeat(40)}…”`);
  expect(told).toContain("and +4");
});

test("a notice of a kind that the page does not know keeps the server's words", () => {
  expect(noticeText({ kind: "new", message: "something new" }, german)).toBe("Something new.");
  expect(noticeText({ kind: "prompt_words", message: "odd" }, english)).toBe("Odd.");
});

test("a recording that reached its limit says how long it is, where that is known", () => {
  const limit = { kind: "recording_limit", message: "m" };
  expect(noticeText({ ...limit, details: { videoSeconds: 600 } }, english)).toContain("10:00 min of video");
  expect(noticeText({ ...limit, details: { videoSeconds: 600 } }, german)).toContain("10:00 min Video");
  expect(noticeText(limit, english)).toBe(english.recordings.limitUnknown);
});
