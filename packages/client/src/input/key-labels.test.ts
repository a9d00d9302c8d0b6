import { describe, expect, test } from "vitest";
import { FakePage } from "../test-support/fake-page.ts";
import { settle } from "../test-support/fake-environment.ts";
import { codeLabel } from "./code-label.ts";
import { watchKeyLabels, type KeyLabels } from "./key-labels.ts";

const FRENCH = new Map([
  ["KeyW", "z"],
  ["KeyA", "q"],
  ["Slash", "!"],
]);

function frenchPage(): FakePage {
  const page = new FakePage();
  Object.assign(page.defaultView.navigator, {
    keyboard: Object.assign(new EventTarget(), { getLayoutMap: async () => FRENCH }),
  });
  return page;
}

describe("T8: legends show the letters of the person's own keyboard", () => {
  test("T8: the browser's layout names the keys", async () => {
    let labels: KeyLabels = new Map();
    const watch = watchKeyLabels((next) => (labels = next), frenchPage() as unknown as Document);
    await settle();
    expect(codeLabel("KeyW", { keyLabels: labels })).toBe("Z");
    expect(codeLabel("Slash", { keyLabels: labels })).toBe("!");
    // Keys without a character have their own names, and a layout says nothing of gamepads.
    expect(codeLabel("Space", { keyLabels: labels })).toBe("Space");
    expect(codeLabel("Button7", { device: "gamepad", keyLabels: labels })).toBe("RT");
    watch.close();
  });

  test("T8: without it, each key that is typed names itself; held modifiers and words in the making do not", () => {
    const page = new FakePage();
    const seen: KeyLabels[] = [];
    const watch = watchKeyLabels((next) => seen.push(next), page as unknown as Document);
    page.keyDown("KeyW", { key: "W", with: ["Shift"] });
    page.keyDown("KeyW", { key: "あ", isComposing: true });
    page.keyDown("Enter", { key: "Enter" });
    expect(seen).toEqual([]);
    page.keyDown("KeyW", { key: "z" });
    page.keyDown("KeyW", { key: "z" });
    expect(seen).toHaveLength(1);
    expect(codeLabel("KeyW", { keyLabels: watch.labels })).toBe("Z");
    watch.close();
    page.keyDown("KeyA", { key: "q" });
    expect(seen).toHaveLength(1);
  });

  test("T8: keys whose names are no letters are called by a word, and unknown layouts by the US one", () => {
    expect(codeLabel("Slash")).toBe("/");
    expect(codeLabel("BracketLeft")).toBe("[");
    expect(codeLabel("KeyW")).toBe("W");
    expect(codeLabel("Numpad8")).toBe("Num 8");
    expect(codeLabel("AltRight")).toBe("Right Alt");
  });
});
