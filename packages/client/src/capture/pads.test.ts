import { gamepadToActions, gamepadToDriverCommand, type ControlHint } from "@dreamloop/core";
import { describe, expect, test, vi } from "vitest";
import { FakePage, fakeSession, type FakeGamepad } from "../test-support/fake-page.ts";
import { captureInput, type CaptureOptions } from "./capture-input.ts";
import { PadLearner, PadMapper, padMappingFor } from "./devices/pad-mapping.ts";
import { PadRest } from "./devices/pad-rest.ts";

const XBOX = "Xbox 360 Controller (STANDARD GAMEPAD Vendor: 045e Product: 028e)";

function pad(change: Partial<FakeGamepad> = {}): FakeGamepad {
  return { index: 0, id: XBOX, mapping: "standard", axes: [0, 0, 0, 0], buttons: Array<number>(17).fill(0), ...change };
}

function watch(
  options: Partial<CaptureOptions> & { readonly controls?: readonly ControlHint[]; readonly page?: FakePage } = {},
) {
  const { controls = gamepadToDriverCommand().controls, page = new FakePage(), ...rest } = options;
  const session = fakeSession(controls);
  const element = page.element("div");
  const capture = captureInput(session, { target: element as unknown as HTMLElement, ...rest });
  const read = ():
    | { readonly axes: readonly number[]; readonly buttons: readonly number[]; readonly pressCounts: readonly number[] }
    | undefined => {
    const state = session.input.states(1, 1).find(({ eventType }) => eventType === "gamepad_state");
    return state?.payload as ReturnType<typeof read>;
  };
  return { page, view: page.defaultView, element, session, capture, read };
}

describe("T4: a resting stick is at rest, however worn it is", () => {
  test.each([0.05, 0.07, 0.15, -0.28])(
    "T4: a stick that rests at %s says nothing, and goes all the way on both sides",
    (drift) => {
      const { view, read } = watch();
      const device = pad({ axes: [drift, 0, 0, 0] });
      view.pads = [device];
      view.frame();
      expect(read()?.axes[0]).toBe(0);
      // Nor does the trembling of a finger's weight.
      device.axes[0] = drift + 0.05;
      view.frame();
      expect(read()?.axes[0]).toBe(0);
      for (const end of [1, -1]) {
        device.axes[0] = end;
        view.frame();
        expect(read()?.axes[0]).toBe(end);
      }
      device.axes[0] = drift;
      view.frame();
      expect(read()?.axes[0]).toBe(0);
    },
  );

  test("T4: a stick that is held gently after its first use is not taken for a worn one", () => {
    const rest = new PadRest({ deadZone: () => 0.1 });
    const at = (value: number): number => rest.read({ axes: [value], buttons: [] }).axes[0];
    at(0);
    at(0.8);
    for (let frame = 0; frame < 300; frame += 1) at(0.2);
    expect(at(0.2)).toBeGreaterThan(0.1);
  });

  test("T4: one that is held while it appears keeps what it says; its rest is the middle", () => {
    const rest = new PadRest({ deadZone: () => 0.1 });
    expect(rest.read({ axes: [0.9], buttons: [] }).axes[0]).toBeCloseTo(0.889, 2);
    expect(rest.read({ axes: [0], buttons: [] }).axes[0]).toBe(0);
  });

  test("T4: a worn trigger rests as well; buttons are taken as they are", () => {
    const rest = new PadRest({ deadZone: () => 0.1 });
    const buttons = Array<number>(17).fill(0).with(7, 0.12).with(0, 0.2);
    expect(rest.read({ axes: [], buttons }).buttons[7]).toBe(0);
    expect(rest.read({ axes: [], buttons }).buttons[0]).toBe(0.2);
    expect(rest.read({ axes: [], buttons: buttons.with(7, 1) }).buttons[7]).toBe(1);
  });

  test("T4: the dead zone can be set at any time, and calibrating takes the place of now for rest", () => {
    const { view, capture, read } = watch({ padDeadZone: 0.5 });
    const device = pad();
    view.pads = [device];
    view.frame();
    device.axes[0] = 0.4;
    view.frame();
    expect(read()?.axes[0]).toBe(0);
    capture.setPadDeadZone(0.05);
    view.frame();
    expect(read()?.axes[0]).toBeGreaterThan(0.3);
    device.axes[0] = 0.2;
    capture.calibratePads();
    view.frame();
    expect(read()?.axes[0]).toBe(0);
    expect(() => capture.setPadDeadZone(1)).toThrow("setPadDeadZone: expected a number from 0 to 0.9, found 1");
  });
});

