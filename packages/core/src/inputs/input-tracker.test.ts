import { describe, expect, test } from "vitest";
import { eventCatalogue, type UserInputEvent } from "../index.ts";
import { InputTracker, MAX_HELD_CODES } from "./input-tracker.ts";
import { ExactSum } from "./held/exact-sum.ts";

const catalogue = eventCatalogue();
const event = (eventType: string, payload: object = {}, timestampSeconds = 0): UserInputEvent =>
  catalogue.read({ timestampSeconds, eventType, payload: payload as Record<string, unknown>, source: "test" });

/** Resolves one event; gives types and payloads. */
function resolve(tracker: InputTracker, eventType: string, payload: object = {}): unknown[] {
  return tracker.resolve(event(eventType, payload)).map((resolved) => [resolved.eventType, resolved.payload]);
}

const down = (code: string, presses?: number): unknown[] => [
  "key_down",
  presses === undefined ? { code } : { code, presses },
];
const up = (code: string): unknown[] => ["key_up", { code }];

describe("edges of keys and buttons", () => {
  test("pass once: repetitions of a held key and releases of one that is not held say nothing", () => {
    const tracker = new InputTracker();
    expect(resolve(tracker, "key_up", { code: "KeyW" })).toEqual([]);
    expect(resolve(tracker, "key_down", { code: "KeyW" })).toEqual([down("KeyW")]);
    expect(resolve(tracker, "key_down", { code: "KeyW" })).toEqual([]);
    expect(resolve(tracker, "key_down", { code: "KeyW", presses: 0 })).toEqual([]);
    expect(resolve(tracker, "key_up", { code: "KeyW" })).toEqual([up("KeyW")]);
    expect(resolve(tracker, "mouse_button", { button: 1, pressed: false })).toEqual([]);
    expect(resolve(tracker, "mouse_button", { button: 1, pressed: true })).toHaveLength(1);
    expect(resolve(tracker, "mouse_button", { button: 1, pressed: true })).toEqual([]);
    expect(tracker.counters.repeats).toBe(5);
    expect(tracker.snapshot()).toEqual({ heldCodes: [], heldButtons: [1] });
  });

  test("a number of presses on a held key tells presses in between", () => {
    const tracker = new InputTracker();
    resolve(tracker, "key_down", { code: "KeyW" });
    expect(resolve(tracker, "key_down", { code: "KeyW", presses: 2 })).toEqual([down("KeyW", 2)]);
  });

  test("A5: the key after the thirty-second releases the one that was pressed first, and no release is refused", () => {
    const tracker = new InputTracker();
    for (let index = 0; index < MAX_HELD_CODES; index += 1) resolve(tracker, "key_down", { code: `K${index}` });
    expect(resolve(tracker, "key_down", { code: "Late" })).toEqual([up("K0"), down("Late")]);
    expect(tracker.counters.limitReleases).toBe(1);
    expect(resolve(tracker, "key_up", { code: "K0" })).toEqual([]);
    expect(resolve(tracker, "key_up", { code: "K1" })).toEqual([up("K1")]);
    expect(tracker.snapshot().heldCodes).toHaveLength(31);
  });
});

