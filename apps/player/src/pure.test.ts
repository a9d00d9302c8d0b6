import { controlLayout, DreamloopError, type ControlLayout } from "@dreamloop/client";
import { describe, expect, test } from "vitest";
import { readArrival, takeWorld } from "./access.ts";
import { ART_HEIGHT, ART_WIDTH, placeholderArt } from "./gallery/placeholder-art.ts";
import { errorText, sentence } from "./parts/error-text.ts";
import { markdownBlocks, markdownSpans } from "./parts/markdown-blocks.ts";
import { plotPath } from "./play/plot.ts";
import { hintSentence } from "./play/key-hints.tsx";
import { pageKeyNames, withKeyName } from "./play/page-keys.ts";
import { hasWord, offeredWords, saysTheSame, toggleWord } from "./play/prompt-words.ts";
import { DEFAULT_PREFERENCES, readPreferences } from "./preferences/preferences.ts";
import { keysFor, withKey } from "./preferences/remap.ts";
import { readRoute, viewerUrl, worldHash } from "./route.ts";

describe("addresses", () => {
  test("routes lie behind # and survive odd names", () => {
    expect(readRoute(worldHash("a/b ü"))).toEqual({ page: "play", world: "a/b ü" });
    expect(readRoute("#/view/abc.def")).toEqual({ page: "view", viewerToken: "abc.def" });
    expect(readRoute("#/w/%")).toEqual({ page: "gallery" });
    expect(readRoute("#token=x")).toEqual({ page: "gallery" });
    expect(viewerUrl("t", { origin: "http://h:1", pathname: "/" })).toBe("http://h:1/#/view/t");
  });

  test("a token comes in the fragment or the query", () => {
    expect(readArrival({ hash: "#token=abc", search: "?world=drive" })).toEqual({ accessToken: "abc", world: "drive" });
    expect(readArrival({ hash: "#/w/drive", search: "?token=q&transport=carrier-pigeon" })).toEqual({
      accessToken: "q",
    });
  });
});

describe("a link with a world", () => {
  /** The address after the world was taken out of one. */
  function settled(address: string): string {
    const location = new URL(address, "http://h:1");
    const replaced: string[] = [];
    const history = { replaceState: (_data: unknown, _title: string, url: string) => void replaced.push(url) };
    takeWorld(readArrival(location), { location, history } as unknown as Window);
    return replaced[0] ?? address;
  }

  test("becomes the address of that world, and keeps the rest of its query", () => {
    expect(settled("/?world=drive")).toBe("/#/w/drive");
    expect(settled("/play/?transport=websocket&world=a%2Fb")).toBe("/play/?transport=websocket#/w/a%2Fb");
  });

  test("leaves a page that is named behind # as it is", () => {
    expect(settled("/?world=drive#/")).toBe("/#/");
    expect(settled("/?world=drive#/view/abc")).toBe("/#/view/abc");
    expect(settled("/#/w/probe")).toBe("/#/w/probe");
  });
});

describe("model cards", () => {
  test("become blocks; HTML stays text and links lose their address", () => {
    const text =
      "# Title\n\nOne\ntwo\n\n- a\n  more\n- b\n\n| x | y |\n| --- | --- |\n| 1 | 2 |\n\n```\ncode\n```\n<b>";
    expect(markdownBlocks(text)).toEqual([
      { kind: "heading", level: 1, text: "Title" },
      { kind: "paragraph", text: "One two" },
      { kind: "list", isOrdered: false, items: ["a more", "b"] },
      { kind: "table", head: ["x", "y"], rows: [["1", "2"]] },
      { kind: "code", text: "code" },
      { kind: "paragraph", text: "<b>" },
    ]);
    expect(markdownSpans("see [here](http://x) **now** `a*b*`")).toEqual([
      { kind: "text", text: "see here " },
      { kind: "strong", text: "now" },
      { kind: "text", text: " " },
      { kind: "code", text: "a*b*" },
    ]);
  });
});

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

describe("what is remembered", () => {
  test("is read as far as it is as expected", () => {
    expect(readPreferences(null)).toEqual(DEFAULT_PREFERENCES);
    expect(readPreferences("{")).toEqual(DEFAULT_PREFERENCES);
    expect(
      readPreferences('{"showsStats":true,"showsLegend":3,"remaps":{"w":{"KeyI":"KeyW","KeyJ":4},"x":1}}'),
    ).toEqual({
      ...DEFAULT_PREFERENCES,
      showsStats: true,
      remaps: { w: { KeyI: "KeyW" } },
    });
  });
});

