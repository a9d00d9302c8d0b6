import { keyboardToActions, keyboardToDriverCommand, type ControlHint } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { FakePage, fakeSession, type FakeElement, type FakeElementOptions } from "../test-support/fake-page.ts";
import { captureInput, type CaptureOptions, type InputCapture } from "./capture-input.ts";

const DRIVING: readonly ControlHint[] = keyboardToDriverCommand().controls;

interface Stage {
  readonly page: FakePage;
  readonly element: FakeElement;
  readonly capture: InputCapture;
  held(): readonly string[];
}

function capture(
  options: {
    readonly page?: FakePage;
    readonly controls?: readonly ControlHint[];
    readonly rect?: FakeElementOptions["rect"];
  } & Partial<CaptureOptions> = {},
): Stage {
  const { page = new FakePage(), controls = DRIVING, rect, ...rest } = options;
  const element = page.element("div", rect === undefined ? {} : { rect });
  const session = fakeSession(controls);
  const made = captureInput(session, { target: element as unknown as HTMLElement, ...rest });
  return { page, element, capture: made, held: () => session.input.heldKeys };
}

function acting(bindings: Readonly<Record<string, readonly string[]>>): readonly ControlHint[] {
  return keyboardToActions({ bindings }).controls;
}

describe("T1: a key has one owner", () => {
  test("T1: a bound modifier arrives, and so do the world's keys that are pressed while it is held", () => {
    const { page, held } = capture({ controls: acting({ crouch: ["ControlLeft"], walk: ["AltLeft"], go: ["KeyW"] }) });
    expect(page.keyDown("ControlLeft", { with: ["Control"] })).toBe(true);
    expect(page.keyDown("KeyW", { with: ["Control"] })).toBe(true);
    expect(page.keyDown("AltLeft", { with: ["Control", "Alt"] })).toBe(true);
    expect(held()).toEqual(["ControlLeft", "KeyW", "AltLeft"]);
    page.keyUp("KeyW", { with: ["Control", "Alt"] });
    // Letting go of Alt would open the browser's menu.
    expect(page.keyUp("AltLeft", { with: ["Control"] })).toBe(true);
    page.keyUp("ControlLeft");
    expect(held()).toEqual([]);
  });

  test("T1: a command of the browser stays one where the world has no use for the modifier, or for the key", () => {
    const plain = capture();
    expect(plain.page.keyDown("ControlLeft", { with: ["Control"] })).toBe(false);
    expect(plain.page.keyDown("KeyW", { with: ["Control"] })).toBe(false);
    expect(plain.page.keyDown("KeyR", { with: ["Meta"] })).toBe(false);
    expect(plain.held()).toEqual([]);
    const crouching = capture({ controls: acting({ crouch: ["ControlLeft"], go: ["KeyW"] }) });
    crouching.page.keyDown("ControlLeft", { with: ["Control"] });
    expect(crouching.page.keyDown("KeyC", { with: ["Control"] })).toBe(false);
    expect(crouching.held()).toEqual(["ControlLeft"]);
  });

  test("T1: AltGr types a character and is no command for the world, unless the world names it", () => {
    const plain = capture();
    expect(plain.page.keyDown("KeyW", { with: ["Control", "Alt", "AltGraph"] })).toBe(false);
    const bound = capture({ controls: acting({ aim: ["AltRight"], go: ["KeyW"] }) });
    expect(bound.page.keyDown("AltRight", { with: ["AltGraph"] })).toBe(true);
    expect(bound.page.keyDown("KeyW", { with: ["AltGraph"] })).toBe(true);
    expect(bound.held()).toEqual(["AltRight", "KeyW"]);
  });

  test.each<readonly [string, string, FakeElementOptions]>([
    ["a text field", "input", { type: "text" }],
    ["a number field", "input", { type: "number" }],
    ["a text area", "textarea", {}],
    ["a list", "select", {}],
    ["editable content", "div", { isContentEditable: true }],
    ["a custom text box", "div", { role: "textbox" }],
    ["whatever is in a closed shadow root", "fancy-field", {}],
  ])("T1: %s keeps its keys, also after a click", (_, tag, options) => {
    const { page, held } = capture();
    const field = page.element(tag, options);
    page.click(field);
    for (const code of ["KeyW", "Space", "ArrowUp"]) expect(page.keyDown(code, { on: field })).toBe(false);
    expect(held()).toEqual([]);
  });

  test("T1: an input method keeps its keys, wherever the focus is", () => {
    const { page, held } = capture();
    expect(page.keyDown("KeyW", { isComposing: true })).toBe(false);
    expect(page.keyDown("KeyW", { keyCode: 229 })).toBe(false);
    expect(held()).toEqual([]);
  });

  test.each<readonly [string, string, FakeElementOptions, string]>([
    ["button", "button", {}, "Space"],
    ["checkbox", "input", { type: "checkbox" }, "Space"],
    ["slider", "input", { type: "range" }, "ArrowLeft"],
    ["custom slider", "div", { role: "slider" }, "ArrowUp"],
  ])(
    "T1: a %s that was clicked leaves the world its keys; one reached by keyboard keeps them",
    (_, tag, options, code) => {
      const { page, held } = capture();
      const control = page.element(tag, options);
      page.click(control);
      expect(page.keyDown(code, { on: control })).toBe(true);
      expect(held()).toEqual([code]);
      page.keyUp(code, { on: control });
      page.keyDown("Tab", { on: page.body, key: "Tab" });
      page.focus(control);
      expect(page.keyDown(code, { on: control })).toBe(false);
      // Keys that do not operate it are the world's in any case.
      expect(page.keyDown("KeyW", { on: control })).toBe(true);
      expect(held()).toEqual(["KeyW"]);
    },
  );

  test("T1: a list in which the pointer has chosen leaves the world its keys until it is opened again", () => {
    const { page, held } = capture();
    const list = page.element("select");
    page.click(list);
    page.send("change", { path: [list, page.body, page] });
    expect(page.keyDown("KeyW", { on: list })).toBe(true);
    page.keyUp("KeyW", { on: list });
    page.click(list, { focuses: false });
    expect(page.keyDown("KeyW", { on: list })).toBe(false);
    expect(held()).toEqual([]);
  });

  test("T1: a key that the page reserves by its character stays with the page on every layout", () => {
    const { page, held } = capture({ controls: [], reservedKeys: ["/", "KeyM"] });
    expect(page.keyDown("Digit7", { key: "/", with: ["Shift"] })).toBe(false);
    expect(page.keyDown("KeyM")).toBe(false);
    expect(page.keyDown("Slash", { key: "-" })).toBe(true);
    expect(held()).toEqual(["Slash"]);
  });

  test("T1: what cannot be named, from an on-screen keyboard, stays with the page", () => {
    const { page } = capture({ controls: [] });
    expect(page.keyDown("", { key: "w" })).toBe(false);
  });
});

