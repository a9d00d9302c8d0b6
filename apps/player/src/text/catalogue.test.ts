import { describe, expect, test } from "vitest";
import { english } from "./english.ts";
import { isLanguage, languageFor, LANGUAGES, messagesOf, type Language } from "./languages.ts";
import { clockTime, wordingOf } from "./wording.ts";

/** Every entry of a catalogue by its path. */
function entries(part: unknown, path = ""): readonly (readonly [string, unknown])[] {
  if (typeof part !== "object" || part === null) return [[path, part]];
  return Object.entries(part).flatMap(([key, value]) => entries(value, `${path}/${key}`));
}

/** Every piece of text that an entry can give: with numbers in each plural form. */
function textsOf(entry: unknown): readonly string[] {
  if (typeof entry === "string") return [entry];
  const say = entry as (...values: unknown[]) => string;
  return [0, 1, 7, "x", ["x", "y"]].flatMap((value) => {
    try {
      const text = say(...Array.from({ length: say.length }, () => value));
      // A word where a number belongs.
      return text.includes("NaN") ? [] : [text];
    } catch {
      // Not the kind of value that this one takes.
      return [];
    }
  });
}

/** Entries that may be the same in two languages: names and signs. */
const SAME_IN_ALL =
  /^\/common\/(appName|titleOfWorld|titleWhileRecording)|^\/gallery\/size|^\/bar\/(withKey|pause)|^\/numbers\/(none|codec|encoderKind|bitrate|hardware|software|speedOf|milliseconds|millisecondsExact|rate|megabits|count)|^\/prompt\/(label|sent)|^\/controls\/keys|^\/menu\/(seed|gamepad|percent|changeOf|keyPause)|^\/menu\/features\/(webrtc|webcodecs|gamepad)\/0|^\/recordings\/video/;

describe.each(Object.keys(LANGUAGES).filter(isLanguage))("the catalogue in %s", (language: Language) => {
  const catalogue = entries(messagesOf(language));

  test("has exactly what the English one has, and nothing empty", () => {
    expect(catalogue.map(([path]) => path)).toEqual(entries(english).map(([path]) => path));
    for (const [path, entry] of catalogue) {
      expect(typeof entry, path).toBe(typeof entries(english).find(([each]) => each === path)?.[1]);
      const texts = textsOf(entry);
      expect(texts.length, path).toBeGreaterThan(0);
      for (const text of texts) {
        expect(text.trim(), path).not.toBe("");
        expect(text, path).not.toMatch(/undefined|NaN|\[object|#/);
      }
    }
  });

  test("writes signs as its language does: no straight quotes, no three full stops, no double spaces", () => {
    for (const [path, entry] of catalogue) {
      for (const text of textsOf(entry)) {
        expect(text, path).not.toMatch(/["']|\.\.\.| {2}/);
        if (language === "en") expect(text, path).not.toMatch(/[„«»]/);
        else expect(text, path).not.toMatch(/(?<![“„])\bthe\b|”/i);
      }
    }
  });

  test.skipIf(language === "en")("is translated", () => {
    const same = catalogue.filter(([path, entry]) => {
      const original = entries(english).find(([each]) => each === path)?.[1];
      return !SAME_IN_ALL.test(path) && textsOf(entry).join() === textsOf(original).join();
    });
    expect(same.map(([path]) => path)).toEqual([]);
  });
});

test("the language is the chosen one, else the first of the browser's that the page speaks, else English", () => {
  expect(languageFor("de", ["en-GB"])).toBe("de");
  expect(languageFor("browser", ["fr-FR", "de-AT", "en"])).toBe("de");
  expect(languageFor("browser", ["EN-us"])).toBe("en");
  expect(languageFor("browser", ["fr"])).toBe("en");
  expect(languageFor("browser", [])).toBe("en");
  expect(isLanguage("constructor")).toBe(false);
});

describe("numbers", () => {
  const [en, de] = [wordingOf("en", ["“", "”"]), wordingOf("de", ["„", "“"])];

  test("have the nouns and signs of their language", () => {
    const forms = { one: "# frame", other: "# frames" };
    expect([en.count(1, forms), en.count(0, forms), en.count(1234, forms)]).toEqual([
      "1 frame",
      "0 frames",
      "1,234 frames",
    ]);
    expect(de.number(1234.5, 1)).toBe("1.234,5");
    expect([en.either(["A", "B"]), de.either(["A", "B"])]).toEqual(["A or B", "A oder B"]);
  });

  test.each([
    [1.65, "1.7 s"],
    [9.94, "9.9 s"],
    [9.97, "10 s"],
    [12.4, "12 s"],
    [59.7, "1:00 min"],
    [125, "2:05 min"],
  ])("%d seconds of video are %s", (seconds, words) => {
    expect(en.duration(seconds)).toBe(words);
  });

  test("a clock shows minutes and seconds; files have the size that people know", () => {
    expect([clockTime(0), clockTime(61.9), clockTime(3600)]).toEqual(["0:00", "1:01", "60:00"]);
    expect([en.fileSize(1), en.fileSize(999_999), en.fileSize(2_340_000)]).toEqual(["1 kB", "1,000 kB", "2.3 MB"]);
  });
});
