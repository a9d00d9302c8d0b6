import { keyboardToActions, mouseToLookDelta, type ControlHint } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { FakePage, fakeSession } from "../test-support/fake-page.ts";
import { captureInput } from "./capture-input.ts";

const ACTING = keyboardToActions({ bindings: { attack: ["MouseLeft"], aim: ["MouseRight"] } }).controls;
const LOOKING = mouseToLookDelta().controls;

function watch(controls: readonly ControlHint[], keyScope: "stage" | "page" = "stage") {
  const page = new FakePage({ scrolls: true });
  const session = fakeSession(controls);
  const element = page.element("div");
  captureInput(session, { target: element as unknown as HTMLElement, locksPointer: false, keyScope });
  const send = (name: string, fields: Record<string, unknown>): boolean => {
    const event = Object.assign(new Event(name, { cancelable: true }), {
      deltaX: 0,
      deltaY: 0,
      ctrlKey: false,
      ...fields,
    });
    element.dispatchEvent(event);
    // Events rise to the page; only the first goes through the path of the capture itself.
    if (name.startsWith("mouse") && name !== "mousedown") page.send(name, { path: [element, page], ...fields });
    return event.defaultPrevented;
  };
  return { page, element, session, send };
}

describe("T7: a mouse in a page", () => {
  test("T7: several buttons that are down at once are all held, and each is let go of by itself", () => {
    const { session, send } = watch(ACTING);
    send("pointerdown", { pointerType: "mouse", button: 2 });
    send("mousedown", { button: 2, buttons: 2 });
    // Browsers tell of the second button by no pointer event.
    send("mousedown", { button: 0, buttons: 3 });
    expect(session.input.heldButtons).toEqual([2, 0]);
    send("mouseup", { button: 0, buttons: 2 });
    expect(session.input.heldButtons).toEqual([2]);
    send("mouseup", { button: 2, buttons: 0 });
    expect(session.input.heldButtons).toEqual([]);
  });

  test("T7: a button that went up outside of the window is let go of with the next movement", () => {
    const { session, send } = watch(ACTING);
    send("mousedown", { button: 0, buttons: 1 });
    send("mousemove", { buttons: 0, movementX: 1, movementY: 0 });
    expect(session.input.heldButtons).toEqual([]);
  });

  test("T7: the wheel scrolls the page over a world that has no use for it, over one that nobody has chosen, and zooms with Ctrl", () => {
    const acting = watch(ACTING);
    acting.page.click(acting.element);
    expect(acting.send("wheel", { deltaY: 100, deltaMode: 0 })).toBe(false);
    const looking = watch(LOOKING);
    expect(looking.send("wheel", { deltaY: 100, deltaMode: 0 })).toBe(false);
    looking.page.click(looking.element);
    expect(looking.send("wheel", { deltaY: 100, deltaMode: 0, ctrlKey: true })).toBe(false);
    expect(looking.send("wheel", { deltaY: 100, deltaMode: 0 })).toBe(true);
    const { payload } = looking.session.input.states(1, 1).find(({ eventType }) => eventType === "mouse_state") ?? {};
    expect(payload).toMatchObject({ wheelY: 100 });
    // A page that is all player needs no click first.
    expect(watch(LOOKING, "page").send("wheel", { deltaY: 100, deltaMode: 0 })).toBe(true);
  });
});
