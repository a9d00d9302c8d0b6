import { describe, expect, test } from "vitest";
import { eventCatalogue, eventDefinition, EVENT_ROLES, userInputEvent, type CatalogueEventType } from "../index.ts";
import { CATALOGUE_EVENTS, isConditioningEvent, isControlEvent, payloadOf } from "./event-catalogue.ts";
import { finite, optional, text } from "../foundation/validate/reader.ts";

const catalogue = eventCatalogue();
const read = (eventType: string, payload: unknown): Readonly<Record<string, unknown>> =>
  catalogue.read({ timestampSeconds: 0, eventType, payload: payload as Record<string, unknown> }).payload;

/** For each type: a full payload, its required fields, and wrong payloads with the part of the message that names the fault. */
const CASES: Readonly<Record<CatalogueEventType, { good: object; required: string[]; bad: [object, string][] }>> = {
  key_down: {
    good: { code: "KeyW", key: "w", presses: 0 },
    required: ["code"],
    bad: [
      [{ code: "" }, "code (in key_down): expected a string that is not blank"],
      [{ code: 4 }, "code"],
      [{ code: "x".repeat(33) }, "at most 32 characters"],
      [{ code: "KeyW", key: 1 }, "key"],
      [{ code: "KeyW", presses: -1 }, "presses (in key_down): expected an integer at least 0"],
      [{ code: "KeyW", presses: 0.5 }, "presses"],
      [{ code: "KeyW", presses: true }, "presses"],
      [{ code: "KeyW", press: 1 }, 'did you mean "presses"?'],
    ],
  },
  key_up: {
    good: { code: "KeyW", key: "w" },
    required: ["code"],
    bad: [
      [{ code: null }, "code"],
      [{ code: "KeyW", presses: 1 }, "presses"],
    ],
  },
  keys_state: {
    good: { codes: ["KeyW"], pressCounts: { KeyW: 3 }, epoch: 0, sequence: 9 },
    required: ["codes", "pressCounts", "epoch"],
    bad: [
      [{ codes: "KeyW", pressCounts: {}, epoch: 0 }, "codes"],
      [{ codes: [""], pressCounts: {}, epoch: 0 }, "codes[0]"],
      [{ codes: Array.from({ length: 257 }, (_, index) => `K${index}`), pressCounts: {}, epoch: 0 }, "at most 256"],
      [{ codes: [], pressCounts: { KeyW: -1 }, epoch: 0 }, "pressCounts.KeyW"],
      [{ codes: [], pressCounts: { "": 1 }, epoch: 0 }, "pressCounts"],
      [{ codes: [], pressCounts: [], epoch: 0 }, "pressCounts"],
      [
        {
          codes: [],
          pressCounts: Object.fromEntries(Array.from({ length: 257 }, (_, index) => [`K${index}`, 1])),
          epoch: 0,
        },
        "at most 256 codes",
      ],
      [{ codes: [], pressCounts: {}, epoch: 1.5 }, "epoch"],
      [{ codes: [], pressCounts: {}, epoch: 0, sequence: -1 }, "sequence"],
    ],
  },
  mouse_move: {
    good: { deltaX: -0.25, deltaY: 3 },
    required: ["deltaX", "deltaY"],
    bad: [
      [{ deltaX: NaN, deltaY: 0 }, "deltaX"],
      [{ deltaX: 1, deltaY: Infinity }, "deltaY"],
      [{ deltaX: 1e7, deltaY: 0 }, "at most 1000000"],
      [{ deltaX: "1", deltaY: 0 }, "deltaX"],
    ],
  },
  mouse_button: {
    good: { button: 2, pressed: true, presses: 2 },
    required: ["button", "pressed"],
    bad: [
      [{ button: 16, pressed: true }, "button"],
      [{ button: 0, pressed: 1 }, "pressed"],
      [{ button: 0, pressed: false, presses: 1 }, "presses"],
    ],
  },
  mouse_wheel: {
    good: { deltaX: 1, deltaY: -120 },
    required: ["deltaY"],
    bad: [
      [{ deltaY: null }, "deltaY"],
      [{ deltaX: -1e7, deltaY: 0 }, "deltaX"],
    ],
  },
  mouse_state: {
    good: { totalX: 1, totalY: 2, wheelX: 3, wheelY: 4, buttons: [0], pressCounts: { "0": 1 }, epoch: 1, sequence: 0 },
    required: ["totalX", "totalY", "epoch"],
    bad: [
      [{ totalX: NaN, totalY: 0, epoch: 0 }, "totalX"],
      [{ totalX: 0, totalY: 1e13, epoch: 0 }, "totalY"],
      [{ totalX: 0, totalY: 0, wheelX: "1", epoch: 0 }, "wheelX"],
      [{ totalX: 0, totalY: 0, buttons: [99], epoch: 0 }, "buttons[0]"],
      [{ totalX: 0, totalY: 0, pressCounts: { left: 1 }, epoch: 0 }, "button numbers"],
      [{ totalX: 0, totalY: 0, pressCounts: { "01": 1 }, epoch: 0 }, "button numbers"],
      [{ totalX: 0, totalY: 0, pressCounts: { "0": -1 }, epoch: 0 }, "pressCounts.0"],
    ],
  },
  pointer: {
    good: { id: 0, phase: "move", x: 0, y: 1, pressure: 0.5 },
    required: ["id", "phase", "x", "y"],
    bad: [
      [{ id: -1, phase: "move", x: 0, y: 0 }, "id"],
      [{ id: 0, phase: "down", x: 0, y: 0 }, 'one of "start", "move", "end", "cancel"'],
      [{ id: 0, phase: "move", x: 1.01, y: 0 }, "x"],
      [{ id: 0, phase: "move", x: 0, y: -0.01 }, "y"],
      [{ id: 0, phase: "move", x: 0, y: 0, pressure: 2 }, "pressure"],
    ],
  },
  touch: {
    good: { id: 3, phase: "start", x: 0.5, y: 0.5 },
    required: ["id", "phase", "x", "y"],
    bad: [[{ id: 0.5, phase: "move", x: 0, y: 0 }, "id"]],
  },
  gamepad_state: {
    good: {
      connected: true,
      index: 1,
      axes: [0, -1],
      buttons: [0, 1],
      pressCounts: [0, 4],
      epoch: 0,
      sequence: 1,
      steer: -1,
      throttle: 1,
      brake: 0,
    },
    required: ["connected"],
    bad: [
      [{ connected: "yes" }, "connected"],
      [{ connected: true, index: 8 }, "index"],
      [{ connected: true, axes: [2] }, "axes[0]"],
      [{ connected: true, axes: new Array(17).fill(0) }, "at most 16"],
      [{ connected: true, buttons: [-0.1] }, "buttons[0]"],
      [{ connected: true, buttons: new Array(65).fill(0) }, "at most 64"],
      [{ connected: true, pressed: [64] }, "pressed[0]"],
      [{ connected: true, pressCounts: [1] }, "epoch"],
      [{ connected: true, sequence: 1 }, "epoch"],
      [{ connected: true, pressCounts: [1], pressed: [0], epoch: 0 }, "pressed"],
      [{ connected: true, steer: 1.5 }, "steer"],
      [{ connected: true, throttle: -1 }, "throttle"],
      [{ connected: true, brake: NaN }, "brake"],
    ],
  },
  wheel_state: {
    good: { connected: true, steer: 1, throttle: 0, brake: 1, clutch: 0.5, buttons: [1], pressed: [0] },
    required: ["connected"],
    bad: [
      [{ connected: true, steer: 0, throttle: 0, brake: 0 }, "clutch"],
      [{ connected: true, throttle: 0, brake: 0, clutch: 0 }, "steer"],
      [{ connected: true, steer: -2, throttle: 0, brake: 0, clutch: 0 }, "steer"],
      [{ connected: true, steer: 0, throttle: 0, brake: 0, clutch: 0, index: 0 }, "index"],
    ],
  },
  focus: {
    good: { focused: false, reason: "blur" },
    required: ["focused"],
    bad: [
      [{ focused: 0 }, "focused"],
      [{ focused: true, reason: "x".repeat(33) }, "reason"],
    ],
  },
  axis_set: {
    good: { name: "steer", value: -1 },
    required: ["name", "value"],
    bad: [
      [{ name: " ", value: 0 }, "name"],
      [{ name: "x".repeat(65), value: 0 }, "name"],
      [{ name: "steer", value: 1.1 }, "value"],
    ],
  },
  action_set: {
    good: { actions: ["jump"], pressed: ["jump", "fire"] },
    required: ["actions"],
    bad: [
      [{ actions: "jump" }, "actions"],
      [{ actions: [""] }, "actions[0]"],
      [{ actions: Array.from({ length: 33 }, (_, index) => `a${index}`) }, "at most 32"],
    ],
  },
  prompt_set: {
    good: { prompt: "", negativePrompt: "fog" },
    required: ["prompt"],
    bad: [
      [{ prompt: 1 }, "prompt"],
      [{ prompt: "x".repeat(4001) }, "at most 4000"],
      [{ prompt: "a", negativePrompt: null }, "negativePrompt"],
    ],
  },
  image_set: {
    good: { image: "coast" },
    required: ["image"],
    bad: [
      [{ image: "" }, "image"],
      [{ image: "x".repeat(1025) }, "at most 1024"],
      [{ image: new Uint8Array(0) }, "bytes"],
      [{ image: new Uint8Array(16 * 1024 * 1024 + 1) }, "bytes"],
      [{ image: [1] }, "image"],
      [{ image: 5 }, "image"],
    ],
  },
  text_event: {
    good: { id: "rain", state: "start" },
    required: ["id", "state"],
    bad: [
      [{ id: "rain", state: true }, "state"],
      [{ id: "", state: "start" }, "id"],
    ],
  },
  reset: {
    good: { seed: 7, count: 2 },
    required: [],
    bad: [
      [{ seed: -1 }, "seed"],
      [{ seed: 1.5 }, "seed"],
      [{ seed: "7" }, "seed"],
      [{ count: 0 }, "count"],
    ],
  },
  rewind: {
    good: { generation: 1, stepIndex: 40 },
    required: ["generation", "stepIndex"],
    bad: [
      [{ generation: -1, stepIndex: 0 }, "generation"],
      [{ generation: 0, stepIndex: 1.5 }, "stepIndex"],
      [{ generation: 0, stepIndex: 0, seed: 1 }, "seed"],
    ],
  },
  pause: { good: {}, required: [], bad: [[{ reason: "menu" }, "reason"]] },
  resume: { good: {}, required: [], bad: [[{ reason: "menu" }, "reason"]] },
  close: { good: {}, required: [], bad: [[{ reason: "menu" }, "reason"]] },
};

