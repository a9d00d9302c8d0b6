import { describe, expect, it } from "vitest";
import { userInputs, type UserInputsInput } from "../../inputs/user-inputs.ts";
import { timeWindow } from "../../foundation/time/time-window.ts";
import type { Mapping } from "../../foundation/validate/reader.ts";
import { converterStateToJson, type DeviceConverter } from "../device-converter.ts";
import { keyboardToActions, keyboardToCameraMotion, keyboardToDriverCommand } from "./keyboard.ts";

type Edge = readonly [eventType: string, payload: Mapping];

const down = (code: string, presses?: number): Edge => [
  "key_down",
  presses === undefined ? { code } : { code, presses },
];
const up = (code: string): Edge => ["key_up", { code }];
const blur: Edge = ["focus", { focused: false }];
const mouse = (button: number, pressed: boolean): Edge => ["mouse_button", { button, pressed }];

/** Runs windows of edges through a converter; gives the value of each. */
function run<State>(converter: DeviceConverter<State>, ...windows: (readonly Edge[])[]): (Mapping | undefined)[] {
  let state = converter.createState();
  return windows.map((edges, index) => {
    const events = edges.map(([eventType, payload]) => ({ timestampSeconds: index, eventType, payload }));
    const window = timeWindow({ startSeconds: index, endSeconds: index + 1 });
    const conversion = converter.convert(userInputs({ events } satisfies UserInputsInput), window, state);
    state = conversion.state;
    converterStateToJson(converter, state);
    return conversion.value;
  });
}

const NEUTRAL = { throttle: 0, brake: 0, steer: 0, reverse: false, stop: false };

