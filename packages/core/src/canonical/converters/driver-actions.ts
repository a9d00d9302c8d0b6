import type { DriverCommand } from "../modalities.ts";
import type { ActionHint } from "./bindings.ts";

/** What codes can be bound to for driving. */
export type DriverAction = "throttle" | "brake" | "left" | "right" | "stop" | "reverse";

/** How far an action is on, 0 (off) to 1. */
export type ActionLevel<Action extends string> = (action: Action) => number;

/** Explanation of the driving actions. */
export const DRIVER_HINTS: Readonly<Record<DriverAction, ActionHint>> = Object.freeze({
  throttle: { label: "Accelerate", touch: "stick", direction: "up" },
  brake: { label: "Brake", touch: "stick", direction: "down" },
  left: { label: "Steer left", touch: "stick", direction: "left" },
  right: { label: "Steer right", touch: "stick", direction: "right" },
  stop: { label: "Stop at once", touch: "button" },
  reverse: { label: "Reverse", touch: "button" },
});

/** From this level on an action that can only be on or off is on. */
export const ON_LEVEL = 0.5;

/** The command of a level for each action; left and right cancel each other. */
export function driverCommandOf(level: ActionLevel<DriverAction>): DriverCommand {
  return Object.freeze({
    throttle: level("throttle"),
    brake: level("brake"),
    steer: level("left") - level("right"),
    reverse: level("reverse") >= ON_LEVEL,
    stop: level("stop") >= ON_LEVEL,
  });
}

/** Whether the command asks for nothing, so that another device may have its say. */
export function isNeutralCommand(command: DriverCommand): boolean {
  return command.throttle === 0 && command.brake === 0 && command.steer === 0 && !command.reverse && !command.stop;
}
