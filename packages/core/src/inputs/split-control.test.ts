import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { eventCatalogue, userInputs, type UserInputEvent, type UserInputs } from "../index.ts";
import { InputTracker } from "./input-tracker.ts";
import { splitControl } from "./split-control.ts";

const catalogue = eventCatalogue();
const at = (timestampSeconds: number, eventType: string, payload: Record<string, unknown> = {}): UserInputEvent =>
  catalogue.read({ timestampSeconds, eventType, payload });
const inputs = (...events: UserInputEvent[]): UserInputs =>
  userInputs({ events, snapshot: { heldCodes: ["Z"] }, metadata: { inputSequence: 3 } });
const told = (given: UserInputs): unknown[] =>
  given.events.map((event) => [event.timestampSeconds, event.eventType, event.payload]);

/** A tracker as it is after earlier windows. */
function trackerAfter(...events: UserInputEvent[]): InputTracker {
  const tracker = new InputTracker();
  for (const event of events) tracker.resolve(event);
  return tracker;
}

describe("without a reset", () => {
  test("the very same inputs come back, and the tracker goes to the end of the window", () => {
    const tracker = new InputTracker();
    const given = inputs(at(0, "key_down", { code: "KeyW" }), at(0.1, "mouse_move", { deltaX: 1, deltaY: 0 }));
    const split = splitControl(given, tracker);
    expect(split.inputs).toBe(given);
    expect(split.control).toEqual({ resets: [], close: false });
    expect(split.clearedDeltas).toBe(0);
    expect(tracker.isKeyHeld("KeyW")).toBe(true);
  });

  test("control events are taken out; of pause and resume the last counts", () => {
    const split = splitControl(
      inputs(at(0, "pause"), at(0.1, "key_down", { code: "KeyW" }), at(0.2, "resume"), at(0.3, "close")),
      new InputTracker(),
    );
    expect(split.control).toEqual({ resets: [], paused: false, close: true });
    expect(told(split.inputs)).toEqual([[0.1, "key_down", { code: "KeyW" }]]);
    expect(split.inputs.snapshot).toEqual({ heldCodes: ["Z"] });
    expect(split.inputs.metadata).toEqual({ inputSequence: 3 });
  });

  test("what a plain source gives is resolved: states become edges, repetitions go", () => {
    const tracker = trackerAfter(at(0, "key_down", { code: "KeyW" }));
    const split = splitControl(
      inputs(
        at(1, "key_down", { code: "KeyW" }),
        at(1, "keys_state", { codes: ["KeyA"], pressCounts: { KeyA: 1 }, epoch: 0 }),
      ),
      tracker,
    );
    expect(split.inputs.events.map((event) => event.eventType)).toEqual(["key_up", "key_down"]);
  });
});