describe("T5: the controls of a gamepad are known or bound, never guessed", () => {
  const linuxXbox = {
    id: "045e-028e-Microsoft X-Box 360 pad",
    mapping: "",
    axes: [0, 0, -1, 0, 0, -1, 0, 0],
    buttons: Array<number>(11).fill(0),
  };

  test("T5: a known pad without the standard mapping is read as what it is", () => {
    const { view, read } = watch();
    const device = pad(linuxXbox);
    view.pads = [device];
    view.frame();
    expect(read()).toMatchObject({ axes: [0, 0, 0, 0] });
    expect(read()?.buttons.every((value) => value === 0)).toBe(true);
    device.axes = [0, 0, -1, 0.9, 0, 1, 0, -1];
    device.buttons[7] = 1;
    view.frame();
    expect(read()?.axes[2]).toBeGreaterThan(0.8);
    expect(read()?.buttons).toEqual(Array<number>(17).fill(0).with(7, 1).with(9, 1).with(12, 1));
  });

  test("T5: a trigger for which the browser reports 0 before it has moved counts as up", () => {
    const mapping = padMappingFor({ id: linuxXbox.id, mapping: "", axisCount: 8, buttonCount: 11 });
    if (mapping === undefined || mapping === "standard") throw new Error("expected a mapping");
    const mapper = new PadMapper(mapping);
    const axes = Array<number>(8).fill(0);
    expect(mapper.map({ axes, buttons: [] }).buttons[7]).toBe(0);
    expect(mapper.map({ axes: axes.with(5, 0.5), buttons: [] }).buttons[7]).toBe(0.75);
    expect(mapper.map({ axes, buttons: [] }).buttons[7]).toBe(0.5);
  });

  test("T5: DualSense and Switch pads in Firefox on Linux are known; one with other counts is not taken for them", () => {
    expect(padMappingFor({ id: "054c-0ce6-Sony DualSense", mapping: "", axisCount: 8, buttonCount: 13 })).toBeTypeOf(
      "object",
    );
    expect(
      padMappingFor({ id: "057e-2009-Nintendo Switch Pro Controller", mapping: "", axisCount: 6, buttonCount: 14 }),
    ).toBeTypeOf("object");
    expect(
      padMappingFor({ id: "045e-0b13-Xbox Wireless Controller", mapping: "", axisCount: 6, buttonCount: 15 }),
    ).toBeUndefined();
  });

  test("T5: a device that nobody knows says nothing to the world, and is told of", () => {
    const onUnknownPad = vi.fn();
    const onGamepad = vi.fn();
    const { view, session } = watch({ onUnknownPad, onGamepad });
    const id = "Some keyboard (Vendor: 05ac Product: 024f)";
    view.pads = [pad({ id, mapping: "", axes: [-1, -1, 0, 0], buttons: [0, 0, 0, 0] })];
    view.frame();
    expect(session.input.states(1, 1).map(({ eventType }) => eventType)).toEqual(["focus"]);
    expect(onUnknownPad.mock.calls).toEqual([[{ id, index: 0, connected: true }]]);
    view.pads = [];
    view.frame();
    expect(onUnknownPad).toHaveBeenLastCalledWith({ id, index: 0, connected: false });
    expect(onGamepad).not.toHaveBeenCalled();
  });

  test("T5: what the person binds counts: a control is learnt from the next one that moves, and the mapping is read at once", async () => {
    const { view, capture, read } = watch();
    const device = pad({ id: "Odd pad", mapping: "", axes: [0, -1], buttons: [0, 0] });
    view.pads = [device];
    view.frame();
    const steer = capture.learnPadControl(0);
    view.frame();
    device.axes[0] = 0.9;
    view.frame();
    expect(await steer).toEqual({ axis: 0, rest: 0, full: 1 });
    device.axes[0] = 0;
    const gas = capture.learnPadControl(0);
    view.frame();
    device.axes[1] = 0.2;
    view.frame();
    expect(await gas).toEqual({ axis: 1, rest: -1, full: 1 });
    capture.setPadMappings({ "Odd pad": { axes: { 0: await steer }, buttons: { 7: await gas, 0: { button: 1 } } } });
    device.axes = [-1, -1];
    view.frame();
    device.axes = [-1, 1];
    view.frame();
    expect(read()?.axes[0]).toBe(-1);
    expect(read()?.buttons[7]).toBe(1);
  });

  test("T5: learning ends with its signal, with the gamepad and with the capture", async () => {
    const { view, capture } = watch();
    view.pads = [pad()];
    view.frame();
    const controller = new AbortController();
    const cancelled = capture.learnPadControl(0, { signal: controller.signal });
    controller.abort(new Error("changed my mind"));
    await expect(cancelled).rejects.toThrow("changed my mind");
    const unplugged = capture.learnPadControl(0);
    view.pads = [];
    view.frame();
    await expect(unplugged).rejects.toMatchObject({ code: "not_found" });
    view.pads = [pad()];
    view.frame();
    const closed = capture.learnPadControl(0);
    capture.close();
    await expect(closed).rejects.toMatchObject({ code: "closed" });
  });

  test("T5: a button and the half of an axis are told apart by who moves further", () => {
    const learner = new PadLearner({ axes: [0.1, 0], buttons: [0, 0] });
    expect(learner.read({ axes: [0.4, 0], buttons: [0, 0] })).toBeUndefined();
    expect(learner.read({ axes: [-0.8, 0], buttons: [0, 1] })).toEqual({ button: 1 });
  });
});

