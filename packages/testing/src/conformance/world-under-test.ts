import {
  inferenceConfig,
  modelInputs,
  stepResult,
  type InferenceConfigInput,
  type InferenceRuntime,
  type InferenceSession,
  type Mapping,
  type ModelAdapter,
  type ModelInputsInput,
  type SessionSnapshot,
  type StepResult,
} from "@dreamloop/core";
import { bytesOf, isEqual, expectContract } from "./conformance-case.ts";

/** What the suites for adapters and sessions need to know about a world. */
export interface WorldConformanceOptions {
  /** The adapter. */
  readonly adapter: ModelAdapter;
  /** Its configuration, such as a small size; default nothing but the model id. */
  readonly config?: Partial<InferenceConfigInput>;
  /** What a rollout starts with; default nothing. */
  readonly initial?: ModelInputsInput;
  /** What step number `stepIndex` is told; should differ from step to step, so that lost state shows. Default nothing. */
  readonly stepInputs?: (stepIndex: number) => ModelInputsInput;
  /** Steps of a run; default 5. */
  readonly stepCount?: number;
  /** Seed of a run; default 7. */
  readonly seed?: number;
}

/** Steps of a run unless told otherwise. */
export const DEFAULT_CONFORMANCE_STEPS = 5;

/** What one step gave, with a copy of its pixels. */
export interface PlayedStep {
  /** The result; its memory has been released. */
  readonly result: StepResult;
  /** The bytes of its pixels. */
  readonly bytes: Uint8Array;
}

/** Loads, starts and plays the world of a suite, and closes what it opened. */
export class WorldUnderTest {
  readonly #options: WorldConformanceOptions;

  /** Makes a player for the world of a suite. */
  constructor(options: WorldConformanceOptions) {
    this.#options = options;
  }

  /** Steps of a run. */
  get stepCount(): number {
    return this.#options.stepCount ?? DEFAULT_CONFORMANCE_STEPS;
  }

  /** Seed of a run. */
  get seed(): number {
    return this.#options.seed ?? 7;
  }

  /** Loads the world, hands the runtime to `body` and closes it whatever happens. */
  async withRuntime<T>(
    body: (runtime: InferenceRuntime) => Promise<T>,
    config: Partial<InferenceConfigInput> = {},
  ): Promise<T> {
    const { adapter } = this.#options;
    const full = inferenceConfig({ ...this.#options.config, ...config, modelId: adapter.modelId });
    const runtime = await adapter.createRuntime(full, {});
    try {
      return await body(runtime);
    } finally {
      await runtime.close();
    }
  }

  /** A run of a case: loads the world, hands the runtime to `body` and closes it. */
  inRuntime(body: (runtime: InferenceRuntime) => Promise<void>): () => Promise<void> {
    return () => this.withRuntime(body);
  }

  /** Starts a session, hands it to `body` and closes it whatever happens. */
  async withSession<T>(
    runtime: InferenceRuntime,
    body: (session: InferenceSession) => Promise<T>,
    how: { readonly seed?: number; readonly initial?: Mapping } = {},
  ): Promise<T> {
    const given = modelInputs(this.#options.initial);
    const inputs = how.initial === undefined ? given : modelInputs({ ...given, initial: how.initial });
    const session = await runtime.startSession(inputs, { seed: how.seed ?? this.seed });
    try {
      return await body(session);
    } finally {
      await session.close();
    }
  }

  /** The inputs of one step, as the suite's options give them. */
  inputsOf(stepIndex: number): ModelInputsInput {
    return this.#options.stepInputs?.(stepIndex) ?? {};
  }

  /** Runs one step to its end: frames copied, state finalised, memory released. */
  async playStep(session: InferenceSession, stepIndex: number, inputs = this.inputsOf(stepIndex)): Promise<PlayedStep> {
    const result = stepResult(await session.step(modelInputs(inputs), {}));
    const bytes = result.output === undefined ? new Uint8Array() : bytesOf(result.output.data).slice();
    await session.finalizeStep?.({});
    result.output?.release?.();
    return { result, bytes };
  }

  /** Runs steps `first` to `end`, `end` excluded, and gives their pixels. */
  async play(session: InferenceSession, first = 0, end = this.stepCount): Promise<readonly Uint8Array[]> {
    const pixels: Uint8Array[] = [];
    for (let index = first; index < end; index += 1) pixels.push((await this.playStep(session, index)).bytes);
    return pixels;
  }

  /** The pixels of a run that nothing disturbs. */
  async undisturbed(runtime: InferenceRuntime): Promise<readonly Uint8Array[]> {
    return this.withSession(runtime, (session) => this.play(session));
  }
}

/** Throws unless two runs gave the same pixels, naming the first step that differs. */
export function expectSamePixels(
  found: readonly Uint8Array[],
  expected: readonly Uint8Array[],
  contract: string,
  firstStep = 0,
): void {
  const index = expected.findIndex((bytes, step) => !isEqual(bytes, found[step]));
  expectContract(index < 0, contract, `other pixels in step ${firstStep + index}`);
  expectContract(found.length === expected.length, contract, `${found.length} steps instead of ${expected.length}`);
}

/** The snapshot of a session; throws when it has none. */
export async function snapshotOf(session: InferenceSession): Promise<SessionSnapshot> {
  expectContract(
    session.snapshot !== undefined,
    "a session has snapshot and restore (or say snapshots: false)",
    "no snapshot",
  );
  return session.snapshot();
}
