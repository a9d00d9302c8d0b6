import { describe, expect, test } from "vitest";
import {
  eventCatalogue,
  eventListSource,
  isDreamloopError,
  timeWindow,
  userInputSchema,
  type UserInputs,
} from "../index.ts";

const at = (timestampSeconds: number, eventType: string, payload: Record<string, unknown> = {}) => ({
  timestampSeconds,
  eventType,
  payload,
});
const window = (startSeconds: number, endSeconds: number): ReturnType<typeof timeWindow> =>
  timeWindow({ startSeconds, endSeconds });
const told = (inputs: UserInputs): unknown[] => inputs.events.map((event) => [event.timestampSeconds, event.eventType]);

const TAP = [at(0.5, "key_down", { code: "KeyW" }), at(1, "key_up", { code: "KeyW" })];

describe("reading", () => {
  test("each event stands in the window that contains it, with the held state at the window's end", () => {
    const source = eventListSource({ events: TAP });
    expect(source.read(window(0, 0.5))).toMatchObject({ events: [], snapshot: { heldCodes: [] }, metadata: {} });
    const second = source.read(window(0.5, 1));
    expect(told(second)).toEqual([[0.5, "key_down"]]);
    expect(second.snapshot).toEqual({ heldCodes: ["KeyW"], heldButtons: [] });
    expect(told(source.read(window(1, 1.5)))).toEqual([[1, "key_up"]]);
    expect(source.read(window(1.5, 2)).events).toEqual([]);
  });

  test("a window that starts later gets older events at its start, their own times in metadata", () => {
    const source = eventListSource({ events: TAP });
    const inputs = source.read(window(0.75, 2));
    expect(told(inputs)).toEqual([
      [0.75, "key_down"],
      [1, "key_up"],
    ]);
    expect(inputs.metadata.originalTimes).toEqual([{ eventIndex: 0, timestampSeconds: 0.5 }]);
  });

  test("inputSequence counts the events that were read, or is the number that states carry", () => {
    const counting = eventListSource({ events: TAP });
    expect(counting.read(window(0, 0.4)).metadata.inputSequence).toBeUndefined();
    expect(counting.read(window(0.4, 0.6)).metadata.inputSequence).toBe(1);
    expect(counting.read(window(0.6, 2)).metadata.inputSequence).toBe(2);
    const numbered = eventListSource({
      events: [
        at(0, "keys_state", { codes: ["KeyW"], pressCounts: { KeyW: 1 }, epoch: 0, sequence: 40 }),
        at(0.1, "mouse_move", { deltaX: 1, deltaY: 0 }),
      ],
    });
    expect(numbered.read(window(0, 1)).metadata.inputSequence).toBe(40);
  });

  test("states are resolved and repetitions left out, but nothing is merged", () => {
    const source = eventListSource({
      events: [
        at(0, "keys_state", { codes: ["KeyW"], pressCounts: { KeyW: 1, KeyA: 1 }, epoch: 0 }),
        at(0, "key_down", { code: "KeyW" }),
        at(0.1, "mouse_move", { deltaX: 1, deltaY: 0 }),
        at(0.2, "mouse_move", { deltaX: 1, deltaY: 0 }),
        at(0.3, "reset", { seed: 1 }),
      ],
    });
    expect(source.read(window(0, 1)).events.map((event) => event.eventType)).toEqual([
      "key_down",
      "key_up",
      "key_down",
      "mouse_move",
      "mouse_move",
      "reset",
    ]);
  });

  test("windows that go back are refused", () => {
    const source = eventListSource({ events: TAP });
    source.read(window(0, 1));
    expect(() => source.read(window(0.5, 1))).toThrow("windows go in order");
    try {
      source.read(window(0, 1));
    } catch (error) {
      expect(isDreamloopError(error, "invalid_state")).toBe(true);
    }
  });
});

describe("the end", () => {
  test("is just after the last event unless given, and 0 without events", () => {
    const { endSeconds } = eventListSource({ events: TAP });
    expect(endSeconds).toBeGreaterThan(1);
    expect(endSeconds).toBeLessThan(1 + 1e-12);
    expect(eventListSource({ events: [at(0, "pause")] }).endSeconds).toBeGreaterThan(0);
    expect(eventListSource({ events: [] }).endSeconds).toBe(0);
    expect(eventListSource({ events: TAP, endSeconds: 12 }).endSeconds).toBe(12);
  });

  test("must be after the last event", () => {
    expect(() => eventListSource({ events: TAP, endSeconds: 1 })).toThrow(
      "EventListOptions.endSeconds: expected above the time of the last event (1)",
    );
    expect(() => eventListSource({ events: TAP, endSeconds: NaN })).toThrow("EventListOptions.endSeconds");
  });
});

describe("faults", () => {
  test.each<[string, unknown, string]>([
    ["unsorted events", [...TAP].reverse(), "EventListOptions.events[1].timestampSeconds: expected at least 1"],
    ["a wrong payload", [at(0, "key_down", { code: 1 })], "UserInputEvent.payload.code"],
    ["an unknown type", [at(0, "key_dwn")], 'did you mean "key_down"?'],
    ["no list", "events", "EventListOptions.events: expected a list"],
    ["no event", [5], "UserInputEvent"],
  ])("%s are refused", (_name, events, message) => {
    expect(() => eventListSource({ events: events as never })).toThrow(message);
  });

  test("events that the schema does not declare are refused, and a schema is what the source declares", () => {
    const schema = userInputSchema({ eventTypes: ["key_down"] });
    expect(() => eventListSource({ events: TAP, schema })).toThrow("UserInputEvent.eventType");
    expect(eventListSource({ events: TAP.slice(0, 1), schema }).schema).toBe(schema);
    expect(eventListSource({ events: TAP }).schema.supports("gamepad_state")).toBe(true);
  });

  test("unknown options are refused", () => {
    expect(() => eventListSource({ event: TAP } as never)).toThrow('did you mean "events"?');
  });

  test("a catalogue decides which types there are", () => {
    expect(() => eventListSource({ events: TAP, catalogue: eventCatalogue() })).not.toThrow();
  });
});