test("every type of the catalogue is tried here", () => {
  expect(Object.keys(CASES).sort()).toEqual([...catalogue.definitions.keys()].sort());
});

describe.each(Object.entries(CASES))("%s", (eventType, { good, required, bad }) => {
  test("takes a full payload and freezes it", () => {
    const payload = read(eventType, good);
    expect(payload).toMatchObject(good);
    expect(Object.isFrozen(payload)).toBe(true);
  });

  test("declares the fields that it refuses to lack", () => {
    expect(catalogue.definitions.get(eventType)?.requiredFields).toEqual(required);
    for (const field of required) {
      const { [field]: _left, ...rest } = good as Record<string, unknown>;
      expect(() => read(eventType, rest)).toThrow(`UserInputEvent.payload.${field}`);
    }
  });

  test.each([...bad, [{ ...good, surplus: 1 }, "surplus"], [[], "mapping"], [null, "mapping"]] as [unknown, string][])(
    "refuses %o",
    (payload, part) => {
      expect(() => read(eventType, payload)).toThrow(/^UserInputEvent\.payload/);
      expect(() => read(eventType, payload)).toThrow(part);
    },
  );
});

test("bytes and pixels of an image are carried by reference", () => {
  const bytes = new Uint8Array([1, 2]);
  const pixels = { width: 1, height: 1, data: bytes };
  expect(read("image_set", { image: bytes }).image).toBe(bytes);
  expect(read("image_set", { image: pixels }).image).toBe(pixels);
});