describe("keys_state", () => {
  const state = (codes: string[], pressCounts: Record<string, number>, sequence?: number, epoch = 0): object => ({
    codes,
    pressCounts,
    epoch,
    ...(sequence === undefined ? {} : { sequence }),
  });

  test("A1: what happened in lost messages is told by counts", () => {
    const tracker = new InputTracker();
    expect(resolve(tracker, "keys_state", state(["KeyW"], { KeyW: 1 }, 1))).toEqual([down("KeyW", 1)]);
    expect(resolve(tracker, "keys_state", state(["KeyW"], { KeyW: 1 }, 2))).toEqual([]);
    // Released and pressed three more times, while another key was tapped twice.
    expect(resolve(tracker, "keys_state", state(["KeyW"], { KeyW: 4, KeyA: 2 }, 5))).toEqual([
      up("KeyW"),
      down("KeyA", 2),
      up("KeyA"),
      down("KeyW", 3),
    ]);
    // Released, tapped once more, released.
    expect(resolve(tracker, "keys_state", state([], { KeyW: 5, KeyA: 2 }, 7))).toEqual([down("KeyW", 1), up("KeyW")]);
    expect(resolve(tracker, "keys_state", state([], {}, 8))).toEqual([]);
  });

  test("A2: held state without a new press is restored with presses 0", () => {
    const tracker = new InputTracker();
    resolve(tracker, "keys_state", state(["KeyW"], { KeyW: 1 }));
    expect(tracker.releaseAll(1, "timeout").map((released) => released.eventType)).toEqual(["key_up", "focus"]);
    expect(resolve(tracker, "keys_state", state(["KeyW"], { KeyW: 1 }))).toEqual([down("KeyW", 0)]);
  });

  test("older and repeated messages of an epoch are ignored and counted, older epochs too", () => {
    const tracker = new InputTracker();
    resolve(tracker, "keys_state", state(["KeyW"], { KeyW: 1 }, 5, 2));
    for (const stale of [state([], {}, 5, 2), state([], {}, 4, 2), state([], {}, 9, 1), state([], {}, undefined, 1)]) {
      expect(resolve(tracker, "keys_state", stale)).toEqual([]);
    }
    expect(tracker.counters.staleStates).toBe(4);
    expect(tracker.isKeyHeld("KeyW")).toBe(true);
  });

  test("a new epoch starts its counts and sequence numbers at 0", () => {
    const tracker = new InputTracker();
    resolve(tracker, "keys_state", state(["KeyW"], { KeyW: 7 }, 50, 1));
    expect(resolve(tracker, "keys_state", state([], { KeyA: 1 }, 0, 2))).toEqual([
      up("KeyW"),
      down("KeyA", 1),
      up("KeyA"),
    ]);
    expect(resolve(tracker, "keys_state", state([], { KeyA: 1, KeyW: 7 }, 1, 2))).toEqual([
      down("KeyW", 7),
      up("KeyW"),
    ]);
  });

  test("counts that go back count nothing", () => {
    const tracker = new InputTracker();
    resolve(tracker, "keys_state", state([], { KeyW: 5 }));
    expect(resolve(tracker, "keys_state", state([], { KeyW: 3 }))).toEqual([]);
    expect(resolve(tracker, "keys_state", state([], { KeyW: 6 }))).toEqual([down("KeyW", 1), up("KeyW")]);
  });

  test("of too many codes the newest are held, and the same message again changes nothing", () => {
    const tracker = new InputTracker();
    const codes = Array.from({ length: 40 }, (_, index) => `K${index}`);
    expect(resolve(tracker, "keys_state", state(codes, {}))).toHaveLength(32);
    expect(tracker.snapshot().heldCodes).toEqual(codes.slice(8));
    expect(resolve(tracker, "keys_state", state(codes, {}))).toEqual([]);
    expect(resolve(tracker, "keys_state", state([], {}))).toHaveLength(32);
    expect(tracker.anythingHeld).toBe(false);
  });

  test("a tap beside thirty-two held keys is told without ever holding a thirty-third", () => {
    const source = new InputTracker();
    const consumer = new InputTracker();
    const codes = Array.from({ length: 32 }, (_, index) => `K${index}`);
    for (const payload of [state(codes, {}), state(codes, { Tap: 1 }), state(codes, { Tap: 1 })]) {
      for (const resolved of source.resolve(event("keys_state", payload)))
        expect(consumer.resolve(resolved)).toEqual([resolved]);
    }
    expect(consumer.counters.limitReleases).toBe(0);
    expect([...(consumer.snapshot().heldCodes as string[])].sort()).toEqual([...codes].sort());
  });
});

