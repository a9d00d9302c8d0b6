import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { eventListSource, isDreamloopError, parseScript, timeWindow, type UserInputEvent } from "../../index.ts";

function told(text: string): unknown[] {
  return parseScript(text).events.map(({ timestampSeconds, eventType, payload }) => [
    timestampSeconds,
    eventType,
    payload,
  ]);
}

function fault(text: string): { readonly message: string; readonly details: Readonly<Record<string, unknown>> } {
  try {
    parseScript(text);
  } catch (error) {
    if (isDreamloopError(error, "trace_invalid")) return { message: error.message, details: error.details };
    throw error;
  }
  throw new Error("the script was accepted");
}

describe("times", () => {
  test("press and release stand at their times", () => {
    expect(told("at 1.5 s press KeyW\nat 3 s release KeyW")).toEqual([
      [1.5, "key_down", { code: "KeyW" }],
      [3, "key_up", { code: "KeyW" }],
    ]);
  });

  test("commas, colons, case, joined units, tabs, comments and a byte order mark change nothing", () => {
    const plain = told("at 1.5 s press KeyW");
    for (const other of [
      "at: 1.5 s, press KeyW",
      "AT 1500ms Press KeyW",
      "\tat\t1.5s\tpress\tKeyW # go",
      "\uFEFF# first\r\n\r\nat 1.5 S press: KeyW,",
      'at 1.50 s press "KeyW"',
    ]) {
      expect(told(other)).toEqual(plain);
    }
  });

  test("relative times count from the line before and from the end of a stretch, without binary dust", () => {
    const times = parseScript(
      "at 0.1 s press KeyA\n+0.2 s release KeyA\nfrom 1 s to 2 s hold KeyB\n+100 ms press KeyC\n",
    ).events.map((event) => event.timestampSeconds);
    expect(times).toEqual([0.1, 0.3, 1, 2, 2.1]);
  });

  test("lines in any order are sorted; what ends at an instant comes before what begins then", () => {
    expect(
      told("from 4 s to 6 s hold KeyA\nfrom 2 s to 4 s hold KeyA").map((entry) => (entry as unknown[]).slice(0, 2)),
    ).toEqual([
      [2, "key_down"],
      [4, "key_up"],
      [4, "key_down"],
      [6, "key_up"],
    ]);
  });

  test("every repeats from the first moment to before the last", () => {
    const downs = parseScript("from 1 s to 2 s every 0.25 s tap Space for 50 ms")
      .events.filter((event) => event.eventType === "key_down")
      .map((event) => event.timestampSeconds);
    expect(downs).toEqual([1, 1.25, 1.5, 1.75]);
    expect(parseScript("from 1 s to 1.3 s every 100 ms press KeyA").events).toHaveLength(3);
  });

  test("end is given back, and is absent when the script does not say it", () => {
    expect(parseScript("end 12 s\nat 11 s press KeyA").endSeconds).toBe(12);
    expect(parseScript("at 11 s press KeyA").endSeconds).toBeUndefined();
    expect(parseScript("").events).toEqual([]);
  });
});

describe("commands", () => {
  test.each<[string, unknown[]]>([
    [
      "at 1 s press KeyW ShiftLeft",
      [
        [1, "key_down", { code: "KeyW" }],
        [1, "key_down", { code: "ShiftLeft" }],
      ],
    ],
    [
      "at 1 s tap KeyW",
      [
        [1, "key_down", { code: "KeyW" }],
        [1.1, "key_up", { code: "KeyW" }],
      ],
    ],
    [
      "at 1 s hold KeyW for 2 s",
      [
        [1, "key_down", { code: "KeyW" }],
        [3, "key_up", { code: "KeyW" }],
      ],
    ],
    [
      "from 1 s for 2 s hold KeyW",
      [
        [1, "key_down", { code: "KeyW" }],
        [3, "key_up", { code: "KeyW" }],
      ],
    ],
    [
      "at 1 s tap MouseRight for 50 ms",
      [
        [1, "mouse_button", { button: 2, pressed: true }],
        [1.05, "mouse_button", { button: 2, pressed: false }],
      ],
    ],
    ["at 2 s axis steer -0.5", [[2, "axis_set", { name: "steer", value: -0.5 }]]],
    [
      "from 1 s to 3 s axis steer .5",
      [
        [1, "axis_set", { name: "steer", value: 0.5 }],
        [3, "axis_set", { name: "steer", value: 0 }],
      ],
    ],
    ["at 1 s actions jump fire", [[1, "action_set", { actions: ["jump", "fire"] }]]],
    ["at 1 s actions none", [[1, "action_set", { actions: [] }]]],
    [
      "from 1 s to 2 s actions jump",
      [
        [1, "action_set", { actions: ["jump"] }],
        [2, "action_set", { actions: [] }],
      ],
    ],
    ["at 6 s mouse 12 -3.25", [[6, "mouse_move", { deltaX: 12, deltaY: -3.25 }]]],
    ["at 6 s scroll 0 120", [[6, "mouse_wheel", { deltaX: 0, deltaY: 120 }]]],
    [
      'at 5 s prompt "heavy rain, at: night # \\"now\\""',
      [[5, "prompt_set", { prompt: 'heavy rain, at: night # "now"' }]],
    ],
    ['at 5 s prompt "a" without "b"', [[5, "prompt_set", { prompt: "a", negativePrompt: "b" }]]],
    ['at 5 s image "coast"', [[5, "image_set", { image: "coast" }]]],
    ["at 5 s text rain start", [[5, "text_event", { id: "rain", state: "start" }]]],
    ["at 5 s blur", [[5, "focus", { focused: false, reason: "blur" }]]],
    ["at 5 s focus", [[5, "focus", { focused: true }]]],
    ["at 7 s reset", [[7, "reset", {}]]],
    ["at 7 s reset seed 9", [[7, "reset", { seed: 9 }]]],
    ["at 7 s pause", [[7, "pause", {}]]],
    ["at 7 s resume", [[7, "resume", {}]]],
    ["at 7 s close", [[7, "close", {}]]],
    [
      'at 8 s event gamepad_state {"connected": true, "axes": [0.5, 0]} # pad "a"',
      [[8, "gamepad_state", { connected: true, axes: [0.5, 0] }]],
    ],
    ["at 8 s event pause", [[8, "pause", {}]]],
  ])("%s", (line, expected) => {
    expect(told(line)).toEqual(expected);
  });

  test("movement over a stretch adds up to what is written", () => {
    const events = parseScript("from 1 s to 2.05 s mouse 100 -7.3").events;
    const sum = (field: string): number => events.reduce((total, event) => total + (event.payload[field] as number), 0);
    expect(events.length).toBe(63);
    expect(sum("deltaX")).toBeCloseTo(100, 9);
    expect(sum("deltaY")).toBeCloseTo(-7.3, 9);
    expect(events.every((event) => event.timestampSeconds >= 1 && event.timestampSeconds < 2.05)).toBe(true);
  });
});