describe("T6: gamepads come, go and wake like the person expects", () => {
  test("T6: unplugging says so and lets go of everything", () => {
    const onGamepad = vi.fn();
    const { view, session } = watch({ onGamepad });
    view.pads = [pad({ buttons: Array<number>(17).fill(0).with(7, 1) })];
    view.frame();
    expect(session.input.anythingHeld).toBe(true);
    view.pads = [];
    view.frame();
    expect(session.input.anythingHeld).toBe(false);
    expect(onGamepad.mock.calls.map(([news]) => (news as { connected: boolean }).connected)).toEqual([true, false]);
    const states = session.input.states(1, 1).map(({ payload }) => payload);
    expect(states).toContainEqual({ connected: false, index: 0, epoch: 1, sequence: 1 });
  });

  test("T6: after a loss of focus a pad is read again before it counts: what was let go of meanwhile stays so", () => {
    const { view, session, page, read } = watch();
    const device = pad({ buttons: Array<number>(17).fill(0).with(7, 1) });
    view.pads = [device];
    view.frame();
    expect(read()?.buttons[7]).toBe(1);
    page.defaultView.dispatchEvent(new Event("blur"));
    expect(read()?.buttons[7]).toBe(0);
    // The trigger goes up while no frame is drawn; then a key gives the focus back, before the next frame.
    device.buttons[7] = 0;
    session.input.focus();
    expect(read()?.buttons[7]).toBe(0);
    view.frame();
    expect(read()?.buttons[7]).toBe(0);
  });

  test("T6: what is held all the while counts again with the focus, and is no new press", () => {
    const { view, session, page, read } = watch();
    const device = pad({ buttons: Array<number>(17).fill(0).with(0, 1) });
    view.pads = [device];
    view.frame();
    page.defaultView.dispatchEvent(new Event("blur"));
    view.frame();
    session.input.focus();
    view.frame();
    expect(read()?.buttons[0]).toBe(1);
    expect(read()?.pressCounts[0]).toBe(1);
  });

  test("T6: a stuck control does not take the focus back; one that moves does", () => {
    const { view, session, page } = watch();
    const device = pad({ axes: [-1, 0, 0, 0] });
    view.pads = [device];
    view.frame();
    page.defaultView.dispatchEvent(new Event("blur"));
    for (let frame = 0; frame < 3; frame += 1) view.frame();
    expect(session.input.focused).toBe(false);
    device.buttons[0] = 1;
    view.frame();
    expect(session.input.focused).toBe(true);
  });

  test("T6: Start opens the menu, once for each press, and belongs to a world that binds it", () => {
    const onMenu = vi.fn();
    const { view, capture } = watch({ onMenu });
    const device = pad();
    view.pads = [device];
    view.frame();
    device.buttons[9] = 1;
    view.frame();
    view.frame();
    expect(onMenu).toHaveBeenCalledTimes(1);
    // It closes the menu as well, which keeps all other input from the world.
    capture.block();
    device.buttons[9] = 0;
    view.frame();
    device.buttons[9] = 1;
    view.frame();
    expect(onMenu).toHaveBeenCalledTimes(2);
    const bound = watch({ onMenu, controls: gamepadToActions({ bindings: { map: ["Button9"] } }).controls });
    const other = pad();
    bound.view.pads = [other];
    bound.view.frame();
    other.buttons[9] = 1;
    bound.view.frame();
    expect(onMenu).toHaveBeenCalledTimes(2);
  });

  test("T6: of two worlds in one page the gamepad plays the one that is played", () => {
    const page = new FakePage();
    const one = watch({ page });
    const other = watch({ page });
    page.click(other.element);
    page.defaultView.pads = [pad({ axes: [1, 0, 0, 0] })];
    page.defaultView.frame();
    expect([one.read()?.axes[0], other.read()?.axes[0]]).toEqual([0, 1]);
  });
});
