import { controlLayout, type ControlLayout } from "@dreamloop/client";
import { describe, expect, test } from "vitest";
import { english } from "../../text/english.ts";
import { german } from "../../text/german.ts";
import { keyNamer } from "./key-names.tsx";
import { hintSentence } from "./key-hints.tsx";
import { pageActionOf, pageKeyNames, withKeyName, type PageKeyFacts } from "./page-keys.ts";
import { pressedNow } from "./use-pad-menu.ts";

describe("the page's own keys", () => {
  const layout = (...codes: string[]): ControlLayout => controlLayout([{ ...KEY, bindings: codes }]);
  const KEY = { label: "Go", device: "keyboard", touch: "button" } as const;
  const facts = (of: Partial<PageKeyFacts> = {}): PageKeyFacts => {
    return { layout: undefined, remap: {}, keyName: keyNamer(english), ...of };
  };

  test("are those that neither the world nor the user's choice has taken", () => {
    expect(pageKeyNames("prompt", facts())).toEqual(["Enter", "/"]);
    expect(pageKeyNames("prompt", facts({ layout: layout("KeyW") }))).toEqual(["Enter", "/"]);
    expect(pageKeyNames("prompt", facts({ layout: layout("Enter") }))).toEqual(["/"]);
    expect(pageKeyNames("prompt", facts({ layout: layout("Enter"), remap: { Slash: "KeyW" } }))).toEqual([]);
    expect(pageKeyNames("pause", facts({ layout: layout("KeyP") }))).toEqual([]);
    expect(pageKeyNames("prompt", facts({ keyName: keyNamer(german) }))).toEqual(["Eingabe", "/"]);
  });

  test("are named where there are any", () => {
    expect(withKeyName("Pause", ["P"], english)).toBe("Pause (P)");
    expect(withKeyName("Pause", [], english)).toBe("Pause");
    expect(hintSentence(["Enter", "/"], english)).toBe("Enter or Slash opens the prompt, Escape the menu.");
    expect(hintSentence([], english)).toBe("Escape opens the menu.");
  });

  test("are known by their codes and by what they type", () => {
    expect(pageActionOf({ code: "KeyP", key: "p" })).toBe("pause");
    expect(pageActionOf({ code: "NumpadEnter", key: "Enter" })).toBe("prompt");
    expect(pageActionOf({ code: "KeyW", key: "w" })).toBeUndefined();
    // A slash is a slash wherever a layout has it, and its American place is something else there.
    expect(pageActionOf({ code: "Digit7", key: "/" })).toBe("prompt");
    expect(pageActionOf({ code: "Slash", key: "-" })).toBeUndefined();
  });
});

test("a button of a gamepad counts when it goes down, not while it is held", () => {
  expect(pressedNow([false, true], [true, true])).toEqual([0]);
  expect(pressedNow([true, true], [true, false])).toEqual([]);
  expect(pressedNow([], [false, true])).toEqual([1]);
});