describe("mouse_state", () => {
  test("A4: movements are the differences of totals and lose no rounding", () => {
    const tracker = new InputTracker();
    const told = new ExactSum();
    let count = 0;
    // The way back from far away is rounded; what rounding leaves is told with the next movement.
    for (const totalX of [1e9 + 0.1, 1e9 + 0.3, 0.7, 0.7, 0.8]) {
      for (const { payload } of tracker.resolve(event("mouse_state", { totalX, totalY: 0, epoch: 0 }))) {
        told.add(payload.deltaX as number);
        count += 1;
      }
    }
    expect(count).toBe(4);
    expect(told.take()).toBeCloseTo(0.8, 15);
  });

  test("buttons, wheel and movement come out of one message; a new epoch starts at 0", () => {
    const tracker = new InputTracker();
    const first = {
      totalX: 2,
      totalY: 3,
      wheelY: 120,
      buttons: [0],
      pressCounts: { "0": 1, "2": 1 },
      epoch: 0,
      sequence: 1,
    };
    expect(resolve(tracker, "mouse_state", first)).toEqual([
      ["mouse_move", { deltaX: 2, deltaY: 3 }],
      ["mouse_wheel", { deltaX: 0, deltaY: 120 }],
      ["mouse_button", { button: 2, pressed: true, presses: 1 }],
      ["mouse_button", { button: 2, pressed: false }],
      ["mouse_button", { button: 0, pressed: true, presses: 1 }],
    ]);
    expect(resolve(tracker, "mouse_state", first)).toEqual([]);
    expect(tracker.counters.staleStates).toBe(1);
    expect(resolve(tracker, "mouse_state", { totalX: 1, totalY: 0, buttons: [0], epoch: 1 })).toEqual([
      ["mouse_move", { deltaX: 1, deltaY: 0 }],
    ]);
  });
});

describe("pads", () => {
  test("a button that goes down is pressed, one that stays down is not, and the same state again says nothing", () => {
    const tracker = new InputTracker();
    const pad = { connected: true, axes: [0.2, 0], buttons: [0, 1] };
    expect(resolve(tracker, "gamepad_state", pad)).toEqual([["gamepad_state", { ...pad, pressed: [1] }]]);
    expect(resolve(tracker, "gamepad_state", pad)).toEqual([]);
    expect(resolve(tracker, "gamepad_state", { ...pad, axes: [0.3, 0] })).toEqual([
      ["gamepad_state", { ...pad, axes: [0.3, 0], pressed: [] }],
    ]);
    expect(tracker.snapshot().gamepads).toEqual([{ ...pad, axes: [0.3, 0], pressed: [] }]);
  });

  test("A1: counts tell presses of lost messages; stale messages are ignored", () => {
    const tracker = new InputTracker();
    const pad = (counts: number[], sequence: number): object => ({
      connected: true,
      buttons: [0, 0],
      pressCounts: counts,
      epoch: 0,
      sequence,
    });
    expect(resolve(tracker, "gamepad_state", pad([0, 0], 1))).toEqual([
      ["gamepad_state", { connected: true, buttons: [0, 0], pressed: [] }],
    ]);
    expect(resolve(tracker, "gamepad_state", pad([0, 3], 4))).toEqual([
      ["gamepad_state", { connected: true, buttons: [0, 0], pressed: [1] }],
    ]);
    expect(resolve(tracker, "gamepad_state", pad([0, 2], 3))).toEqual([]);
    expect(resolve(tracker, "gamepad_state", pad([0, 3], 5))).toEqual([]);
  });

  test("A2: loss of focus puts pads at rest, and a button that is still down afterwards is no press", () => {
    const tracker = new InputTracker();
    const pad = { connected: true, index: 2, axes: [1, 0], buttons: [1], throttle: 0.5 };
    resolve(tracker, "gamepad_state", pad);
    expect(tracker.anythingHeld).toBe(true);
    expect(resolve(tracker, "focus", { focused: false })).toEqual([
      ["gamepad_state", { connected: true, index: 2, axes: [0, 0], buttons: [0], throttle: 0, pressed: [] }],
      ["focus", { focused: false }],
    ]);
    expect(tracker.anythingHeld).toBe(false);
    expect(resolve(tracker, "gamepad_state", pad)).toEqual([["gamepad_state", { ...pad, pressed: [] }]]);
  });

  test("a pad that goes is forgotten; one that was not there says nothing", () => {
    const tracker = new InputTracker();
    expect(resolve(tracker, "wheel_state", { connected: false })).toEqual([]);
    resolve(tracker, "wheel_state", { connected: true, steer: 1, throttle: 0, brake: 0, clutch: 0 });
    expect(tracker.snapshot().wheel).toMatchObject({ steer: 1 });
    expect(resolve(tracker, "wheel_state", { connected: false })).toEqual([["wheel_state", { connected: false }]]);
    expect(tracker.snapshot().wheel).toBeUndefined();
    expect(tracker.anythingHeld).toBe(false);
  });

  test("a stick that rests a little off its centre does not count as held", () => {
    const tracker = new InputTracker();
    resolve(tracker, "gamepad_state", { connected: true, axes: [0.03, -0.04], buttons: [0] });
    expect(tracker.anythingHeld).toBe(false);
  });
});