describe("keyboardToDriverCommand", () => {
  it.each([
    ["KeyW", { throttle: 1 }],
    ["ArrowUp", { throttle: 1 }],
    ["KeyS", { brake: 1 }],
    ["ArrowDown", { brake: 1 }],
    ["KeyA", { steer: 1 }],
    ["ArrowLeft", { steer: 1 }],
    ["KeyD", { steer: -1 }],
    ["ArrowRight", { steer: -1 }],
    ["Space", { stop: true }],
    ["KeyR", { reverse: true, throttle: 1 }],
    ["KeyQ", {}],
  ])("%s gives %o for as long as it is held", (code, expected) => {
    const values = run(keyboardToDriverCommand(), [], [down(code)], [], [up(code)]);
    expect(values).toEqual([NEUTRAL, { ...NEUTRAL, ...expected }, { ...NEUTRAL, ...expected }, NEUTRAL]);
  });

  it("A3: a tap between two steps is seen by exactly one step", () => {
    const values = run(keyboardToDriverCommand(), [], [down("KeyW"), up("KeyW")], [], []);
    expect(values.map((value) => value?.throttle)).toEqual([0, 1, 0, 0]);
  });

  it("A3: a key that is released and pressed again within a window stays held", () => {
    const values = run(keyboardToDriverCommand(), [down("KeyW")], [up("KeyW"), down("KeyW")], [], [up("KeyW")]);
    expect(values.map((value) => value?.throttle)).toEqual([1, 1, 1, 0]);
  });

  it("does not count held state that is restored without a press and released in the same window", () => {
    const values = run(keyboardToDriverCommand(), [down("KeyW", 0)], [up("KeyW")], [down("KeyW", 0), up("KeyW")]);
    expect(values.map((value) => value?.throttle)).toEqual([1, 0, 0]);
  });

  it("A2: loss of focus releases everything; a tap of that window is still seen once", () => {
    const values = run(
      keyboardToDriverCommand(),
      [down("KeyW"), down("KeyA")],
      [blur],
      [["focus", { focused: true }]],
      [down("Space"), blur],
      [],
    );
    expect(values.map((value) => [value?.throttle, value?.steer, value?.stop])).toEqual([
      [1, 1, false],
      [0, 0, false],
      [0, 0, false],
      [0, 0, true],
      [0, 0, false],
    ]);
  });

  it("lets opposite keys cancel each other and holds as long as one of two keys of an action is down", () => {
    const values = run(
      keyboardToDriverCommand(),
      [down("KeyA"), down("KeyD")],
      [up("KeyD"), down("ArrowLeft")],
      [up("KeyA")],
    );
    expect(values.map((value) => value?.steer)).toEqual([0, 1, 1]);
  });

  it("keeps only keys that are bound, so that its state is bounded", () => {
    const converter = keyboardToDriverCommand();
    const events = Array.from({ length: 500 }, (_, index) => ({
      timestampSeconds: 0,
      eventType: "key_down",
      payload: { code: index % 2 === 0 ? `F${index}` : "KeyW" },
    }));
    const window = timeWindow({ startSeconds: 0, endSeconds: 1 });
    expect(converter.convert(userInputs({ events }), window, converter.createState()).state).toEqual(["KeyW"]);
  });

  it("never changes a state in place and gives the same one when nothing changed", () => {
    const converter = keyboardToDriverCommand();
    const window = timeWindow({ startSeconds: 0, endSeconds: 1 });
    const inputs = userInputs({ events: [{ timestampSeconds: 0, eventType: "key_down", payload: { code: "KeyW" } }] });
    const before = converter.createState();
    const after = converter.convert(inputs, window, before).state;
    expect([before, after]).toEqual([[], ["KeyW"]]);
    expect(Object.isFrozen(after)).toBe(true);
    expect(converter.convert(userInputs(), window, after).state).toBe(after);
  });

  it("takes other bindings, keeps those that are not named and drops those that are empty", () => {
    const converter = keyboardToDriverCommand({
      bindings: { throttle: ["Numpad8"], stop: [] },
      name: "mine",
      priority: 3,
    });
    const values = run(converter, [down("KeyW"), down("Space")], [down("Numpad8"), down("KeyA")]);
    expect(values).toEqual([NEUTRAL, { ...NEUTRAL, throttle: 1, steer: 1 }]);
    expect(converter).toMatchObject({ name: "mine", priority: 3 });
    expect(converter.controls.map(({ label }) => label)).not.toContain("Stop at once");
  });

  it("refuses unknown actions and options, blank codes and bindings that are no lists", () => {
    expect(() => keyboardToDriverCommand({ bindings: { gas: ["KeyW"] } } as never)).toThrow(
      /KeyboardDriverOptions\.bindings\.gas/,
    );
    expect(() => keyboardToDriverCommand({ binding: {} } as never)).toThrow(/binding: .*"bindings"/);
    expect(() => keyboardToDriverCommand({ bindings: { throttle: [" "] } })).toThrow(/bindings\.throttle\[0\]/);
    expect(() => keyboardToDriverCommand({ bindings: { throttle: "KeyW" } } as never)).toThrow(
      /bindings\.throttle: expected a list/,
    );
    expect(() => keyboardToDriverCommand({ bindings: ["KeyW"] } as never)).toThrow(/bindings: expected a mapping/);
    expect(() => keyboardToDriverCommand(null as never)).toThrow(/KeyboardDriverOptions: expected an object/);
    expect(() => keyboardToDriverCommand({ name: "" })).toThrow(/DeviceConverter\.name/);
    expect(() => keyboardToDriverCommand({ priority: "high" } as never)).toThrow(/DeviceConverter\.priority/);
  });

  it("refuses an event without a code, a count below 0 and a focus that is neither true nor false", () => {
    expect(() => run(keyboardToDriverCommand(), [["key_down", {}]])).toThrow(
      /UserInputEvent\(key_down\)\.payload\.code/,
    );
    expect(() => run(keyboardToDriverCommand(), [down("KeyW", -1)])).toThrow(/payload\.presses/);
    expect(() => run(keyboardToDriverCommand(), [["focus", {}]])).toThrow(/UserInputEvent\(focus\)\.payload\.focused/);
  });

  it("explains its keys for a touch screen", () => {
    expect(keyboardToDriverCommand().controls[0]).toEqual({
      label: "Accelerate",
      device: "keyboard",
      bindings: ["KeyW", "ArrowUp"],
      touch: "stick",
      direction: "up",
    });
    expect(keyboardToDriverCommand().controls).toHaveLength(6);
  });
});