describe("with a reset", () => {
  test("what is held is applied again at its time and counts no press, movements before it are cleared, those after it stay", () => {
    const tracker = trackerAfter(
      at(0, "key_down", { code: "KeyW" }),
      at(0, "mouse_button", { button: 0, pressed: true }),
    );
    const split = splitControl(
      inputs(
        at(1, "mouse_move", { deltaX: 5, deltaY: 0 }),
        at(1.1, "mouse_wheel", { deltaY: 5 }),
        at(1.2, "reset", { seed: 9 }),
        at(1.3, "mouse_move", { deltaX: 7, deltaY: 0 }),
        at(1.4, "key_up", { code: "KeyW" }),
      ),
      tracker,
    );
    expect(split.control.resets).toEqual([{ seed: 9, count: 1 }]);
    expect(split.clearedDeltas).toBe(2);
    expect(told(split.inputs)).toEqual([
      [1.2, "key_down", { code: "KeyW", presses: 0 }],
      [1.2, "mouse_button", { button: 0, pressed: true, presses: 0 }],
      [1.3, "mouse_move", { deltaX: 7, deltaY: 0 }],
      [1.4, "key_up", { code: "KeyW" }],
    ]);
    expect(split.inputs.events[0]?.source).toBe("reset");
    expect(tracker.isKeyHeld("KeyW")).toBe(false);
    expect(tracker.isButtonHeld(0)).toBe(true);
  });

  test("A3: presses of the same window before it are told once, whether they last or have ended", () => {
    const tracker = trackerAfter(at(0, "key_down", { code: "Old" }), at(0, "key_down", { code: "Again" }));
    const split = splitControl(
      inputs(
        at(1, "key_down", { code: "Tap" }),
        at(1, "key_up", { code: "Tap" }),
        at(1, "key_down", { code: "New" }),
        at(1, "key_up", { code: "Old" }),
        at(1, "key_up", { code: "Again" }),
        at(1, "key_down", { code: "Again" }),
        at(1, "reset"),
      ),
      tracker,
    );
    expect(told(split.inputs)).toEqual([
      [1, "key_down", { code: "Tap", presses: 1 }],
      [1, "key_up", { code: "Tap" }],
      [1, "key_down", { code: "New", presses: 1 }],
      [1, "key_down", { code: "Again", presses: 1 }],
    ]);
  });

  test("pads, axes, actions, fingers and focus are brought to their state, with presses of the window", () => {
    const pad = { connected: true, axes: [0.5], buttons: [0] };
    const tracker = trackerAfter(
      at(0, "gamepad_state", pad),
      at(0, "axis_set", { name: "steer", value: 0.5 }),
      at(0, "touch", { id: 1, phase: "start", x: 0, y: 0 }),
    );
    const split = splitControl(
      inputs(
        at(1, "gamepad_state", { ...pad, buttons: [1] }),
        at(1, "gamepad_state", pad),
        at(1, "action_set", { actions: ["jump"] }),
        at(1, "action_set", { actions: [] }),
        at(1, "touch", { id: 1, phase: "move", x: 0.5, y: 0 }),
        at(1, "touch", { id: 2, phase: "start", x: 0, y: 1 }),
        at(1, "touch", { id: 2, phase: "end", x: 0, y: 1 }),
        at(2, "reset"),
      ),
      tracker,
    );
    expect(told(split.inputs)).toEqual([
      [2, "touch", { id: 1, phase: "start", x: 0.5, y: 0 }],
      [2, "touch", { id: 1, phase: "move", x: 0.5, y: 0 }],
      [2, "touch", { id: 2, phase: "start", x: 0, y: 1 }],
      [2, "touch", { id: 2, phase: "end", x: 0, y: 1 }],
      [2, "action_set", { actions: [], pressed: ["jump"] }],
      [2, "gamepad_state", { ...pad, pressed: [0] }],
      [2, "axis_set", { name: "steer", value: 0.5 }],
    ]);
  });

  test("A2: what loss of focus released before it stays released", () => {
    const tracker = trackerAfter(at(0, "key_down", { code: "KeyW" }));
    const split = splitControl(inputs(at(1, "focus", { focused: false }), at(2, "reset")), tracker);
    expect(told(split.inputs)).toEqual([[2, "focus", { focused: false }]]);
    expect(tracker.anythingHeld).toBe(false);
  });

  test("conditions before it stay as they are", () => {
    const split = splitControl(inputs(at(1, "prompt_set", { prompt: "rain" }), at(2, "reset")), new InputTracker());
    expect(told(split.inputs)).toEqual([[1, "prompt_set", { prompt: "rain" }]]);
  });

  test("several are applied as one: the last counts for held state, the last seed that was given for the seed", () => {
    const split = splitControl(
      inputs(at(1, "reset", { seed: 4 }), at(2, "mouse_move", { deltaX: 1, deltaY: 0 }), at(3, "reset", { count: 3 })),
      new InputTracker(),
    );
    expect(split.control.resets).toEqual([{ seed: 4, count: 4 }]);
    expect(split.clearedDeltas).toBe(1);
    expect(split.inputs.events).toEqual([]);
  });

  test("original times follow their events", () => {
    const events = [
      at(1, "key_down", { code: "Early" }),
      at(1, "prompt_set", { prompt: "rain" }),
      at(1, "reset"),
      at(1, "key_down", { code: "Late" }),
    ];
    const times = [0, 1, 2, 3].map((eventIndex) => ({ eventIndex, timestampSeconds: eventIndex / 10 }));
    const split = splitControl(
      userInputs({ events, metadata: { originalTimes: times, inputSequence: 1 } }),
      new InputTracker(),
    );
    expect(split.inputs.events.map((event) => event.eventType)).toEqual(["prompt_set", "key_down", "key_down"]);
    expect(split.inputs.metadata).toEqual({
      inputSequence: 1,
      originalTimes: [
        { eventIndex: 0, timestampSeconds: 0.1 },
        { eventIndex: 2, timestampSeconds: 0.3 },
      ],
    });
  });
});

test("fresh converters and the driver's tracker always agree on what is held after a window with a reset", () => {
  const edge = fc.record({
    type: fc.constantFrom("key_down", "key_up"),
    code: fc.integer({ min: 0, max: 5 }).map((index) => `K${index}`),
  });
  fc.assert(
    fc.property(fc.array(edge), fc.array(edge), fc.array(edge), (before, early, late) => {
      const events = (edges: typeof before, time: number): UserInputEvent[] =>
        edges.map(({ type, code }) => at(time, type, { code }));
      const tracker = trackerAfter(...events(before, 0));
      const split = splitControl(inputs(...events(early, 1), at(2, "reset"), ...events(late, 3)), tracker);
      const fresh = trackerAfter(...split.inputs.events);
      expect([...(fresh.snapshot().heldCodes as string[])].sort()).toEqual(
        [...(tracker.snapshot().heldCodes as string[])].sort(),
      );
      const presses = split.inputs.events
        .filter((event) => event.eventType === "key_down")
        .reduce((sum, event) => sum + ((event.payload.presses as number | undefined) ?? 1), 0);
      const reference = trackerAfter(...events(before, 0));
      const expected = [...early, ...late].filter(
        ({ type, code }) => reference.resolve(at(9, type, { code })).length > 0 && type === "key_down",
      );
      expect(presses).toBe(expected.length);
    }),
  );
});
