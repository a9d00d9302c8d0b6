import { describe, expect, it } from "vitest";
import { defaultCanonicalizer } from "../adapter/default-canonicalizer.ts";
import type { UserInputEventInput } from "../inputs/user-input-event.ts";
import { userInputSchema } from "../inputs/user-input-schema.ts";
import { InputCanonicalizer, type CanonicalizerState } from "./input-canonicalizer.ts";
import { gamepadToDriverCommand } from "./converters/gamepad.ts";
import { keyboardToDriverCommand } from "./converters/keyboard.ts";
import { DRIVER_COMMAND, type Actions, type DriverCommand } from "./modalities.ts";
import { modality } from "./modality.ts";
import { scriptedModality } from "./scripted-modality.ts";

const SOURCE = userInputSchema({
  eventTypes: ["key_down", "key_up", "gamepad_state", "wheel_state", "axis_set", "action_set", "focus"],
});

function key(seconds: number, code: string, isDown = true): UserInputEventInput {
  return { timestampSeconds: seconds, eventType: isDown ? "key_down" : "key_up", payload: { code } };
}

function pad(
  seconds: number,
  axes: readonly number[],
  buttons: Readonly<Record<number, number>> = {},
): UserInputEventInput {
  const values = Array.from({ length: 17 }, (_, index) => buttons[index] ?? 0);
  return { timestampSeconds: seconds, eventType: "gamepad_state", payload: { connected: true, axes, buttons: values } };
}

/** Plays windows of a second each; gives what the last one says. */
function play(
  events: readonly UserInputEventInput[],
  seconds: number,
  canonicalizer: InputCanonicalizer = defaultCanonicalizer(),
): {
  readonly drive: DriverCommand;
  readonly actions: Actions;
  readonly sources: unknown;
  readonly state: CanonicalizerState;
} {
  let state = canonicalizer.createState();
  for (let second = 0; ; second += 1) {
    const window = { startSeconds: second, endSeconds: second + 1 };
    const result = canonicalizer.canonicalize({ events }, window, SOURCE, state);
    state = result.state;
    if (second + 1 < seconds) continue;
    const { values, metadata } = result.canonical;
    return {
      drive: values.driver_command as unknown as DriverCommand,
      actions: values.actions as unknown as Actions,
      sources: (metadata.canonicalSources as Record<string, string>).driver_command,
      state,
    };
  }
}

describe("T9: the last real use wins, for each axis by itself", () => {
  it.each([0.07, 0.15, 0.24])("T9: a stick that rests at %s does not silence the keyboard", (drift) => {
    const { drive, sources } = play([pad(0, [drift]), key(1, "KeyW"), key(1, "KeyA")], 3);
    expect(drive).toMatchObject({ throttle: 1, steer: 1 });
    expect(sources).toBe("keyboard_driver_command");
  });

  it("T9: nor does it when the keys were held before the pad came, or when it springs back to its worn rest", () => {
    expect(play([key(0, "KeyA"), pad(1, [0.15])], 3).drive.steer).toBe(1);
    const sprung = play([key(0, "KeyA"), pad(1, [0.9]), pad(2, [0.15])], 4);
    expect(sprung.drive.steer).toBe(1);
  });

  it("T9: a stuck stick has been used once, and the next key wins", () => {
    const stuck = pad(0, [-1]);
    expect(play([stuck], 1).drive.steer).toBe(1);
    expect(play([stuck, key(1, "KeyD"), { ...stuck, timestampSeconds: 2 }], 4).drive.steer).toBe(-1);
  });

  it("T9: steering with a stick and accelerating with a key go together", () => {
    const { drive, sources } = play([pad(0, [-0.8]), key(1, "KeyW")], 3);
    expect(drive).toEqual({ throttle: 1, brake: 0, steer: 0.8, reverse: false, stop: false });
    expect(sources).toBe("gamepad_driver_command+keyboard_driver_command");
  });

  it("T9: whoever used an axis last has it; the other has it again once that lets go", () => {
    const events = [key(0, "KeyA"), pad(1, [0.9]), pad(3, [0]), key(5, "KeyA", false)];
    expect(play(events, 1).drive.steer).toBe(1);
    expect(play(events, 2).drive.steer).toBe(-0.9);
    expect(play(events, 4).drive.steer).toBe(1);
    expect(play(events, 6).drive.steer).toBe(0);
  });

  it("A3, T9: a tap counts in its window although a trigger is held all the while", () => {
    const events = [pad(0, [0], { 7: 0.5 }), key(1.2, "KeyW"), key(1.4, "KeyW", false)];
    expect([1, 2, 3].map((second) => play(events, second).drive.throttle)).toEqual([0.5, 1, 0.5]);
  });

  it("T9: within one window the later of two uses counts, not the device", () => {
    expect(play([pad(0.2, [0.9]), key(0.6, "KeyA")], 1).drive.steer).toBe(1);
    expect(play([key(0.2, "KeyA"), pad(0.6, [0.9])], 1).drive.steer).toBe(-0.9);
  });

  it("T9: a loss of focus forgets who used what, and nothing is kept while all rest", () => {
    const lost = { timestampSeconds: 1, eventType: "focus", payload: { focused: false } };
    const { state, drive } = play([key(0, "KeyW"), pad(0, [0.9]), lost], 3);
    expect(drive.steer).toBe(0);
    expect(Object.keys(state)).not.toContain("last use");
  });

  it("T9: what several devices hold of named actions counts together, and so do their presses", () => {
    const { actions } = play([pad(0, [0, -1], { 0: 1 }), key(0.5, "Space"), key(0.5, "KeyE")], 1);
    expect(actions.held).toEqual(expect.arrayContaining(["forward", "jump", "use"]));
    expect(actions.pressed).toMatchObject({ jump: 2, use: 1 });
  });

  it("a script is meant as a whole: devices add nothing to it", () => {
    const value = { throttle: 0.5, brake: 0, steer: 0, reverse: false, stop: false };
    const timeline = [
      { startSeconds: 0, value },
      { startSeconds: 1, value: null },
    ];
    const canonicalizer = new InputCanonicalizer({
      converters: [
        scriptedModality({ modality: DRIVER_COMMAND, timeline }),
        gamepadToDriverCommand(),
        keyboardToDriverCommand(),
      ],
    });
    const events = [key(0, "KeyA")];
    expect(play(events, 1, canonicalizer).drive).toEqual(value);
    expect(play(events, 2, canonicalizer).drive).toMatchObject({ throttle: 0, steer: 1 });
  });

  it("fields are combined only where they are numbers and flags with a neutral value", () => {
    expect(() => modality({ name: "odd", combine: "fields" })).toThrow(/ModalityInput\.neutral: .*numbers and flags/);
    expect(() => modality({ name: "odd", combine: "fields", neutral: { names: [] } })).toThrow(/numbers and flags/);
    expect(() => modality({ name: "odd", combine: "sum" as never })).toThrow(/ModalityInput\.combine/);
  });
});
