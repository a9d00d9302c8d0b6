import { describe, expect, test } from "vitest";
import { keysFor, keyTakenFrom, withKey } from "./remap.ts";

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

  test("a key that is taken from another control is known, and whether that one has a key left", () => {
    const entries = [go, stop];
    expect(keyTakenFrom(entries, {}, { entry: stop, physical: "KeyW" })).toEqual({ loser: go, hasOthers: true });
    expect(keyTakenFrom(entries, {}, { entry: go, physical: "KeyS" })).toEqual({ loser: stop, hasOthers: false });
    expect(keyTakenFrom(entries, {}, { entry: go, physical: "KeyI" })).toBeUndefined();
    expect(keyTakenFrom(entries, {}, { entry: go, physical: "ArrowUp" })).toBeUndefined();
    // By choice, not by birth.
    expect(keyTakenFrom(entries, { KeyI: "KeyW" }, { entry: stop, physical: "KeyI" })).toMatchObject({ loser: go });
  });
});
