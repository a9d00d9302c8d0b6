import { converterConformance, registerCases } from "@dreamloop/testing";
import { describe, test } from "vitest";
import type { DeviceConverter } from "../device-converter.ts";
import { actionSetToActions } from "./action-set.ts";
import { axesToCameraMotion, axesToDriverCommand } from "./axes.ts";
import { conditioningConverter } from "./conditioning.ts";
import { gamepadToActions, gamepadToCameraMotion, gamepadToDriverCommand, gamepadToLookDelta } from "./gamepad.ts";
import { steeringWheelToDriverCommand } from "./steering-wheel.ts";

const at = (timestampSeconds: number, eventType: string, payload: Readonly<Record<string, unknown>>) => {
  return { timestampSeconds, eventType, payload };
};
const blur = at(0.35, "focus", { focused: false });

const buttons = (...pressed: number[]): number[] =>
  Array.from({ length: 17 }, (_, index) => (pressed.includes(index) ? 1 : 0));
const pads = [
  at(0.02, "gamepad_state", { connected: true, axes: [0.3, -0.4, 0.8, 1], buttons: buttons(7) }),
  at(0.13, "gamepad_state", { connected: true, axes: [0, 0, 0, 0], buttons: buttons() }),
  at(0.16, "gamepad_state", { connected: true, index: 2, axes: [-1, 1, -1, -1], buttons: buttons(0, 6) }),
  blur,
  at(0.4, "gamepad_state", { connected: true, index: 2, axes: [], buttons: [], pressed: [1] }),
  at(0.45, "gamepad_state", { connected: false, index: 2 }),
];
const wheels = [
  at(0.02, "wheel_state", { connected: true, steer: 0.5, throttle: 1, brake: 0, clutch: 0 }),
  blur,
  at(0.4, "wheel_state", { connected: true, steer: -1, throttle: 0, brake: 1, clutch: 1, buttons: buttons(4) }),
  at(0.47, "wheel_state", { connected: false }),
];
const axes = [
  at(0.02, "axis_set", { name: "steer", value: 1 }),
  at(0.03, "axis_set", { name: "turnYaw", value: -0.5 }),
  blur,
  at(0.42, "axis_set", { name: "throttle", value: 0.25 }),
  at(0.42, "axis_set", { name: "moveUp", value: 0.25 }),
];
const sets = [
  at(0.02, "action_set", { actions: ["jump"] }),
  at(0.22, "action_set", { actions: ["jump", "run"] }),
  blur,
  at(0.42, "action_set", { actions: [], pressed: ["run"] }),
];
const conditions = [
  at(0.02, "prompt_set", { prompt: "snow" }),
  at(0.12, "image_set", { image: "harbour" }),
  at(0.12, "text_event", { id: "door", state: "open" }),
];

describe.each<[string, DeviceConverter, ReturnType<typeof at>[]]>([
  ["gamepadToDriverCommand", gamepadToDriverCommand(), pads],
  ["gamepadToCameraMotion", gamepadToCameraMotion(), pads],
  ["gamepadToLookDelta", gamepadToLookDelta(), pads],
  ["gamepadToActions", gamepadToActions(), pads],
  ["steeringWheelToDriverCommand", steeringWheelToDriverCommand(), wheels],
  ["axesToDriverCommand", axesToDriverCommand(), axes],
  ["axesToCameraMotion", axesToCameraMotion(), axes],
  ["actionSetToActions", actionSetToActions(), sets],
  ["conditioningConverter", conditioningConverter(), conditions],
])("%s keeps the contract of converters", (_name, converter, events) => {
  registerCases(test, converterConformance({ converter, events }));
});
