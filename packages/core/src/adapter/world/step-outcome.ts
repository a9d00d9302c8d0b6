import type { StepResultInput } from "../../model/step-result.ts";
import { videoChunk, type PixelData } from "../../model/video-chunk.ts";
import type { SessionDescription } from "../../model/session-description.ts";
import { flag, readContainer, refuse, within, withDefault } from "../../foundation/validate/reader.ts";
import { refuseUnknownKeys } from "../../foundation/validate/record.ts";
import type { WorldStepOutcome } from "./world-definition.ts";
import { stepTime } from "./world-settings.ts";
import { placeIn, type World } from "./world.ts";

/** What a step of a world gave, checked. */
export interface ReadOutcome {
  /** The result as the driver takes it. */
  readonly result: StepResultInput;
  /** The state after the step; `null` for a world without. */
  readonly state: unknown;
  /** Whether the rollout ends with it. */
  readonly isLast: boolean;
}

const KEYS: readonly string[] = [
  "frames",
  "state",
  "isLast",
  "metadata",
  "metrics",
] satisfies (keyof WorldStepOutcome<unknown>)[];
const readIsLast = withDefault(flag, false);

/** Checks what `step` returned; `releaseOf` gives what is to happen once nobody needs the frames. The error names the world. */
export function readStepOutcome(
  world: World,
  video: SessionDescription,
  stepIndex: number,
  returned: unknown,
  releaseOf: (frames: PixelData, kept: unknown) => (() => void) | undefined,
): ReadOutcome {
  const place = placeIn(world, "step()");
  const outcome = readContainer(returned, place, "an object with frames and state");
  refuseUnknownKeys(outcome, KEYS, place);
  const { frames, state, isLast, metadata, metrics } = outcome as Partial<WorldStepOutcome<unknown>>;
  if (frames === undefined) refuse(`${place}.frames`, "the pixels of this step", frames);
  if (world.start !== undefined && state === undefined) refuse(`${place}.state`, "the state after this step", state);
  const { width, height, format, layout, colorSpace, range } = video;
  const { frameCount } = stepTime(video, stepIndex);
  const release = releaseOf(frames, [state, metadata, metrics]);
  const output = within(place, () =>
    videoChunk({ width, height, format, layout, colorSpace, range, frameCount, data: frames, release }),
  );
  return {
    result: { stepIndex, output, metadata, metrics },
    state: state ?? null,
    isLast: readIsLast(isLast, `${place}.isLast`),
  };
}
