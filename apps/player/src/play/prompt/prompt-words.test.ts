import { describe, expect, test } from "vitest";
import { hasWord, offeredWords, saysTheSame, toggleWord } from "./prompt-words.ts";

describe("words of a prompt", () => {
  test("are put in at the end and taken out wherever they stand", () => {
    expect(toggleWord("", "snow")).toBe("snow");
    expect(toggleWord("a road", "snow")).toBe("a road snow");
    expect(toggleWord("snow on a Snow road, snowy", "snow")).toBe("on a road, snowy");
    expect(hasWord("A snowy road", "snow")).toBe(false);
    expect(hasWord("a road at   night.", "at night")).toBe(true);
  });

  test("a suggestion is on while the prompt says the same, whatever its spaces and letters", () => {
    expect(saysTheSame(" A snowy  road, at sunset", "a snowy road at sunset")).toBe(true);
    expect(saysTheSame("a snowy road", "a snowy road at sunset")).toBe(false);
  });

  test("a long vocabulary is not offered whole", () => {
    const words = ["a", "an", ...Array.from({ length: 80 }, (_, index) => `word${index}`)];
    expect(offeredWords(words)).toHaveLength(12);
    expect(offeredWords(words)[0]).toBe("word0");
  });
});