describe("pointers, axes, actions", () => {
  test("a pointer whose start was lost comes down with its first movement; the end of one that is not down says nothing", () => {
    const tracker = new InputTracker();
    const at = { id: 1, x: 0.5, y: 0.5 };
    expect(resolve(tracker, "touch", { ...at, phase: "end" })).toEqual([]);
    expect(resolve(tracker, "touch", { ...at, phase: "move" })).toEqual([["touch", { ...at, phase: "start" }]]);
    expect(resolve(tracker, "touch", { ...at, phase: "start" })).toEqual([["touch", { ...at, phase: "move" }]]);
    expect(resolve(tracker, "pointer", { ...at, phase: "end" })).toEqual([]);
    expect(resolve(tracker, "touch", { ...at, phase: "cancel" })).toEqual([["touch", { ...at, phase: "cancel" }]]);
  });

  test("the thirty-third finger takes the first away", () => {
    const tracker = new InputTracker();
    for (let id = 0; id < 32; id += 1) resolve(tracker, "touch", { id, phase: "start", x: 0, y: 0 });
    expect(resolve(tracker, "touch", { id: 99, phase: "start", x: 0, y: 0 })).toMatchObject([
      ["touch", { id: 0, phase: "cancel" }],
      ["touch", { id: 99, phase: "start" }],
    ]);
  });

  test("axes and actions pass when they change; actions tell which began", () => {
    const tracker = new InputTracker();
    expect(resolve(tracker, "axis_set", { name: "steer", value: 0 })).toEqual([]);
    expect(resolve(tracker, "axis_set", { name: "steer", value: 0.5 })).toHaveLength(1);
    expect(resolve(tracker, "axis_set", { name: "steer", value: 0.5 })).toEqual([]);
    expect(resolve(tracker, "action_set", { actions: ["jump"] })).toEqual([
      ["action_set", { actions: ["jump"], pressed: ["jump"] }],
    ]);
    expect(resolve(tracker, "action_set", { actions: ["jump", "fire"] })).toEqual([
      ["action_set", { actions: ["jump", "fire"], pressed: ["fire"] }],
    ]);
    expect(tracker.snapshot()).toMatchObject({ axes: { steer: 0.5 }, actions: ["jump", "fire"] });
  });

  test("the sixty-fifth axis puts the first at 0", () => {
    const tracker = new InputTracker();
    for (let index = 0; index < 64; index += 1) resolve(tracker, "axis_set", { name: `a${index}`, value: 1 });
    expect(resolve(tracker, "axis_set", { name: "late", value: 1 })).toEqual([
      ["axis_set", { name: "a0", value: 0 }],
      ["axis_set", { name: "late", value: 1 }],
    ]);
  });
});