test("an unknown type is refused with the nearest known one", () => {
  expect(() => read("key_dwn", {})).toThrow('did you mean "key_down"?');
  expect(() => read("dance", {})).toThrow("UserInputEvent.eventType: expected one of key_down, key_up");
  for (const eventType of [undefined, 5, "", " "]) {
    expect(() => catalogue.read({ timestampSeconds: 0, eventType: eventType as string })).toThrow(
      "UserInputEvent.eventType",
    );
  }
  expect(() => catalogue.read(null as never)).toThrow("UserInputEvent");
  expect(() => catalogue.read({ timestampSeconds: -1, eventType: "pause" })).toThrow("UserInputEvent.timestampSeconds");
  expect(() => catalogue.read({ timestampSeconds: 0, eventType: "pause", extra: 1 } as never)).toThrow("extra");
});

test("fields of a newer peer are left out when asked for, wrong ones are still refused", () => {
  const event = { timestampSeconds: 0, eventType: "key_up", payload: { code: "KeyW", location: 1 } };
  expect(catalogue.read(event, { unknownFields: "drop" }).payload).toEqual({ code: "KeyW" });
  expect(() => catalogue.read({ ...event, payload: { code: 1, location: 1 } }, { unknownFields: "drop" })).toThrow(
    "code",
  );
  expect(() => catalogue.read({ ...event, payload: [] as never }, { unknownFields: "drop" })).toThrow("mapping");
});

test("defaults are filled in, and an event that was read passes again as it is", () => {
  const event = catalogue.read({ timestampSeconds: 1, eventType: "mouse_wheel", payload: { deltaY: 2 } });
  expect(event.payload).toEqual({ deltaX: 0, deltaY: 2 });
  expect(catalogue.read(event)).toBe(event);
  expect(read("mouse_state", { totalX: 0, totalY: 0, epoch: 0 })).toEqual({
    totalX: 0,
    totalY: 0,
    wheelX: 0,
    wheelY: 0,
    buttons: [],
    pressCounts: {},
    epoch: 0,
  });
});

