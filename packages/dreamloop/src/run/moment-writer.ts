import { resolve } from "node:path";
import {
  DreamloopError,
  ERROR_CODES,
  type MomentPicture,
  type RunObserver,
  type RunStart,
  type SessionState,
  type StepRecord,
} from "@dreamloop/core";
import {
  configOfCandidate,
  type Boundary,
  type DriverHistory,
  type LeadEntry,
  type MomentPosition,
  type StateBinding,
} from "@dreamloop/core/internal";
import { momentPicture, writeMomentFile } from "@dreamloop/node";

/** What a run's states are bound to, as its start tells. */
export function bindingOf(start: RunStart): StateBinding {
  const { config, candidateIndex, description, versions, runtimeFacts } = start;
  return {
    modelId: config.modelId,
    description,
    config: configOfCandidate(config, candidateIndex),
    versions,
    runtimeFacts,
  };
}

/** Saves a moment of a run each time it has given so many frames more, with its last frame as the picture. */
export class MomentWriter implements DriverHistory, RunObserver {
  readonly #every: number;
  readonly #pathOf: (frames: number) => string;
  readonly #cwd: string;
  readonly #paths: string[] = [];
  #start: RunStart | undefined;
  #picture: MomentPicture | undefined;
  #frames = 0;
  #saved = 0;

  /** `pathOf` names the file of the moment after so many frames. */
  constructor(options: { readonly every: number; readonly pathOf: (frames: number) => string; readonly cwd: string }) {
    this.#every = options.every;
    this.#pathOf = options.pathOf;
    this.#cwd = options.cwd;
  }

  /** Files that were written, in order. */
  get paths(): readonly string[] {
    return this.#paths;
  }

  /** Keeps what the states are bound to. */
  runStarted(start: RunStart): void {
    this.#start = start;
  }

  /** Keeps the last frame when a moment follows. */
  stepCommitted({ result }: StepRecord): void {
    const { output, frameCount } = result;
    const isDue = this.#frames + frameCount >= this.#saved + this.#every;
    this.#picture = isDue && output !== undefined && frameCount > 0 ? momentPicture(output, frameCount - 1) : undefined;
  }

  /** Nothing is saved at the start. */
  begin(): Promise<void> {
    return Promise.resolve();
  }

  /** Saves the moment when it is due. */
  async add(_entry: LeadEntry, boundary: Boundary, frameCount: number): Promise<void> {
    this.#frames += frameCount;
    if (this.#start === undefined || this.#frames < this.#saved + this.#every) return;
    this.#saved = this.#frames - (this.#frames % this.#every);
    const path = this.#pathOf(this.#frames);
    await writeMomentFile(resolve(this.#cwd, path), {
      state: await boundary.takeState(),
      binding: bindingOf(this.#start),
      savedAt: new Date().toISOString(),
      ...(this.#picture === undefined ? {} : { picture: this.#picture }),
    });
    this.#paths.push(path);
  }

  /** A batch run does not go back. */
  rewound(): Promise<void> {
    return Promise.resolve();
  }

  /** A batch run does not go back. */
  has(): boolean {
    return false;
  }

  /** A batch run does not go back. */
  stateAt({ generation, stepIndex }: MomentPosition): Promise<SessionState> {
    const message = `step ${stepIndex} of generation ${generation}: a batch run does not go back; replay the trace instead`;
    return Promise.reject(new DreamloopError(ERROR_CODES.unavailable, message));
  }

  /** Nothing to free. */
  close(): void {}
}

/** The file of a moment: beside the trace and named after it, else in the current folder and named after the world; frames in six digits. */
export function momentName(worldId: string, record: string | undefined): (frames: number) => string {
  const base = record === undefined ? worldId.replace(/[^\p{L}\p{N}._-]+/gu, "-") : record.replace(/\.trace$/, "");
  return (frames) => `${base}-${String(frames).padStart(6, "0")}.dream`;
}
