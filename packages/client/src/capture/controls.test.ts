import { standardConverters, type ControlDevice, type ControlHint } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { codeLabel } from "../input/code-label.ts";
import { controlLayout } from "../input/control-layout.ts";
import { isKeyOn, stickLevels, stickPosition } from "./touch-controls.ts";
import { VirtualPad } from "../input/virtual-pad.ts";
import { isWheel, wheelMappingFor, WheelReader } from "./devices/wheel-mapping.ts";

const allHints: readonly ControlHint[] = standardConverters().flatMap(({ controls }) => controls);

describe("controlLayout", () => {
  test("orders the hints of all standard converters by device", () => {
    const layout = controlLayout(allHints);
    expect(layout.keyboard.find(({ label }) => label === "Accelerate")?.codes).toEqual(["KeyW", "ArrowUp"]);
    expect(layout.gamepad.find(({ label }) => label === "Accelerate")?.codes).toEqual(["Button7"]);
    expect(layout.wheel.find(({ label }) => label === "Accelerate")?.codes).toEqual(["Throttle pedal"]);
    expect(layout.gamepad.find(({ label }) => label === "Stop at once")?.codes).toEqual(["Button1"]);
    expect(layout.wheel.find(({ label }) => label === "Stop at once")?.codes).toEqual(["Button5"]);
    expect(layout.stick?.up).toEqual({ label: "Accelerate", code: "KeyW", padCode: "Button7" });
    expect(layout.stick?.left).toEqual({ label: "Steer left", code: "KeyA", padCode: "Axis0-" });
    expect(layout.buttons).toContainEqual({ label: "Stop at once", code: "Space", padCode: "Button1" });
    expect(layout.looks).toBe(true);
    expect(layout.usesMouseButtons).toBe(true);
    expect(layout.keyCodes.has("MouseLeft")).toBe(false);
    expect(layout.keyCodes.has("KeyW")).toBe(true);
  });

  test("a world without hints has nothing to offer", () => {
    const { keyCodes, ...layout } = controlLayout([]);
    expect(layout).toEqual({
      keyboard: [],
      gamepad: [],
      wheel: [],
      buttons: [],
      looks: false,
      usesMouseButtons: false,
    });
    expect(keyCodes.size).toBe(0);
  });

  test("codes have names that people know", () => {
    const keys = ["KeyW", "ArrowLeft", "Digit1", "MouseLeft", "Space"].map((code) => codeLabel(code));
    expect(keys).toEqual(["W", "←", "1", "Left click", "Space"]);
    const onPad = (gamepadId: string): readonly string[] =>
      ["Button0", "Button7", "Button12", "Axis0-"].map((code) => codeLabel(code, { device: "gamepad", gamepadId }));
    expect(onPad("Xbox Wireless Controller (STANDARD GAMEPAD)")).toEqual(["A", "RT", "D-pad ↑", "Left stick ←"]);
    expect(onPad("DualSense Wireless Controller (Vendor: 054c)")).toEqual(["✕", "R2", "D-pad ↑", "Left stick ←"]);
    expect(onPad("Pro Controller (Vendor: 057e)")).toEqual(["B", "ZR", "D-pad ↑", "Left stick ←"]);
    expect(codeLabel("Button4", { device: "wheel" })).toBe("Button 5");
    expect(codeLabel("Throttle pedal", { device: "wheel" })).toBe("Throttle pedal");
  });

  test("what a control is on decides where it is shown, whatever its codes look like", () => {
    const hint = (device: ControlDevice, binding: string): ControlHint => ({
      label: device,
      device,
      bindings: [binding],
      touch: "button",
    });
    const layout = controlLayout([hint("keyboard", "Button0"), hint("gamepad", "KeyW"), hint("wheel", "MouseLeft")]);
    expect([layout.keyboard, layout.gamepad, layout.wheel].map((entries) => entries.map(({ label }) => label))).toEqual(
      [["keyboard"], ["gamepad"], ["wheel"]],
    );
    expect(layout.buttons.map(({ label }) => label)).toEqual(["keyboard"]);
    expect(layout.usesMouseButtons).toBe(false);
  });

  test("a device that this client does not know is left out", () => {
    const hint = { label: "Dance", device: "mat", bindings: ["Up"], touch: "button" } as unknown as ControlHint;
    expect(controlLayout([hint])).toEqual(controlLayout([]));
  });
});

describe("on-screen stick", () => {
  test("a drag beyond the rim counts as the rim, a small one as rest", () => {
    expect(stickPosition(3, 3, 60)).toEqual({ x: 0, y: 0 });
    expect(stickLevels(stickPosition(600, 0, 60))).toEqual({ up: 0, down: 0, left: 0, right: 1 });
    expect(stickLevels(stickPosition(0, -30, 60)).up).toBeGreaterThan(0.3);
    expect(stickPosition(5, 5, 0)).toEqual({ x: 0, y: 0 });
  });

  test("a key that stands for a push has two thresholds", () => {
    expect([isKeyOn(0.4, false), isKeyOn(0.46, false), isKeyOn(0.4, true), isKeyOn(0.2, true)]).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  test("the pretended gamepad has axes and buttons as strong as they are pushed", () => {
    const pad = new VirtualPad();
    pad.set("Axis0-", 0.5);
    pad.set("Button7", 0.25);
    expect(pad.reading()).toEqual({ axes: [-0.5], buttons: [0, 0, 0, 0, 0, 0, 0, 0.25] });
    expect(pad.set("Axis0-", 0.5)).toBe(false);
    pad.release();
    expect(pad.reading().axes).toEqual([0]);
  });
});

describe("steering wheels", () => {
  test("are known by name", () => {
    expect(isWheel("Logitech G29 Driving Force Racing Wheel (Vendor: 046d)")).toBe(true);
    expect(isWheel("Xbox Wireless Controller (STANDARD GAMEPAD)")).toBe(false);
  });

  test("left is positive, pedals go from 0 to 1 and are up until they have moved", () => {
    const reader = new WheelReader(wheelMappingFor(4));
    expect(reader.read({ axes: [-0.5, 0, 0, 0], buttons: [] })).toMatchObject({ steer: 0.5, throttle: 0, brake: 0 });
    expect(reader.read({ axes: [0, 1, -1, 1], buttons: [] })).toMatchObject({ throttle: 1, brake: 0, clutch: 0 });
    expect(reader.read({ axes: [0, 1, 0, 1], buttons: [] })).toMatchObject({ throttle: 0.5 });
  });
});