/** A tracker with something held on every device. */
function heldEverywhere(): InputTracker {
  const tracker = new InputTracker();
  resolve(tracker, "focus", { focused: true });
  resolve(tracker, "key_down", { code: "KeyW" });
  resolve(tracker, "mouse_button", { button: 0, pressed: true });
  resolve(tracker, "pointer", { id: 0, phase: "start", x: 0.1, y: 0.2 });
  resolve(tracker, "touch", { id: 7, phase: "start", x: 0.3, y: 0.4 });
  resolve(tracker, "gamepad_state", { connected: true, axes: [1, 0], buttons: [1] });
  resolve(tracker, "wheel_state", { connected: true, steer: -1, throttle: 1, brake: 0, clutch: 0 });
  resolve(tracker, "axis_set", { name: "steer", value: -0.5 });
  resolve(tracker, "action_set", { actions: ["jump"] });
  return tracker;
}

describe("all at once", () => {
  test("A2: loss of focus releases everything on every device, then tells the loss; again it says nothing", () => {
    const tracker = heldEverywhere();
    const released = tracker.resolve(event("focus", { focused: false, reason: "blur" }, 3));
    expect(released.map((one) => [one.eventType, one.payload])).toEqual([
      up("KeyW"),
      ["mouse_button", { button: 0, pressed: false }],
      ["pointer", { id: 0, phase: "cancel", x: 0.1, y: 0.2 }],
      ["touch", { id: 7, phase: "cancel", x: 0.3, y: 0.4 }],
      ["gamepad_state", { connected: true, axes: [0, 0], buttons: [0], pressed: [] }],
      ["wheel_state", { connected: true, steer: 0, throttle: 0, brake: 0, clutch: 0 }],
      ["axis_set", { name: "steer", value: 0 }],
      ["action_set", { actions: [], pressed: [] }],
      ["focus", { focused: false, reason: "blur" }],
    ]);
    expect(released.every((one) => one.timestampSeconds === 3 && one.source === "test")).toBe(true);
    expect(tracker.anythingHeld).toBe(false);
    expect(tracker.resolve(event("focus", { focused: false }))).toEqual([]);
    expect(tracker.releaseAll(4)).toEqual([]);
  });

  test("releaseAll is a loss of focus with its source and reason", () => {
    const released = heldEverywhere().releaseAll(2, "timeout", "no_message");
    expect(released).toHaveLength(9);
    expect(released.every((one) => one.source === "timeout" && one.timestampSeconds === 2)).toBe(true);
    expect(released[8]?.payload).toEqual({ focused: false, reason: "no_message" });
  });

  test("held events bring a fresh tracker to the same state, count no press and change nothing here", () => {
    const tracker = heldEverywhere();
    const before = tracker.save();
    const events = tracker.heldEvents(5, "reset");
    expect(tracker.save()).toEqual(before);
    expect(events.map((one) => [one.eventType, one.payload.presses, one.payload.pressed])).toEqual([
      ["key_down", 0, undefined],
      ["mouse_button", 0, true],
      ["pointer", undefined, undefined],
      ["touch", undefined, undefined],
      ["gamepad_state", undefined, []],
      ["wheel_state", undefined, undefined],
      ["axis_set", undefined, undefined],
      ["action_set", undefined, []],
    ]);
    const fresh = new InputTracker();
    for (const one of events) expect(fresh.resolve(one)).toEqual([one]);
    expect({ ...fresh.snapshot(), focused: true }).toEqual(tracker.snapshot());
    for (const one of events) catalogue.read({ ...one });
  });

  test("what is saved is plain JSON and brings back the same tracker; a clone is independent", () => {
    const tracker = heldEverywhere();
    const restored = new InputTracker(JSON.parse(JSON.stringify(tracker.save())) as ReturnType<InputTracker["save"]>);
    expect(restored.snapshot()).toEqual(tracker.snapshot());
    const clone = tracker.clone();
    clone.releaseAll(0);
    expect(tracker.anythingHeld).toBe(true);
    expect(tracker.snapshot()).toBe(tracker.snapshot());
  });

  test("conditions, control and unknown types pass as they are", () => {
    const tracker = new InputTracker();
    for (const one of [
      event("prompt_set", { prompt: "rain" }),
      event("reset"),
      event("mouse_move", { deltaX: 1, deltaY: 0 }),
    ]) {
      expect(tracker.resolve(one)).toEqual([one]);
    }
  });
});
