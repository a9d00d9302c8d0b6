import { describe, expect, it } from "vitest";
import { userInputs } from "../../inputs/user-inputs.ts";
import { timeWindow } from "../../foundation/time/time-window.ts";
import type { Mapping } from "../../foundation/validate/reader.ts";
import { converterStateToJson, type DeviceConverter } from "../device-converter.ts";
import { actionSetToActions } from "./action-set.ts";
import { axesToCameraMotion, axesToDriverCommand } from "./axes.ts";
import { conditioningConverter } from "./conditioning.ts";
import { mouseToLookDelta } from "./mouse.ts";
import { steeringWheelToDriverCommand } from "./steering-wheel.ts";

type Edge = readonly [eventType: string, payload: Mapping];

const blur: Edge = ["focus", { focused: false }];

function run<State>(converter: DeviceConverter<State>, ...windows: (readonly Edge[])[]): (Mapping | undefined)[] {
  let state = converter.createState();
  return windows.map((edges, index) => {
    const events = edges.map(([eventType, payload]) => ({ timestampSeconds: index, eventType, payload }));
    const window = timeWindow({ startSeconds: index, endSeconds: index + 1 });
    const conversion = converter.convert(userInputs({ events }), window, state);
    state = conversion.state;
    converterStateToJson(converter, state);
    return conversion.value;
  });
}

const NEUTRAL = { throttle: 0, brake: 0, steer: 0, reverse: false, stop: false };

describe("steeringWheelToDriverCommand", () => {
  const wheel = (values: Mapping): Edge => [
    "wheel_state",
    { connected: true, steer: 0, throttle: 0, brake: 0, clutch: 0, ...values },
  ];

  it.each([
    [{ steer: 1 }, { steer: 1 }],
    [
      { steer: -1, brake: 1 },
      { steer: -1, brake: 1 },
    ],
    [
      { throttle: 1, steer: 0.03 },
      { throttle: 1, steer: 0.03 },
    ],
    [{ buttons: [0, 0, 0, 0, 1] }, { reverse: true }],
    [{ buttons: [0, 0, 0, 0, 0, 1] }, { stop: true }],
  ])("%o gives %o, unchanged also near the middle", (values, expected) => {
    expect(run(steeringWheelToDriverCommand(), [wheel(values)], [])).toEqual([
      { ...NEUTRAL, ...expected },
      { ...NEUTRAL, ...expected },
    ]);
  });

  it("is idle at rest, disconnected and after a loss of focus", () => {
    const turned = wheel({ steer: 0.5 });
    const idle = wheel({ steer: 0.05, clutch: 1 });
    const gone: Edge = ["wheel_state", { connected: false }];
    const values = run(steeringWheelToDriverCommand(), [], [idle], [turned], [gone], [turned], [blur], [turned, gone]);
    expect(values.map((value) => value?.steer)).toEqual([
      undefined,
      undefined,
      0.5,
      undefined,
      0.5,
      undefined,
      undefined,
    ]);
  });

  it("A3: a tap of a paddle between two steps is seen by exactly one step", () => {
    const tapped = wheel({ buttons: [0, 0, 0, 0, 0, 0], pressed: [5] });
    expect(run(steeringWheelToDriverCommand(), [tapped], []).map((value) => value?.stop)).toEqual([true, undefined]);
  });

  it("refuses actions that a wheel does not bind, and values out of range", () => {
    expect(() => steeringWheelToDriverCommand({ bindings: { left: [] } } as never)).toThrow(
      /SteeringWheelOptions\.bindings\.left/,
    );
    expect(() => run(steeringWheelToDriverCommand(), [wheel({ steer: 1.01 })])).toThrow(/payload\.steer/);
  });
});

