import { describe, expect, it } from "vitest";
import { userInputs } from "../../inputs/user-inputs.ts";
import { timeWindow } from "../../foundation/time/time-window.ts";
import type { Mapping } from "../../foundation/validate/reader.ts";
import { converterStateToJson, type DeviceConverter } from "../device-converter.ts";
import { gamepadToActions, gamepadToCameraMotion, gamepadToDriverCommand, gamepadToLookDelta } from "./gamepad.ts";

type Edge = readonly [eventType: string, payload: Mapping];

const blur: Edge = ["focus", { focused: false }];
const gone: Edge = ["gamepad_state", { connected: false }];

/** A pad with some axes and buttons off zero. */
function pad(values: { axes?: Record<number, number>; buttons?: Record<number, number> } & Mapping = {}): Edge {
  const { axes = {}, buttons = {}, ...others } = values;
  const list = (length: number, set: Record<number, number>): number[] =>
    Array.from({ length }, (_, index) => set[index] ?? 0);
  return ["gamepad_state", { connected: true, axes: list(4, axes), buttons: list(17, buttons), ...others }];
}

function run<State>(converter: DeviceConverter<State>, ...windows: (readonly Edge[])[]): (Mapping | undefined)[] {
  let state = converter.createState();
  return windows.map((edges, index) => {
    const events = edges.map(([eventType, payload]) => ({ timestampSeconds: index / 10, eventType, payload }));
    const window = timeWindow({ startSeconds: index / 10, endSeconds: (index + 1) / 10 });
    const conversion = converter.convert(userInputs({ events }), window, state);
    state = conversion.state;
    expect(JSON.parse(JSON.stringify(converterStateToJson(converter as DeviceConverter, state)))).toEqual(state);
    return conversion.value;
  });
}

const NEUTRAL = { throttle: 0, brake: 0, steer: 0, reverse: false, stop: false };

