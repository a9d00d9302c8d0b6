import { DreamloopError, ERROR_CODES, randomStream, type SessionSnapshot } from "@dreamloop/core";
import type { ProbeControls } from "./controls.ts";
import { moveObject, STAGE_HEIGHT_METRES, STAGE_WIDTH_METRES, type ProbeObject } from "./motion.ts";

/** Version of the layout of a snapshot's data. */
export const SNAPSHOT_VERSION = "probe@1";

/** How many places the trail remembers. */
const TRAIL_LENGTH = 14;
/** Frames between two places of the trail. */
const TRAIL_FRAMES = 4;
const UP = Math.PI / 2;

/** All that a rollout of the probe world remembers; immutable and plain JSON. */
export interface ProbeState {
  /** How many resets came before. */
  readonly generation: number;
  /** Steps since the start or reset. */
  readonly stepIndex: number;
  /** Frames since the start or reset. */
  readonly frameIndex: number;
  /** Seed of the rollout. */
  readonly seed: number;
  /** The prompt in force, as amended by updates. */
  readonly prompt: string | null;
  /** Where the object is. */
  readonly object: ProbeObject;
  /** Where the object was, newest first. */
  readonly trail: readonly { readonly x: number; readonly y: number }[];
  /** Sum of all horizontal mouse motion in pixels. */
  readonly lookSumX: number;
  /** Sum of all vertical mouse motion in pixels. */
  readonly lookSumY: number;
  /** Presses of all actions. */
  readonly pressCount: number;
}

/** What a rollout starts from. */
export interface ProbeStart {
  /** How many resets came before. */
  readonly generation: number;
  /** Seed of the rollout. */
  readonly seed: number;
  /** The prompt, if any. */
  readonly prompt: string | undefined;
}

/** The state before the first step: the object stands somewhere in the middle of the stage and faces up. */
export function startState({ generation, seed, prompt }: ProbeStart): ProbeState {
  const random = randomStream({ seed, step: 0, stream: "probe.start" });
  const x = STAGE_WIDTH_METRES * (0.25 + random.nextUniform() / 2);
  const y = STAGE_HEIGHT_METRES * (0.25 + random.nextUniform() / 2);
  return {
    generation,
    stepIndex: 0,
    frameIndex: 0,
    seed,
    prompt: prompt ?? null,
    object: { x, y, heading: UP, speed: 0 },
    trail: [],
    lookSumX: 0,
    lookSumY: 0,
    pressCount: 0,
  };
}

/** The state at the begin of a step: taps and mouse motion count once, in its first frame. */
export function takeControls(state: ProbeState, controls: ProbeControls, prompt: string | null): ProbeState {
  const presses = Object.values(controls.actions.pressed).reduce((sum, count) => sum + count, 0);
  return {
    ...state,
    prompt,
    lookSumX: state.lookSumX + controls.look.deltaX,
    lookSumY: state.lookSumY + controls.look.deltaY,
    pressCount: state.pressCount + presses,
  };
}

/** The state with everything moved on by one frame; the number of the frame stays until it is painted. */
export function moveFrame(state: ProbeState, controls: ProbeControls, frameSeconds: number): ProbeState {
  const { x, y } = state.object;
  const trail = state.frameIndex % TRAIL_FRAMES === 0 ? [{ x, y }, ...state.trail].slice(0, TRAIL_LENGTH) : state.trail;
  return {
    ...state,
    object: moveObject(state.object, controls, frameSeconds),
    trail,
  };
}

/** The snapshot of a state; `configuration` has to be the same where it is restored. */
export function probeSnapshot(state: ProbeState, configuration: string): SessionSnapshot {
  return { version: SNAPSHOT_VERSION, data: { configuration, state: structuredClone(state) } };
}

/** The state in a snapshot; refuses one of another world, version or configuration. */
export function stateOfSnapshot(snapshot: SessionSnapshot, configuration: string): ProbeState {
  const data = snapshot.data as { readonly configuration?: unknown; readonly state?: unknown } | undefined;
  const refuse = (field: string, expected: string, found: unknown): never => {
    throw new DreamloopError(
      ERROR_CODES.invalidValue,
      `SessionSnapshot.${field}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}; restore a snapshot of this ` +
        "world with the same configuration",
    );
  };
  if (snapshot.version !== SNAPSHOT_VERSION) refuse("version", SNAPSHOT_VERSION, snapshot.version);
  if (data?.configuration !== configuration) refuse("data.configuration", configuration, data?.configuration);
  return structuredClone(data?.state) as ProbeState;
}
