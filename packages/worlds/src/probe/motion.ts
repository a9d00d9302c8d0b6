import { DreamloopError, ERROR_CODES, exactCos, exactSin } from "@dreamloop/core";
import { PROBE_NEUTRAL, type ProbeControls } from "./controls.ts";

/** Width of the stage in metres; the object leaves it on one side and comes back on the other. */
export const STAGE_WIDTH_METRES = 16;
/** Height of the stage in metres. */
export const STAGE_HEIGHT_METRES = 9;

/** Acceleration at full throttle in m/s². */
const THROTTLE_ACCELERATION = 6;
/** Deceleration at full brake in m/s². */
const BRAKE_DECELERATION = 12;
/** Share of the speed that drag takes in a second. */
const DRAG_PER_SECOND = 0.6;
/** Greatest speed in m/s. */
const MAX_SPEED = 8;
/** Turn at full steer or yaw in rad/s. */
const TURN_RATE = 1.8;
/** Speed of held directions and camera axes in m/s. */
const WALK_SPEED = 4;
/** Distance on the stage for each pixel of mouse motion in metres. */
const METRES_PER_POINTER_PIXEL = 0.01;
const FULL_TURN = 2 * Math.PI;

/** Where the object is. */
export interface ProbeObject {
  /** From the left edge of the stage in metres, 0 to 16. */
  readonly x: number;
  /** From the bottom edge of the stage in metres, 0 to 9. */
  readonly y: number;
  /** Direction it faces in radians, counter-clockwise from the right, 0 to 2π. */
  readonly heading: number;
  /** Speed along the heading in m/s, negative in reverse. */
  readonly speed: number;
}

function wrap(value: number, length: number): number {
  const rest = value % length;
  return rest < 0 ? rest + length : rest;
}

function clamp(value: number, low: number, high: number): number {
  return value < low ? low : value > high ? high : value;
}

/** The object one frame later; neutral controls leave an object at rest where it is. */
export function moveObject(object: ProbeObject, controls: ProbeControls, frameSeconds: number): ProbeObject {
  const { command, motion, actions } = controls;
  let speed = object.speed;
  speed += (command.reverse ? -1 : 1) * command.throttle * THROTTLE_ACCELERATION * frameSeconds;
  const slower = command.brake * BRAKE_DECELERATION * frameSeconds;
  speed = speed > 0 ? Math.max(0, speed - slower) : Math.min(0, speed + slower);
  speed = command.stop ? 0 : clamp(speed - speed * DRAG_PER_SECOND * frameSeconds, -MAX_SPEED, MAX_SPEED);

  const held = (action: string): number => (actions.held.includes(action) ? 1 : 0);
  const right = motion.moveRight + held("right") - held("left");
  const ahead = motion.moveForward + motion.moveUp + held("forward") + held("up") - held("back") - held("down");
  const heading = wrap(object.heading + (command.steer + motion.turnYaw) * TURN_RATE * frameSeconds, FULL_TURN);
  const x = object.x + (speed * exactCos(heading) + clamp(right, -1, 1) * WALK_SPEED) * frameSeconds;
  const y = object.y + (speed * exactSin(heading) + clamp(ahead, -1, 1) * WALK_SPEED) * frameSeconds;
  return { x: wrap(x, STAGE_WIDTH_METRES), y: wrap(y, STAGE_HEIGHT_METRES), heading, speed: speed === 0 ? 0 : speed };
}

/** Where the pointer's ring is on the stage, in metres from its lower left corner, after some mouse motion in pixels. */
export function pointerPosition(lookSumX: number, lookSumY: number): { readonly x: number; readonly y: number } {
  return {
    x: wrap(STAGE_WIDTH_METRES / 2 + lookSumX * METRES_PER_POINTER_PIXEL, STAGE_WIDTH_METRES),
    y: wrap(STAGE_HEIGHT_METRES / 2 - lookSumY * METRES_PER_POINTER_PIXEL, STAGE_HEIGHT_METRES),
  };
}

/**
 * Throws `load_failed` unless the neutral action leaves an object at rest exactly where it is (0 m, 0 rad, 0 m/s after a second) and
 * lets a moving one coast straight on. Run when the world loads.
 */
export function assertNeutralAction(move: typeof moveObject, framesPerSecond: number): void {
  const neutral: ProbeControls = {
    command: PROBE_NEUTRAL.driverCommand,
    hasCommand: true,
    motion: PROBE_NEUTRAL.cameraMotion,
    look: PROBE_NEUTRAL.lookDelta,
    actions: PROBE_NEUTRAL.actions,
    inputSequence: undefined,
  };
  const after = (start: ProbeObject): ProbeObject => {
    let object = start;
    for (let frame = 0; frame < framesPerSecond && frame < 1000; frame += 1)
      object = move(object, neutral, 1 / framesPerSecond);
    return object;
  };
  const rest: ProbeObject = { x: 3, y: 2, heading: 1, speed: 0 };
  const resting = after(rest);
  const rolling = after({ ...rest, speed: 1 });
  const moved = Math.sqrt((resting.x - rest.x) * (resting.x - rest.x) + (resting.y - rest.y) * (resting.y - rest.y));
  if (moved === 0 && resting.heading === rest.heading && resting.speed === 0 && rolling.heading === rest.heading)
    return;
  throw new DreamloopError(
    ERROR_CODES.loadFailed,
    `PROBE_NEUTRAL: the neutral action should leave the object as it is; within a second it moved ${moved} m at rest, turned ` +
      `${resting.heading - rest.heading} rad at rest and ${rolling.heading - rest.heading} rad while rolling`,
  );
}