describe("mouseToLookDelta", () => {
  const move = (deltaX: number, deltaY: number): Edge => ["mouse_move", { deltaX, deltaY }];

  it("A4: sums the movements of a window, equal consecutive and sub-pixel ones included, for one step", () => {
    const values = run(mouseToLookDelta(), [move(3, -1), move(3, -1), move(0.25, 0)], [], [move(-1, 2)]);
    expect(values).toEqual([{ deltaX: 6.25, deltaY: -2, wheel: 0 }, undefined, { deltaX: -1, deltaY: 2, wheel: 0 }]);
  });

  it("A4: gives the exact sum, rounded once, however many movements there are", () => {
    const edges = [...Array.from({ length: 1000 }, () => move(0.1, 1e15)), move(0.1, -1e18)];
    // 0.1 is 3602879701896397 / 2^55 in binary.
    const exact = Number(1001n * 3602879701896397n) / 2 ** 55;
    expect(run(mouseToLookDelta(), edges)).toEqual([{ deltaX: exact, deltaY: 0, wheel: 0 }]);
    expect(edges.reduce((sum, [, { deltaX }]) => sum + (deltaX as number), 0)).not.toBe(exact);
  });

  it("sums the wheel apart, is not idle when movements cancel out, and ignores buttons", () => {
    const wheel = (deltaY: number): Edge => ["mouse_wheel", { deltaX: 0, deltaY }];
    const values = run(mouseToLookDelta(), [wheel(120), wheel(-20)], [move(2, 0), move(-2, 0)], [["mouse_button", {}]]);
    expect(values).toEqual([{ deltaX: 0, deltaY: 0, wheel: 100 }, { deltaX: 0, deltaY: 0, wheel: 0 }, undefined]);
  });

  it("keeps movements of a window in which the focus is lost", () => {
    expect(run(mouseToLookDelta(), [move(5, 5), blur])).toEqual([{ deltaX: 5, deltaY: 5, wheel: 0 }]);
  });

  it("refuses movements that are no finite numbers, sums that overflow and unknown options", () => {
    expect(() => run(mouseToLookDelta(), [move(Number.NaN, 0)])).toThrow(
      /UserInputEvent\(mouse_move\)\.payload\.deltaX/,
    );
    expect(() => run(mouseToLookDelta(), [["mouse_wheel", {}]])).toThrow(
      /UserInputEvent\(mouse_wheel\)\.payload\.deltaY/,
    );
    expect(() => run(mouseToLookDelta(), [move(1e308, 0), move(1e308, 0)])).toThrow(/look_delta\.deltaX/);
    expect(() => mouseToLookDelta({ speed: 1 } as never)).toThrow(/MouseLookOptions\.speed/);
    expect(() => mouseToLookDelta(null as never)).toThrow(/MouseLookOptions/);
  });
});

describe("named axes", () => {
  const axis = (name: string, value: number): Edge => ["axis_set", { name, value }];

  it("drives by axes that are held until the next value; the latest of a window counts", () => {
    const values = run(
      axesToDriverCommand(),
      [axis("steer", 1), axis("steer", -0.25), axis("other", 1)],
      [axis("throttle", 1), axis("reverse", 0.5)],
      [axis("throttle", -1), axis("reverse", 0.49), axis("stop", 1)],
      [axis("stop", 0), axis("brake", 0.5)],
    );
    expect(values).toEqual([
      { ...NEUTRAL, steer: -0.25 },
      { ...NEUTRAL, steer: -0.25, throttle: 1, reverse: true },
      { ...NEUTRAL, steer: -0.25, stop: true },
      { ...NEUTRAL, steer: -0.25, brake: 0.5 },
    ]);
  });

  it("is idle with all axes at 0 and after a loss of focus", () => {
    const values = run(
      axesToDriverCommand(),
      [],
      [axis("steer", 1)],
      [axis("steer", 0)],
      [axis("brake", 1)],
      [blur],
      [],
    );
    expect(values.map((value) => value !== undefined)).toEqual([false, true, false, true, false, false]);
  });

  it.each(["moveForward", "moveRight", "moveUp", "turnYaw", "turnPitch", "turnRoll"])(
    "moves a camera by %s",
    (name) => {
      const [at, off] = run(axesToCameraMotion(), [axis(name, -1)], [axis(name, 0)]);
      expect(at?.[name]).toBe(-1);
      expect(Object.values(at ?? {}).filter((value) => value !== 0)).toHaveLength(1);
      expect(off).toBeUndefined();
    },
  );

  it("refuses values outside of -1 to 1 and unknown options", () => {
    for (const value of [1.01, -1.01, Number.NaN, "1"]) {
      expect(() => run(axesToDriverCommand(), [["axis_set", { name: "steer", value }]])).toThrow(/payload\.value/);
    }
    expect(() => axesToCameraMotion({ axes: [] } as never)).toThrow(/AxesOptions\.axes/);
  });
});

