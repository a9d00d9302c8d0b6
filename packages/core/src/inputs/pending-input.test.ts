import { describe, expect, test } from "vitest";
import {
  eventCatalogue,
  eventDefinition,
  gamepadToDriverCommand,
  keyboardToDriverCommand,
  PendingInput,
  timeWindow,
  type DeviceConverter,
  type UserInputs,
} from "../index.ts";
import { InputTracker } from "./input-tracker.ts";
import { finite } from "../foundation/validate/reader.ts";

const at = (
  timestampSeconds: number,
  eventType: string,
  payload: object = {},
): { timestampSeconds: number; eventType: string; payload: Record<string, unknown> } => ({
  timestampSeconds,
  eventType,
  payload: payload as Record<string, unknown>,
});
const drain = (input: PendingInput, startSeconds: number, endSeconds: number): UserInputs =>
  input.drain(timeWindow({ startSeconds, endSeconds }));
const told = (inputs: UserInputs): unknown[] =>
  inputs.events.map((event) => [event.timestampSeconds, event.eventType, event.payload]);
const state = (timestampSeconds: number, codes: string[], pressCounts: Record<string, number>): ReturnType<typeof at> =>
  at(timestampSeconds, "keys_state", { codes, pressCounts, epoch: 0 });

describe("windows", () => {
  test("events before the end are drained once, those at the end and later wait", () => {
    const input = new PendingInput();
    input.push([
      at(0.1, "key_down", { code: "KeyW" }),
      at(0.2, "key_down", { code: "KeyA" }),
      at(0.25, "key_up", { code: "KeyW" }),
    ]);
    expect(told(drain(input, 0, 0.2))).toEqual([[0.1, "key_down", { code: "KeyW" }]]);
    expect(input.pendingCount).toBe(2);
    const second = drain(input, 0.2, 0.4);
    expect(told(second)).toEqual([
      [0.2, "key_down", { code: "KeyA" }],
      [0.25, "key_up", { code: "KeyW" }],
    ]);
    expect(drain(input, 0.4, 0.5).events).toEqual([]);
  });

  test("the snapshot is what is held at the end of the window, not what has arrived since", () => {
    const input = new PendingInput();
    input.push([at(0.1, "key_down", { code: "KeyW" }), at(0.3, "key_up", { code: "KeyW" })]);
    expect(drain(input, 0, 0.2).snapshot).toEqual({ heldCodes: ["KeyW"], heldButtons: [] });
    expect(drain(input, 0.2, 0.4).snapshot).toEqual({ heldCodes: [], heldButtons: [] });
  });

  test("an event older than its window stands at the start, its own time in metadata.originalTimes", () => {
    const input = new PendingInput();
    input.push([at(0.15, "key_down", { code: "KeyW" }), at(0.35, "key_up", { code: "KeyW" })]);
    const inputs = drain(input, 0.3, 0.4);
    expect(told(inputs)).toEqual([
      [0.3, "key_down", { code: "KeyW" }],
      [0.35, "key_up", { code: "KeyW" }],
    ]);
    expect(inputs.metadata.originalTimes).toEqual([{ eventIndex: 0, timestampSeconds: 0.15 }]);
    expect(input.counters.moved).toBe(1);
  });

  test("an event stamped before one that was pushed earlier takes its time and keeps its own in metadata", () => {
    const input = new PendingInput();
    input.push([at(0.2, "key_down", { code: "KeyW" })]);
    input.push([at(0.1, "key_down", { code: "KeyA" })]);
    const inputs = drain(input, 0, 1);
    expect(inputs.events.map((event) => event.timestampSeconds)).toEqual([0.2, 0.2]);
    expect(inputs.metadata.originalTimes).toEqual([{ eventIndex: 1, timestampSeconds: 0.1 }]);
  });

  test("an empty window gives the state and nothing else", () => {
    const input = new PendingInput();
    input.push([at(0, "key_down", { code: "KeyW" })]);
    expect(drain(input, 0, 0)).toMatchObject({ events: [], snapshot: { heldCodes: [] } });
    expect(input.pendingCount).toBe(1);
  });
});

test("A8: while a step takes two seconds, a hundred inputs keep the times at which they arrived", () => {
  const input = new PendingInput();
  const arrivals: number[] = [];
  for (let index = 0; index < 100; index += 1) {
    const arrival = 1 + index * 0.02;
    if (index % 2 === 0) {
      arrivals.push(arrival);
      input.push([at(arrival, index % 4 === 0 ? "key_down" : "key_up", { code: "KeyW" })]);
    } else {
      input.push([at(arrival, "mouse_move", { deltaX: 1, deltaY: 0 })]);
    }
  }
  const inputs = drain(input, 1, 3.001);
  const edges = inputs.events.filter((event) => event.eventType !== "mouse_move");
  expect(edges.map((event) => event.timestampSeconds)).toEqual(arrivals);
  expect(
    inputs.events.filter((event) => event.eventType === "mouse_move").map((event) => event.payload.deltaX),
  ).toEqual([50]);
  expect(inputs.metadata.originalTimes).toBeUndefined();
});