describe("faults", () => {
  test.each<[string, number, number, string]>([
    ["at 1 s pres KeyW", 1, 8, 'found "pres"; did you mean "press"?'],
    ["at 1 s press Keyw", 1, 14, 'found "Keyw"; did you mean "KeyW"?'],
    ["at 1 s press", 1, 13, "found the end of the line"],
    ["\n\nfrm 1 s to 2 s hold KeyA", 3, 1, 'did you mean "from"?'],
    ["at 1 press KeyW", 1, 6, "the unit of the time: s or ms"],
    ["at 1 min press KeyW", 1, 6, 'found "min"'],
    ["at -1 s press KeyW", 1, 4, "such as 1.5 s or 250 ms"],
    ["at soon press KeyW", 1, 4, 'found "soon"'],
    ["at 1 s press KeyW now", 1, 19, "the code of a key"],
    ["at 1 s reset now", 1, 14, "nothing more after reset [seed NUMBER]"],
    ["at 1 s hold KeyW", 1, 13, "for"],
    ["from 2 s to 1 s hold KeyA", 1, 15, "an end after 2 s"],
    ["from 2 s until 3 s hold KeyA", 1, 10, "to and a time, or for and a duration"],
    ['from 1 s to 2 s prompt "a"', 1, 17, "a command that lasts"],
    ["from 1 s to 2 s every 0 s tap KeyA", 1, 25, "a time above 0"],
    ["at 5 s prompt rain", 1, 15, "in double quotes"],
    ['at 5 s prompt "rain', 1, 15, "a closing double quote"],
    ['at 5 s prompt "a\\q"', 1, 15, "the escapes of JSON"],
    ["at 5 s axis steer 2", 1, 19, "at most 1"],
    ["at 5 s axis steer left", 1, 19, 'found "left"'],
    ["at 5 s event gamepad_stat {}", 1, 27, 'did you mean "gamepad_state"?'],
    ['at 5 s event gamepad_state {"connected": 1}', 1, 28, "true or false"],
    ['at 5 s event gamepad_state {"conected": true}', 1, 28, 'did you mean "connected"?'],
    ['at 5 s event gamepad_state {"connected": true', 1, 28, "closing brace"],
    ["at 5 s event gamepad_state {connected: true}", 1, 28, "this is no JSON"],
    ["at 5 s event gamepad_state true", 1, 28, "JSON object"],
    ["at 5 s reset seed 1.5", 1, 19, "an integer"],
    ["end 2 s\nend 3 s", 2, 1, "ends already"],
    ["end 2 s now", 1, 9, "nothing more"],
    ["at 2 s press KeyA\nend 2 s", 2, 7, "the script ends at 2 s, but something happens at 2 s"],
  ])("%j is refused at line %i, column %i", (text, line, column, part) => {
    const { message, details } = fault(text);
    expect(message.startsWith(`script line ${line}, column ${column}: `)).toBe(true);
    expect(message).toContain(part);
    expect(details).toEqual({ line, column });
  });

  test("what is no text, too long or makes too many events is refused", () => {
    expect(() => parseScript(5 as unknown as string)).toThrow("parseScript.text: expected a string");
    expect(() => parseScript("#".repeat(1_000_001))).toThrow("at most 1000000");
    expect(fault("from 0 s to 200000 s every 1 s press KeyA").message).toContain("at most 100000");
    const lines = "from 0 s to 40000 s every 1 s press KeyA KeyB\n".repeat(2);
    expect(fault(lines).message).toContain("at most 100000 events");
  });
});

test("the example is a drive of twelve seconds with keys, prompts and mouse movement, and everything is released at its end", () => {
  const text = readFileSync(new URL("../../../../../examples/demo.script", import.meta.url), "utf8");
  const script = parseScript(text);
  expect(script.endSeconds).toBe(12);
  const count = (eventType: string): number =>
    script.events.filter((event: UserInputEvent) => event.eventType === eventType).length;
  expect(count("prompt_set")).toBe(2);
  expect(count("mouse_move")).toBeGreaterThan(50);
  expect(new Set(script.events.map((event) => event.payload.code).filter(Boolean))).toEqual(
    new Set(["KeyW", "KeyA", "KeyD", "KeyS"]),
  );
  const source = eventListSource(script);
  const all = source.read(timeWindow({ startSeconds: 0, endSeconds: 12 }));
  expect(all.events).toEqual(script.events);
  expect(all.snapshot).toEqual({ heldCodes: [], heldButtons: [] });
});