describe("actionSetToActions", () => {
  const set = (...actions: string[]): Edge => ["action_set", { actions }];

  it("names what is held and counts what began", () => {
    const values = run(actionSetToActions(), [set("jump", "jump")], [], [set("jump", "run")], [set()], []);
    expect(values).toEqual([
      { held: ["jump"], pressed: { jump: 1 } },
      { held: ["jump"], pressed: {} },
      { held: ["jump", "run"], pressed: { run: 1 } },
      undefined,
      undefined,
    ]);
  });

  it("A3: an action that began and ended between two steps is seen by exactly one step", () => {
    expect(run(actionSetToActions(), [set("jump"), set(), set("jump"), set()], [])).toEqual([
      { held: ["jump"], pressed: { jump: 2 } },
      undefined,
    ]);
    const merged: Edge = ["action_set", { actions: [], pressed: ["jump"] }];
    expect(run(actionSetToActions(), [merged], [])).toEqual([{ held: ["jump"], pressed: { jump: 1 } }, undefined]);
  });

  it("releases everything when the focus is lost", () => {
    expect(run(actionSetToActions(), [set("jump")], [blur])).toEqual([
      { held: ["jump"], pressed: { jump: 1 } },
      undefined,
    ]);
  });

  it("refuses what is no list of names, and unknown options", () => {
    expect(() => run(actionSetToActions(), [["action_set", { actions: "jump" }]])).toThrow(/payload\.actions/);
    expect(() => run(actionSetToActions(), [["action_set", { actions: [""] }]])).toThrow(/payload\.actions\[0\]/);
    expect(() => actionSetToActions({ bindings: {} } as never)).toThrow(/ActionSetOptions\.bindings/);
  });
});

describe("conditioningConverter", () => {
  it("is there in the window in which something arrived, the newest prompt and image counting", () => {
    const image = new Uint8Array([1, 2]);
    const values = run(
      conditioningConverter(),
      [],
      [
        ["prompt_set", { prompt: "rain", negativePrompt: "people" }],
        ["image_set", { image: "old" }],
        ["prompt_set", { prompt: "" }],
        ["image_set", { image }],
      ],
      [],
    );
    expect(values).toEqual([undefined, { prompt: "", negativePrompt: "people", image }, undefined]);
    expect(values[1]?.image).toBe(image);
  });

  it("keeps all text events of a window in order", () => {
    const one = { id: "door", state: "open" };
    const other = { id: "bell", state: "rings" };
    expect(
      run(conditioningConverter(), [
        ["text_event", one],
        ["text_event", other],
      ]),
    ).toEqual([{ textEvent: other, textEvents: [one, other] }]);
  });

  it("refuses a prompt that is no string, an image that is absent and a text event without id", () => {
    expect(() => run(conditioningConverter(), [["prompt_set", { prompt: 3 }]])).toThrow(/payload\.prompt/);
    expect(() => run(conditioningConverter(), [["prompt_set", { prompt: "", negativePrompt: 3 }]])).toThrow(
      /negativePrompt/,
    );
    expect(() => run(conditioningConverter(), [["image_set", {}]])).toThrow(
      /UserInputEvent\(image_set\)\.payload\.image/,
    );
    expect(() => run(conditioningConverter(), [["text_event", { state: "on" }]])).toThrow(/payload\.id/);
  });
});