describe("gamepadToDriverCommand", () => {
  it.each<[Parameters<typeof pad>[0], object]>([
    [{ axes: { 0: -1 } }, { steer: 1 }],
    [{ axes: { 0: 1 } }, { steer: -1 }],
    [{ axes: { 0: -0.051 } }, { steer: 0.051 }],
    [{ buttons: { 7: 1 } }, { throttle: 1 }],
    [{ buttons: { 7: 0.3 } }, { throttle: 0.3 }],
    [{ buttons: { 6: 0.06 } }, { brake: 0.06 }],
    [{ buttons: { 1: 1 } }, { stop: true }],
    [{ buttons: { 2: 0.5 } }, { reverse: true }],
    [{ buttons: { 14: 1 } }, { steer: 1 }],
    [{ buttons: { 15: 1 } }, { steer: -1 }],
    [{ steer: 0.5, axes: { 0: 1 } }, { steer: 0.5 }],
    [
      { throttle: 1, brake: 0.25, buttons: { 6: 1 } },
      { throttle: 1, brake: 0.25 },
    ],
  ])("%o gives %o for as long as it lasts", (values, expected) => {
    expect(run(gamepadToDriverCommand(), [pad(values)], [])).toEqual([
      { ...NEUTRAL, ...expected },
      { ...NEUTRAL, ...expected },
    ]);
  });

  it.each<Parameters<typeof pad>[0]>([
    { axes: { 0: 0.05 } },
    { axes: { 0: -0.05, 1: 1, 2: 1 } },
    { buttons: { 7: 0.05, 6: 0.05 } },
    { steer: 0.05, throttle: 0.05, brake: 0.05 },
    { buttons: { 2: 0.49 } },
    {},
  ])("is idle inside the dead zone of 0.05: %o", (values) => {
    expect(run(gamepadToDriverCommand(), [pad(values)])).toEqual([undefined]);
  });

  it("is idle without a pad, after it is disconnected and after a loss of focus, also in the same window", () => {
    const full = pad({ buttons: { 7: 1 } });
    expect(run(gamepadToDriverCommand(), [], [full], [gone], [])).toEqual([
      undefined,
      { ...NEUTRAL, throttle: 1 },
      undefined,
      undefined,
    ]);
    expect(run(gamepadToDriverCommand(), [full, gone])).toEqual([undefined]);
    expect(run(gamepadToDriverCommand(), [full], [blur], [full]).map((value) => value?.throttle)).toEqual([
      1,
      undefined,
      1,
    ]);
  });

  it("lets the latest state count", () => {
    const steer = (value: number): Edge => pad({ axes: { 0: -value } });
    expect(run(gamepadToDriverCommand(), [steer(1), steer(0.2), steer(0.4)]).map((value) => value?.steer)).toEqual([
      0.4,
    ]);
    expect(run(gamepadToDriverCommand(), [steer(1), steer(0)])).toEqual([undefined]);
  });

  it("A3: a tap of a button or trigger between two steps is seen by exactly one step", () => {
    const tapped = run(gamepadToDriverCommand(), [pad()], [pad({ buttons: { 1: 1, 7: 0.8 } }), pad()], [pad()], []);
    expect(tapped).toEqual([undefined, { ...NEUTRAL, stop: true, throttle: 0.8 }, undefined, undefined]);
    const merged = run(gamepadToDriverCommand(), [pad()], [pad({ pressed: [1, 7] })], []);
    expect(merged).toEqual([undefined, { ...NEUTRAL, stop: true, throttle: 1 }, undefined]);
  });

  it("takes the first pad that is not idle", () => {
    const one = pad({ index: 1, buttons: { 7: 0.5 } });
    const values = run(gamepadToDriverCommand(), [pad(), one], [pad({ buttons: { 6: 1 } })], [gone]);
    expect(values.map((value) => [value?.throttle, value?.brake])).toEqual([
      [0.5, 0],
      [0, 1],
      [0.5, 0],
    ]);
  });

  it("takes another dead zone and other bindings", () => {
    const converter = gamepadToDriverCommand({ deadZone: 0.5, bindings: { left: ["Axis2-"], throttle: ["Button0"] } });
    expect(run(converter, [pad({ axes: { 2: -0.5 } })], [pad({ axes: { 2: -0.6 }, buttons: { 0: 1 } })])).toEqual([
      undefined,
      { ...NEUTRAL, steer: 0.6, throttle: 1 },
    ]);
    expect(run(gamepadToDriverCommand({ deadZone: 0 }), [pad({ axes: { 0: -0.01 } })])[0]).toMatchObject({
      steer: 0.01,
    });
  });

  it("refuses unknown actions, codes that no pad has and dead zones outside of 0 to 0.9", () => {
    expect(() => gamepadToDriverCommand({ bindings: { gas: [] } } as never)).toThrow(
      /GamepadDriverOptions\.bindings\.gas/,
    );
    for (const code of ["KeyW", "Axis0", "Button", "Button007", "Axis-", "Axis0*"]) {
      expect(() => gamepadToDriverCommand({ bindings: { left: [code] } })).toThrow(/bindings\.left\[0\]: .*Button7/);
    }
    for (const deadZone of [-0.1, 0.91, Number.NaN, "0.1"]) {
      expect(() => gamepadToDriverCommand({ deadZone } as never)).toThrow(/GamepadDriverOptions\.deadZone/);
    }
    expect(() => gamepadToDriverCommand(null as never)).toThrow(/GamepadDriverOptions: expected an object/);
  });

  it.each([
    [{ connected: "yes" }, "connected"],
    [{ connected: true, axes: [2] }, "axes"],
    [{ connected: true, axes: 1 }, "axes"],
    [{ connected: true, buttons: [-0.1] }, "buttons"],
    [{ connected: true, buttons: [Number.NaN] }, "buttons"],
    [{ connected: true, steer: -1.1 }, "steer"],
    [{ connected: true, throttle: -0.1 }, "throttle"],
    [{ connected: true, brake: true }, "brake"],
    [{ connected: true, index: 0.5 }, "index"],
    [{ connected: true, pressed: ["1"] }, "pressed"],
  ])("refuses the payload %o", (payload, field) => {
    expect(() => run(gamepadToDriverCommand(), [["gamepad_state", payload]])).toThrow(`payload.${field}`);
  });
});