describe("T2: a world in a page takes keys only while it is the one that is played", () => {
  test("T2: until the stage is chosen, keys that scroll the page do so; others play, which chooses it", () => {
    const { page, held } = capture({ page: new FakePage({ scrolls: true }) });
    expect(page.keyDown("ArrowUp")).toBe(false);
    expect(page.keyDown("Space")).toBe(false);
    expect(page.keyDown("KeyW")).toBe(true);
    expect(page.keyDown("ArrowUp")).toBe(true);
    expect(held()).toEqual(["KeyW", "ArrowUp"]);
  });

  test("T2: a click on the text beside it gives the keys back to the page, and lets go of what is held", () => {
    const { page, element, held } = capture({ page: new FakePage({ scrolls: true }) });
    page.click(element);
    expect(page.keyDown("ArrowDown")).toBe(true);
    const text = page.element("p", { rect: { left: 0, top: 500, width: 100, height: 20 } });
    page.click(text, { focuses: false });
    expect(held()).toEqual([]);
    expect(page.keyDown("ArrowDown")).toBe(false);
    expect(page.keyDown("KeyW")).toBe(false);
    page.click(element);
    expect(page.keyDown("KeyW")).toBe(true);
  });

  test("T2: a stage that is out of sight gets no keys", () => {
    const { page, element } = capture({ page: new FakePage({ scrolls: true }) });
    page.click(element);
    element.rect = { left: 0, top: -3000, width: 600, height: 400 };
    expect(page.keyDown("ArrowDown")).toBe(false);
    expect(page.keyDown("KeyW")).toBe(false);
  });

  test("T2: where the page does not scroll, a click on its empty parts changes nothing", () => {
    const { page, held } = capture();
    page.click(page.element("p", { rect: { left: 0, top: 500, width: 100, height: 20 } }), { focuses: false });
    expect(page.keyDown("Space")).toBe(true);
    expect(held()).toEqual(["Space"]);
  });

  test("T2: of two worlds in one page the one that was chosen last gets the keys, and the other lets go", () => {
    const page = new FakePage();
    const one = capture({ page });
    const other = capture({ page, rect: { left: 0, top: 410, width: 600, height: 180 } });
    page.keyDown("KeyW");
    expect([one.held(), other.held()]).toEqual([[], []]);
    page.click(one.element);
    page.keyDown("KeyW");
    expect([one.held(), other.held()]).toEqual([["KeyW"], []]);
    page.click(other.element);
    page.keyDown("KeyA");
    expect([one.held(), other.held()]).toEqual([[], ["KeyA"]]);
    other.capture.close();
    page.keyDown("KeyD");
    expect(one.held()).toEqual(["KeyD"]);
  });

  test("T2: with the scope `page` all keys are the world's", () => {
    const { page, held } = capture({ page: new FakePage({ scrolls: true }), keyScope: "page" });
    expect(page.keyDown("Space")).toBe(true);
    expect(held()).toEqual(["Space"]);
  });
});

describe("T3: no key stays down", () => {
  test("T3: a Shift key whose going up the system kept to itself is let go of with the next key", () => {
    const { page, held } = capture({ controls: acting({ run: ["ShiftLeft"], sneak: ["ShiftRight"], go: ["KeyW"] }) });
    page.keyDown("ShiftLeft", { with: ["Shift"] });
    page.keyDown("ShiftRight", { with: ["Shift"] });
    page.keyUp("ShiftRight");
    expect(held()).toEqual([]);
  });

  test("T3: two keys that stand for the same one hold it until both are up", () => {
    const { page, held } = capture({ remap: { KeyI: "KeyW" } });
    page.keyDown("KeyW");
    page.keyDown("KeyI");
    page.keyUp("KeyI");
    expect(held()).toEqual(["KeyW"]);
    page.keyUp("KeyW");
    expect(held()).toEqual([]);
  });

  test("T3: keys that macOS does not tell of while Meta is down are let go of with it", () => {
    const { page, held } = capture();
    page.keyDown("KeyW");
    page.keyUp("MetaLeft");
    expect(held()).toEqual([]);
  });
});