describe("numbers of messages", () => {
  test("inputSequence is the newest message whose events are all included", () => {
    const input = new PendingInput();
    expect(drain(input, 0, 0.1).metadata).toEqual({});
    input.push([at(0.1, "key_down", { code: "KeyW" })], { sequence: 1 });
    input.push([at(0.25, "key_up", { code: "KeyW" })], { sequence: 2 });
    expect(drain(input, 0.1, 0.2).metadata).toEqual({ inputSequence: 1 });
    expect(drain(input, 0.2, 0.3).metadata).toEqual({ inputSequence: 2 });
  });

  test("a message that changes nothing counts too, and an older one does not go back", () => {
    const input = new PendingInput();
    input.push([state(0.1, [], {})], { sequence: 7 });
    expect(drain(input, 0, 0.2).metadata).toEqual({ inputSequence: 7 });
    input.push([at(0.2, "key_down", { code: "KeyW" })], { sequence: 8 });
    input.push([state(0.21, ["KeyW"], {})], { sequence: 9 });
    input.push([state(0.22, ["KeyW"], {})], { sequence: 6 });
    expect(drain(input, 0.2, 0.3).metadata).toEqual({ inputSequence: 9 });
  });

  test("a new epoch may start at 0 again", () => {
    const input = new PendingInput();
    input.push([at(0.1, "key_down", { code: "KeyW" })], { sequence: 50, epoch: 1 });
    expect(drain(input, 0, 0.2).metadata).toEqual({ inputSequence: 50, inputEpoch: 1 });
    input.push([at(0.2, "key_up", { code: "KeyW" })], { sequence: 0, epoch: 2 });
    expect(drain(input, 0.2, 0.3).metadata).toEqual({ inputSequence: 0, inputEpoch: 2 });
  });
});

