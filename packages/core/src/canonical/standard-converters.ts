import { actionSetToActions } from "./converters/action-set.ts";
import { axesToCameraMotion, axesToDriverCommand } from "./converters/axes.ts";
import { conditioningConverter } from "./converters/conditioning.ts";
import {
  gamepadToActions,
  gamepadToCameraMotion,
  gamepadToDriverCommand,
  gamepadToLookDelta,
} from "./converters/gamepad.ts";
import { keyboardToActions, keyboardToCameraMotion, keyboardToDriverCommand } from "./converters/keyboard.ts";
import { mouseToLookDelta } from "./converters/mouse.ts";
import { steeringWheelToDriverCommand } from "./converters/steering-wheel.ts";
import type { DeviceConverter } from "./device-converter.ts";

/** The shipped converters with their default bindings, in the order in which they are registered. */
export function standardConverters(): readonly DeviceConverter[] {
  return [
    axesToDriverCommand(),
    steeringWheelToDriverCommand(),
    gamepadToDriverCommand(),
    keyboardToDriverCommand(),
    axesToCameraMotion(),
    gamepadToCameraMotion(),
    keyboardToCameraMotion(),
    mouseToLookDelta(),
    gamepadToLookDelta(),
    actionSetToActions(),
    gamepadToActions(),
    keyboardToActions(),
    conditioningConverter(),
  ];
}
