import type { CameraMotion } from "../modalities.ts";
import type { ActionHint } from "./bindings.ts";
import type { ActionLevel } from "./driver-actions.ts";

/** What codes can be bound to for moving a camera. */
export type CameraAction =
  | "forward"
  | "backward"
  | "left"
  | "right"
  | "up"
  | "down"
  | "turnLeft"
  | "turnRight"
  | "lookUp"
  | "lookDown"
  | "rollLeft"
  | "rollRight";

/** Explanation of the camera actions. */
export const CAMERA_HINTS: Readonly<Record<CameraAction, ActionHint>> = Object.freeze({
  forward: { label: "Move forward", touch: "stick", direction: "up" },
  backward: { label: "Move backward", touch: "stick", direction: "down" },
  left: { label: "Move left", touch: "stick", direction: "left" },
  right: { label: "Move right", touch: "stick", direction: "right" },
  up: { label: "Move up", touch: "button" },
  down: { label: "Move down", touch: "button" },
  turnLeft: { label: "Turn left", touch: "look" },
  turnRight: { label: "Turn right", touch: "look" },
  lookUp: { label: "Look up", touch: "look" },
  lookDown: { label: "Look down", touch: "look" },
  rollLeft: { label: "Roll left", touch: "button" },
  rollRight: { label: "Roll right", touch: "button" },
});

/** The motion of a level for each action; opposite ones cancel each other. */
export function cameraMotionOf(level: ActionLevel<CameraAction>): CameraMotion {
  return Object.freeze({
    moveForward: level("forward") - level("backward"),
    moveRight: level("right") - level("left"),
    moveUp: level("up") - level("down"),
    turnYaw: level("turnLeft") - level("turnRight"),
    turnPitch: level("lookUp") - level("lookDown"),
    turnRoll: level("rollRight") - level("rollLeft"),
  });
}

/** Whether the motion asks for nothing, so that another device may have its say. */
export function isNeutralMotion(motion: CameraMotion): boolean {
  return Object.values(motion).every((axis) => axis === 0);
}