describe("merging", () => {
  test("A4: equal consecutive and sub-pixel movements add up in one event at the time of the last", () => {
    const input = new PendingInput();
    for (let index = 0; index < 10; index += 1)
      input.push([at(index / 100, "mouse_move", { deltaX: 0.1, deltaY: -0.25 })]);
    expect(told(drain(input, 0, 1))).toEqual([[0.09, "mouse_move", { deltaX: 1, deltaY: -2.5 }]]);
    expect(input.counters.superseded).toBe(9);
  });

  test("the newest state of each pad is kept, with every button that was pressed in between", () => {
    const input = new PendingInput();
    const pad = (buttons: number[], axis: number, index = 0): object => ({
      connected: true,
      index,
      axes: [axis],
      buttons,
    });
    input.push([at(0, "gamepad_state", pad([0, 0], 0))]);
    drain(input, 0, 0.1);
    input.push([at(0.1, "gamepad_state", pad([1, 0], 0.1)), at(0.11, "gamepad_state", pad([0, 0], 0.2, 1))]);
    input.push([at(0.12, "gamepad_state", pad([0, 1], 0.3)), at(0.13, "gamepad_state", pad([0, 0], 0.4))]);
    expect(told(drain(input, 0.1, 0.2))).toEqual([
      [0.11, "gamepad_state", { ...pad([0, 0], 0.2, 1), pressed: [] }],
      [0.13, "gamepad_state", { ...pad([0, 0], 0.4), pressed: [0, 1] }],
    ]);
    // A press that comes back to the state before is still told, once.
    input.push([at(0.2, "gamepad_state", pad([1, 0], 0.4)), at(0.21, "gamepad_state", pad([0, 0], 0.4))]);
    expect(drain(input, 0.2, 0.3).events.map((event) => event.payload.pressed)).toEqual([[0]]);
    expect(drain(input, 0.3, 0.4).events).toEqual([]);
  });

  test("an action that begins and ends within a window stays visible", () => {
    const input = new PendingInput();
    input.push([at(0, "action_set", { actions: ["jump"] }), at(0.01, "action_set", { actions: [] })]);
    expect(told(drain(input, 0, 0.1))).toEqual([[0.01, "action_set", { actions: [], pressed: ["jump"] }]]);
  });

  test("the newest prompt, image, axis and state of each text event are kept", () => {
    const input = new PendingInput();
    input.push([
      at(0, "prompt_set", { prompt: "rain" }),
      at(0, "text_event", { id: "a", state: "start" }),
      at(0.01, "text_event", { id: "b", state: "start" }),
      at(0.02, "prompt_set", { prompt: "snow" }),
      at(0.02, "image_set", { image: "one" }),
      at(0.03, "image_set", { image: "two" }),
      at(0.03, "text_event", { id: "a", state: "end" }),
      at(0.04, "axis_set", { name: "steer", value: 1 }),
      at(0.05, "axis_set", { name: "steer", value: 0.5 }),
    ]);
    expect(drain(input, 0, 1).events.map(({ payload }) => payload)).toEqual([
      { id: "b", state: "start" },
      { prompt: "snow" },
      { image: "two" },
      { id: "a", state: "end" },
      { name: "steer", value: 0.5 },
    ]);
  });

  test("movements of a finger merge between its coming and going, taps stay", () => {
    const input = new PendingInput();
    const touch = (timestampSeconds: number, phase: string, x: number): ReturnType<typeof at> =>
      at(timestampSeconds, "touch", { id: 0, phase, x, y: 0 });
    input.push([touch(0, "start", 0), touch(0.1, "move", 0.1), touch(0.2, "move", 0.2), touch(0.3, "end", 0.2)]);
    input.push([touch(0.4, "start", 0.5), touch(0.5, "move", 0.6), touch(0.6, "end", 0.6)]);
    expect(drain(input, 0, 1).events.map(({ payload }) => [payload.phase, payload.x])).toEqual([
      ["start", 0],
      ["move", 0.2],
      ["end", 0.2],
      ["start", 0.5],
      ["move", 0.6],
      ["end", 0.6],
    ]);
  });

  test("nothing is merged across a reset, and movements before it are counted as cleared", () => {
    const input = new PendingInput();
    input.push([
      at(0, "mouse_move", { deltaX: 1, deltaY: 0 }),
      at(0.1, "reset", { seed: 3 }),
      at(0.2, "mouse_move", { deltaX: 2, deltaY: 0 }),
    ]);
    expect(drain(input, 0, 1).events.map(({ eventType, payload }) => [eventType, payload.deltaX])).toEqual([
      ["mouse_move", 1],
      ["reset", undefined],
      ["mouse_move", 2],
    ]);
    expect(input.counters.clearedDeltas).toBe(1);
  });

  test("events of other packages merge by their own key", () => {
    const pedal = eventDefinition<{ readonly side: number; readonly depth: number }>({
      eventType: "pedal_state",
      modality: "pedal",
      description: "A pedal.",
      fields: { side: finite(), depth: finite() },
      foldKey: ({ side }) => String(side),
    });
    const input = new PendingInput({ catalogue: eventCatalogue({ extra: [pedal] }) });
    for (const [side, depth] of [
      [0, 1],
      [1, 2],
      [0, 3],
    ])
      input.push([at(0, "pedal_state", { side, depth })]);
    expect(drain(input, 0, 1).events.map(({ payload }) => payload.depth)).toEqual([2, 3]);
    expect(input.schema.supports("pedal_state")).toBe(true);
  });
});