describe("gamepadToCameraMotion", () => {
  it.each([
    [{ axes: { 1: -0.7 } }, "moveForward", 0.7],
    [{ axes: { 1: 1 } }, "moveForward", -1],
    [{ axes: { 0: 1 } }, "moveRight", 1],
    [{ axes: { 2: 1 } }, "turnYaw", -1],
    [{ axes: { 3: -1 } }, "turnPitch", 1],
    [{ buttons: { 7: 0.4 } }, "moveUp", 0.4],
    [{ buttons: { 6: 1 } }, "moveUp", -1],
    [{ buttons: { 5: 1 } }, "turnRoll", 1],
    [{ buttons: { 4: 1 } }, "turnRoll", -1],
  ])("%o moves %s by %d", (values, axis, expected) => {
    const rest = { moveForward: 0, moveRight: 0, moveUp: 0, turnYaw: 0, turnPitch: 0, turnRoll: 0 };
    expect(run(gamepadToCameraMotion(), [pad(values)], [pad()])).toEqual([{ ...rest, [axis]: expected }, undefined]);
  });
});

describe("gamepadToLookDelta", () => {
  it("looks around at a speed, by the length of the window", () => {
    const values = run(gamepadToLookDelta({ perSecond: 1000 }), [pad({ axes: { 2: 1, 3: -0.5 } })], [], [pad()]);
    expect(values[0]).toEqual({ deltaX: 100, deltaY: -50, wheel: 0 });
    expect(values[1]?.deltaX).toBeCloseTo(100);
    expect(values[2]).toBeUndefined();
  });

  it("counts at most a quarter of a second of a long window, and nothing in an empty one", () => {
    const converter = gamepadToLookDelta({ perSecond: 1000 });
    const events = [{ timestampSeconds: 0, eventType: "gamepad_state", payload: pad({ axes: { 2: -1 } })[1] }];
    const convert = (endSeconds: number): unknown =>
      converter.convert(userInputs({ events }), timeWindow({ startSeconds: 0, endSeconds }), converter.createState())
        .value;
    expect(convert(9)).toEqual({ deltaX: -250, deltaY: 0, wheel: 0 });
    expect(convert(0)).toBeUndefined();
  });

  it("refuses a speed that is not above 0", () => {
    expect(() => gamepadToLookDelta({ perSecond: 0 })).toThrow(/GamepadLookOptions\.perSecond/);
    expect(() => gamepadToLookDelta({ speed: 1 } as never)).toThrow(/GamepadLookOptions\.speed/);
  });
});

describe("gamepadToActions", () => {
  it("names what is on from half way and counts presses of buttons", () => {
    const values = run(
      gamepadToActions(),
      [pad({ axes: { 1: -0.6 }, buttons: { 0: 1 } })],
      [pad({ axes: { 1: -0.4 }, buttons: { 0: 1 } })],
      [pad(), pad({ buttons: { 0: 1 } }), pad()],
      [pad()],
    );
    expect(values).toEqual([
      { held: ["forward", "jump"], pressed: { jump: 1 } },
      { held: ["jump"], pressed: {} },
      { held: ["jump"], pressed: { jump: 1 } },
      undefined,
    ]);
  });

  it("takes other actions", () => {
    const converter = gamepadToActions({ bindings: { honk: ["Button3"] } });
    expect(run(converter, [pad({ buttons: { 0: 1, 3: 1 } })])).toEqual([{ held: ["honk"], pressed: { honk: 1 } }]);
    expect(() => gamepadToActions({ bindings: { honk: ["KeyH"] } })).toThrow(/bindings\.honk\[0\]/);
  });
});