test("control and conditioning events are told apart from those of devices", () => {
  const control = ["reset", "rewind", "pause", "resume", "close"];
  const conditioning = ["prompt_set", "image_set", "text_event"];
  for (const { eventType } of CATALOGUE_EVENTS) {
    const event = userInputEvent({ timestampSeconds: 0, eventType });
    expect([catalogue.isControl(eventType), isControlEvent(event)]).toEqual(
      new Array(2).fill(control.includes(eventType)),
    );
    expect([catalogue.isConditioning(eventType), isConditioningEvent(event)]).toEqual(
      new Array(2).fill(conditioning.includes(eventType)),
    );
  }
  expect(catalogue.isControl("dance")).toBe(false);
});

test("payloadOf refuses an event of another type", () => {
  const event = catalogue.read({ timestampSeconds: 0, eventType: "key_up", payload: { code: "KeyW" } });
  expect(payloadOf(event, "key_up").code).toBe("KeyW");
  expect(() => payloadOf(event, "key_down")).toThrow('expected "key_down"');
});

describe("schema", () => {
  test("declares every type with its modality and required fields", () => {
    const schema = catalogue.schema({ source: "browser" });
    expect(schema.eventTypes).toHaveLength(CATALOGUE_EVENTS.length);
    expect(
      schema.supports({ eventType: "keys_state", modality: "keyboard", payloadFields: ["codes", "pressCounts"] }),
    ).toBe(true);
    expect(schema.supports({ eventType: "key_down", modality: "gamepad" })).toBe(false);
    expect(schema.capabilities.every((capability) => capability.metadata.source === "browser")).toBe(true);
    expect(schema.missingSnapshot({})).toEqual(["heldCodes", "heldButtons"]);
  });

  test("a source of states offers what they are resolved into", () => {
    const schema = catalogue.schema({ only: ["keys_state", "mouse_state", "focus"] });
    expect([...schema.eventTypes].sort()).toEqual(
      ["focus", "key_down", "key_up", "keys_state", "mouse_button", "mouse_move", "mouse_state", "mouse_wheel"].sort(),
    );
    expect(() => catalogue.schema({ only: ["keys_stat"] })).toThrow('did you mean "keys_state"?');
  });
});

describe("types of other packages", () => {
  const pedal = eventDefinition<{ readonly depth: number; readonly side?: string | undefined }>({
    eventType: "pedal_state",
    modality: "pedal",
    description: "A pedal of an organ.",
    fields: { depth: finite({ min: 0, max: 1 }), side: optional(text()) },
    foldKey: ({ side = "left" }) => side,
  });

  test("are read, declared and folded by their own key", () => {
    const extended = eventCatalogue({ extra: [pedal] });
    const event = extended.read({ timestampSeconds: 0, eventType: "pedal_state", payload: { depth: 0.5 } });
    expect(event.payload).toEqual({ depth: 0.5 });
    expect(extended.schema().supports({ eventType: "pedal_state", payloadFields: ["depth"] })).toBe(true);
    expect(extended.definitions.get("pedal_state")?.foldKey({ side: "right" })).toBe("right");
    expect(() => extended.readPayload("pedal_state", { depth: 2 }, "here")).toThrow("here.depth");
    expect(catalogue.definitions.has("pedal_state")).toBe(false);
  });

  test("must not stand twice, nor resolve into unknown types, nor have odd names", () => {
    expect(() => eventCatalogue({ extra: [pedal, pedal] })).toThrow("pedal_state");
    const keyDown = eventDefinition({ eventType: "key_down", modality: "keyboard", description: "Mine.", fields: {} });
    expect(() => eventCatalogue({ extra: [keyDown] })).toThrow("key_down");
    const odd = eventDefinition({ ...base, eventType: "odd", resolvesInto: ["nothing_known"] });
    expect(() => eventCatalogue({ extra: [odd] })).toThrow("nothing_known");
    expect(() => eventDefinition({ ...base, eventType: "Key Down" })).toThrow("lower case words");
    expect(() => eventDefinition({ ...base, role: "boss" as never })).toThrow("EventDefinition.role");
    expect(() => eventDefinition(wrongFields as typeof base)).toThrow("EventDefinition.fields.a");
    expect(() => eventCatalogue({ extras: [] } as never)).toThrow('did you mean "extra"?');
  });

  const wrongFields: unknown = { eventType: "odd", modality: "odd", description: "Odd.", fields: { a: 1 } };
  const base = { eventType: "odd", modality: "odd", description: "Odd.", fields: {}, role: EVENT_ROLES.device };
});