describe("A2: everything is released", () => {
  const held = (): PendingInput => {
    const input = new PendingInput();
    input.push([state(0, ["KeyW"], { KeyW: 1 }), at(0, "gamepad_state", { connected: true, axes: [1], buttons: [] })]);
    expect(drain(input, 0, 0.1).snapshot.heldCodes).toEqual(["KeyW"]);
    return input;
  };
  const isNeutral = (inputs: UserInputs): boolean =>
    (inputs.snapshot.heldCodes as string[]).length === 0 &&
    (inputs.snapshot.gamepads as { axes: number[] }[]).every((pad) => pad.axes.every((value) => value === 0));

  test.each(["blur", "hidden", "pointer_lock", "menu"])("on loss of focus (%s), before the next step", (reason) => {
    const input = held();
    input.push([at(0.15, "focus", { focused: false, reason })]);
    const inputs = drain(input, 0.1, 0.2);
    expect(inputs.events.map((event) => event.eventType)).toEqual(["key_up", "gamepad_state", "focus"]);
    expect(isNeutral(inputs)).toBe(true);
  });

  test("when the channel closes, with source timeout", () => {
    const input = held();
    expect(input.release(0.15)).toBe(true);
    expect(input.release(0.16)).toBe(false);
    const inputs = drain(input, 0.1, 0.2);
    expect(inputs.events.every((event) => event.source === "timeout" && event.timestampSeconds === 0.15)).toBe(true);
    expect(isNeutral(inputs)).toBe(true);
    expect(input.counters.linkReleases).toBe(1);
  });

  test("after a second without a message while something is held, once", () => {
    const input = held();
    expect(input.timeoutRelease(0.999)).toBe(false);
    expect(input.timeoutRelease(1)).toBe(true);
    expect(input.timeoutRelease(2)).toBe(false);
    const inputs = drain(input, 0.1, 1.01);
    expect(inputs.events.at(-1)?.payload).toEqual({ focused: false, reason: "no_message" });
    expect(isNeutral(inputs)).toBe(true);
  });

  test.each<[string, (input: PendingInput) => void]>([
    ["loss of focus", (input) => input.push([at(0.5, "focus", { focused: false })])],
    ["a closed channel", (input) => input.release(0.5)],
    ["a second without a message", (input) => input.timeoutRelease(1.4)],
  ])("%s makes the next step's driver command neutral, and the next message brings it back", (_name, trigger) => {
    const input = new PendingInput();
    const converters = [keyboardToDriverCommand(), gamepadToDriverCommand()];
    let states = converters.map((converter) => converter.createState() as unknown);
    let start = 0;
    const step = (end: number): unknown => {
      const window = timeWindow({ startSeconds: start, endSeconds: end });
      start = end;
      const inputs = input.drain(window);
      const conversions = converters.map((converter, index) =>
        (converter as DeviceConverter).convert(inputs, window, states[index]),
      );
      states = conversions.map((conversion) => conversion.state);
      return (conversions[1]?.value ?? conversions[0]?.value)?.throttle;
    };
    const message = (seconds: number): void =>
      input.push([
        state(seconds, ["KeyW"], { KeyW: 1 }),
        at(seconds, "gamepad_state", { connected: true, axes: [], buttons: [], throttle: 0.5 }),
      ]);
    message(0.1);
    expect(step(0.2)).toBe(0.5);
    trigger(input);
    expect(step(1.5)).toBe(0);
    message(1.6);
    expect(step(1.7)).toBe(0.5);
  });

  test("the next message restores what is held and focus, and counts no press", () => {
    const input = held();
    input.timeoutRelease(1);
    drain(input, 0.1, 1.01);
    input.push([state(1.5, ["KeyW"], { KeyW: 1 })]);
    expect(told(drain(input, 1.01, 2))).toEqual([
      [1.5, "focus", { focused: true, reason: "link" }],
      [1.5, "key_down", { code: "KeyW", presses: 0 }],
    ]);
  });

  test("a message in time puts the release off, one about conditions or control does not", () => {
    const input = held();
    input.push([state(0.9, ["KeyW"], { KeyW: 1 })]);
    expect(input.timeoutRelease(1.5)).toBe(false);
    input.push([at(1.6, "prompt_set", { prompt: "rain" }), at(1.6, "pause")]);
    expect(input.timeoutRelease(1.95)).toBe(true);
  });

  test("never while nothing is held; after a configured time; never with Infinity", () => {
    expect(new PendingInput().timeoutRelease(100)).toBe(false);
    const slow = new PendingInput({ holdTimeoutSeconds: 5 });
    const never = new PendingInput({ holdTimeoutSeconds: Infinity });
    for (const input of [slow, never]) input.push([at(0, "key_down", { code: "KeyW" })]);
    expect([slow.timeoutRelease(4.9), slow.timeoutRelease(5)]).toEqual([false, true]);
    expect(never.timeoutRelease(1e9)).toBe(false);
  });

  test("what another queue handed over is released too when no message comes", () => {
    const before = new InputTracker();
    before.resolve(eventCatalogue().read(at(0, "key_down", { code: "KeyW" })));
    const after = new PendingInput({ held: before.save() });
    expect(after.anythingHeld).toBe(true);
    expect(after.timeoutRelease(10)).toBe(false);
    expect(after.timeoutRelease(11)).toBe(true);
    expect(drain(after, 10, 12).snapshot.heldCodes).toEqual([]);
  });
});

test("a malformed event is refused and nothing of its message is taken", () => {
  const input = new PendingInput();
  expect(() =>
    input.push([at(0, "key_down", { code: "KeyW" }), at(0, "key_down", { code: 5 })], { sequence: 4 }),
  ).toThrow("code");
  expect(input.pendingCount).toBe(0);
  expect(input.anythingHeld).toBe(false);
  expect(drain(input, 0, 1).metadata).toEqual({});
});

test("wrong options are refused", () => {
  for (const holdTimeoutSeconds of [0, -1, NaN, "1" as never]) {
    expect(() => new PendingInput({ holdTimeoutSeconds })).toThrow("PendingInputOptions.holdTimeoutSeconds");
  }
  expect(() => new PendingInput({ holdTimeoutSecond: 1 } as never)).toThrow('did you mean "holdTimeoutSeconds"?');
});

test("duplicates are counted", () => {
  const input = new PendingInput();
  input.push([at(0, "key_down", { code: "KeyW" }), at(0, "key_down", { code: "KeyW" })]);
  input.push([at(0, "keys_state", { codes: ["KeyW"], pressCounts: {}, epoch: 0, sequence: 3 })]);
  input.push([at(0, "keys_state", { codes: [], pressCounts: {}, epoch: 0, sequence: 3 })]);
  expect(input.counters).toMatchObject({ received: 4, duplicates: 2, limitReleases: 0, folds: 0 });
});