describe("other keys", () => {
  const go = { label: "Go", codes: ["KeyW", "ArrowUp", "MouseLeft"] };
  const stop = { label: "Stop", codes: ["KeyS"] };

  test("a chosen key comes first and replaces the one chosen before", () => {
    const first = withKey({}, go, "KeyI");
    expect(first).toEqual({ KeyI: "KeyW" });
    expect(withKey(first, go, "KeyU")).toEqual({ KeyU: "KeyW" });
    expect(keysFor(go, first)).toEqual(["KeyI", "KeyW", "ArrowUp"]);
  });

  test("a key of another control moves over, and its own key brings the control back to the usual", () => {
    const moved = withKey({}, go, "KeyS");
    expect(keysFor(stop, moved)).toEqual([]);
    expect(keysFor(go, moved)).toEqual(["KeyS", "KeyW", "ArrowUp"]);
    expect(withKey(moved, stop, "KeyS")).toEqual({});
  });
});

describe("the page's own keys", () => {
  const layout = (...codes: string[]): ControlLayout => controlLayout([{ ...KEY, bindings: codes }]);
  const KEY = { label: "Go", device: "keyboard", touch: "button" } as const;

  test("are those that neither the world nor the user's choice has taken", () => {
    expect(pageKeyNames("prompt", undefined, {})).toEqual(["Enter", "/"]);
    expect(pageKeyNames("prompt", layout("KeyW"), {})).toEqual(["Enter", "/"]);
    expect(pageKeyNames("prompt", layout("Enter"), {})).toEqual(["/"]);
    expect(pageKeyNames("prompt", layout("Enter"), { Slash: "KeyW" })).toEqual([]);
    expect(pageKeyNames("pause", layout("KeyP"), {})).toEqual([]);
  });

  test("are told where there are any", () => {
    expect(withKeyName("Pause", ["P"])).toBe("Pause (P)");
    expect(withKeyName("Pause", [])).toBe("Pause");
    expect(hintSentence(["Enter", "/"])).toBe("Enter or Slash opens the prompt, Escape the menu.");
    expect(hintSentence([])).toBe("Escape opens the menu.");
  });
});

describe("a drawn picture", () => {
  test("is that of its name and stays within its frame", () => {
    expect(placeholderArt("drive")).toEqual(placeholderArt("drive"));
    expect(placeholderArt("drive")).not.toEqual(placeholderArt("sail"));
    const { hills, disc } = placeholderArt("drive");
    const numbers = hills.flatMap(({ path }) => path.match(/[\d.]+/g) ?? []).map(Number);
    expect(Math.max(...numbers)).toBeLessThanOrEqual(ART_WIDTH);
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(disc.y + disc.radius).toBeLessThan(ART_HEIGHT);
  });
});

describe("errors", () => {
  test.each([
    ["load_failed", "The world does not load", true],
    ["worker_failed", "The world has stopped", true],
    ["busy", "All seats are taken", true],
    ["not_found", "Nothing here", false],
  ] as const)("%s is told as %s", (code, title, canRetry) => {
    const text = errorText(new DreamloopError(code, "why it is so"));
    expect(text).toMatchObject({ title, canRetry });
    expect(text.message).toMatch(/\.$/);
  });
});

test("the end of a session is told once, a world's fault in the words for it, and a cut message without a full stop", () => {
  const ended = (ending: string, endingMessage: string): DreamloopError =>
    new DreamloopError("closed", `the session has ended: ${endingMessage}`, { details: { ending, endingMessage } });
  expect(errorText(ended("closed", "nothing was done for too long"))).toEqual({
    title: "The session has ended",
    message: "Nothing was done for too long.",
    canRetry: true,
  });
  const found = "expected 6912 values for 1 frame(s) of 64×36 rgb8, found 4";
  expect(errorText(ended("bad_frame", found))).toMatchObject({ title: "The world has stopped", details: found });
  const unknown = "none of the words is known";
  expect(errorText(ended("invalid_value", unknown))).toEqual(errorText(new DreamloopError("invalid_value", unknown)));
  expect(errorText(ended("invalid_value", unknown))).toMatchObject({
    message: "None of the words is known.",
    canRetry: true,
  });
  expect(sentence("use some of these: day…")).toBe("Use some of these: day…");
});

test("a plot runs from left to right and stays inside", () => {
  expect(plotPath([], { width: 100, height: 40, highest: 100 })).toBe("M0 40");
  expect(plotPath([0, 100, 900], { width: 100, height: 40, highest: 100 })).toBe("M0.0 39.0 L50.0 1.0 L100.0 1.0");
});