describe("keyboardToCameraMotion", () => {
  it.each([
    ["KeyW", "moveForward", 1],
    ["KeyS", "moveForward", -1],
    ["KeyD", "moveRight", 1],
    ["KeyA", "moveRight", -1],
    ["KeyE", "moveUp", 1],
    ["KeyQ", "moveUp", -1],
    ["ArrowLeft", "turnYaw", 1],
    ["ArrowRight", "turnYaw", -1],
    ["ArrowUp", "turnPitch", 1],
    ["KeyK", "turnPitch", -1],
    ["KeyC", "turnRoll", 1],
    ["KeyZ", "turnRoll", -1],
  ])("%s moves %s by %d", (code, axis, expected) => {
    const rest = { moveForward: 0, moveRight: 0, moveUp: 0, turnYaw: 0, turnPitch: 0, turnRoll: 0 };
    const values = run(keyboardToCameraMotion(), [down(code), up(code)], []);
    expect(values).toEqual([{ ...rest, [axis]: expected }, rest]);
  });

  it("refuses unknown actions", () => {
    expect(() => keyboardToCameraMotion({ bindings: { throttle: ["KeyW"] } } as never)).toThrow(/bindings\.throttle/);
  });
});

describe("keyboardToActions", () => {
  it("names what is held and counts presses, over all keys and buttons of an action", () => {
    const converter = keyboardToActions({ bindings: { jump: ["Space", "MouseMiddle"], fire: ["Mouse0"] } });
    const values = run(
      converter,
      [down("Space"), mouse(0, true)],
      [up("Space"), down("Space"), up("Space"), mouse(1, true), mouse(0, false)],
      [],
      [blur],
    );
    expect(values).toEqual([
      { held: ["jump", "fire"], pressed: { jump: 1, fire: 1 } },
      { held: ["jump"], pressed: { jump: 2 } },
      { held: ["jump"], pressed: {} },
      { held: [], pressed: {} },
    ]);
  });

  it("knows mouse buttons by name and by number", () => {
    const converter = keyboardToActions({ bindings: { a: ["Mouse0"], b: ["MouseForward"], c: ["Mouse7"] } });
    expect(converter.controls.map(({ bindings }) => bindings)).toEqual([["MouseLeft"], ["MouseForward"], ["Mouse7"]]);
    const [value] = run(converter, [mouse(0, true), mouse(4, true), mouse(7, true)]);
    expect(value?.held).toEqual(["a", "b", "c"]);
  });

  it("counts presses that were merged into one event, and no repetitions of a held key", () => {
    const converter = keyboardToActions({ bindings: { jump: ["Space"] } });
    const values = run(converter, [down("Space", 3)], [down("Space"), down("Space")], [down("Space", 2)]);
    expect(values.map((value) => value?.pressed)).toEqual([{ jump: 3 }, {}, { jump: 2 }]);
  });

  it("replaces the default actions by those that are given", () => {
    expect(keyboardToActions().controls.map(({ label }) => label)).toContain("Sprint");
    const controls = keyboardToActions({ bindings: { openDoor: ["KeyO"], left: ["KeyA"] } }).controls;
    expect(controls).toEqual([
      { label: "Open door", device: "keyboard", bindings: ["KeyO"], touch: "button" },
      { label: "Left", device: "keyboard", bindings: ["KeyA"], touch: "stick", direction: "left" },
    ]);
  });

  it("refuses blank names of actions", () => {
    expect(() => keyboardToActions({ bindings: { " ": ["KeyO"] } })).toThrow(/KeyboardActionOptions\.bindings/);
  });
});
