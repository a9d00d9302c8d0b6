import {
  outputArtifact,
  sessionDescription,
  stepResult,
  type OutputArtifact,
  type OutputTarget,
  type SessionDescription,
  type SessionDescriptionInput,
  type StepResult,
} from "@dreamloop/core";
import {
  bytesOf,
  isEqual,
  outcomeOf,
  expectContract,
  refused,
  succeeds,
  type ConformanceCase,
} from "./conformance-case.ts";

/** What the suite needs to know about a kind of target. */
export interface OutputTargetConformanceOptions {
  /** Makes a fresh, closed target; each case makes its own. */
  readonly create: () => OutputTarget | Promise<OutputTarget>;
  /** What the results look like; default 32×18 pixels of rgb8 at 30 frames/s, two frames a step. */
  readonly description?: Partial<SessionDescriptionInput>;
  /** Steps of a run; default 3. */
  readonly stepCount?: number;
  /**
   * What a run made, in a form that can be compared: bytes of files, kept frames. With it the suite also checks that the target neither keeps
   * nor misreads memory; leave it out for targets that keep nothing.
   */
  readonly contents?: (artifacts: readonly OutputArtifact[], target: OutputTarget) => unknown;
  /** Makes a target whose writes fail, on a full disk for instance; leave it out where nothing can fail. */
  readonly createFailing?: () => OutputTarget | Promise<OutputTarget>;
}

/** Steps of a run unless told otherwise. */
const DEFAULT_STEPS = 3;

/** How a run hands its pixels over. */
interface RunOptions {
  /** Whether the memory is overwritten as soon as the write has settled. */
  readonly scribble?: boolean;
  /** Whether the pixels lie in the middle of a larger buffer full of other bytes. */
  readonly embed?: boolean;
}

/** The cases that every output target passes. */
export function outputTargetConformance(options: OutputTargetConformanceOptions): readonly ConformanceCase[] {
  const description = sessionDescription({
    ...{ worldId: "conformance", width: 32, height: 18, framesPerSecond: 30, framesPerStep: 2 },
    ...options.description,
  });
  const stepCount = options.stepCount ?? DEFAULT_STEPS;
  const run = (target: OutputTarget, how: RunOptions = {}): Promise<readonly OutputArtifact[]> =>
    runTarget(target, description, stepCount, how);

  const cases: ConformanceCase[] = [
    {
      name: "a write before open is refused as closed",
      run: async () => {
        const target = await options.create();
        const write = (): unknown => target.write(pictureOf(description, 0));
        await refused(write, "a target is closed at first and refuses write", ["closed"]);
      },
    },
    {
      name: "close without open makes nothing and may be repeated",
      run: async () => {
        const target = await options.create();
        const contract = "close of a target that was never open resolves to no artifacts, every time";
        for (let call = 0; call < 2; call += 1) {
          const artifacts = await succeeds(() => target.close(), contract);
          expectContract(Array.isArray(artifacts) && artifacts.length === 0, contract, JSON.stringify(artifacts));
        }
      },
    },
    {
      name: "a run of open, writes and close resolves to valid artifacts",
      run: async () => {
        const artifacts = await run(await options.create());
        const isList: boolean = Array.isArray(artifacts);
        expectContract(isList, "close resolves to a list of artifacts", typeof artifacts);
        for (const artifact of artifacts)
          await succeeds(() => outputArtifact({ ...artifact }), "every artifact is a valid OutputArtifact");
      },
    },
    {
      name: "close is idempotent and keeps saying what was made",
      run: async () => {
        const target = await options.create();
        const first = await run(target);
        const contract = "a second close resolves to the same artifacts as the first";
        const second = await succeeds(() => target.close(), contract);
        expectContract(
          isEqual([...first], [...second]),
          contract,
          `${JSON.stringify(first)}, then ${JSON.stringify(second)}`,
        );
      },
    },
    {
      name: "a write after close is refused as closed",
      run: async () => {
        const target = await options.create();
        await run(target);
        const write = (): unknown => target.write(pictureOf(description, 0));
        await refused(write, "a target refuses write after close", ["closed"]);
      },
    },
    {
      name: "a target that was closed opens again for another run",
      run: async () => {
        const target = await options.create();
        const artifacts = await run(target);
        const again = await succeeds(() => run(target), "a closed target opens again and takes another run");
        const found = `${artifacts.length} artifact(s), then ${again.length}`;
        expectContract(again.length === artifacts.length, "a second run makes as much as the first", found);
      },
    },
    {
      name: "a run without any result, and results without frames, are taken",
      run: async () => {
        const target = await options.create();
        const contract = "open and close without a write between them is a valid run";
        await succeeds(() => target.open(description), contract);
        await succeeds(() => target.close(), contract);
        const frameless = await options.create();
        await frameless.open(description);
        const write = (): void | Promise<void> => frameless.write(stepResult({ stepIndex: 0 }));
        await succeeds(write, "a result without frames is taken");
        await frameless.write(pictureOf(description, 1));
        await succeeds(() => frameless.close(), "a run with a result without frames can be closed");
      },
    },
    {
      name: "E5: frames that the driver dropped are stated with what was made",
      run: async () => {
        const target = await options.create();
        await target.open(description);
        await target.write(pictureOf(description, 0));
        const artifacts = await target.close({ droppedFrames: 5 });
        const stated = artifacts.map(({ metadata }) => metadata.droppedFrames);
        const isStated = artifacts.length === 0 || stated.includes(5);
        expectContract(
          isStated,
          "droppedFrames of close stands in the metadata of an artifact",
          JSON.stringify(stated),
        );
      },
    },
    {
      name: "pixels and results are not changed by a write",
      run: async () => {
        const target = await options.create();
        await target.open(description);
        for (let step = 0; step < stepCount; step += 1) {
          const result = pictureOf(description, step);
          const before = result.output === undefined ? undefined : bytesOf(result.output.data).slice();
          await target.write(result);
          const after = result.output === undefined ? undefined : bytesOf(result.output.data);
          expectContract(
            isEqual(before, after),
            "a target never writes into the pixels of a result",
            `step ${step} changed`,
          );
        }
        await target.close();
      },
    },
  ];
  const { contents, createFailing } = options;
  if (contents !== undefined) cases.push(...memoryCases(options.create, contents, run));
  if (createFailing !== undefined) cases.push(failingCase(createFailing, description, stepCount));
  return cases;
}

function memoryCases(
  create: OutputTargetConformanceOptions["create"],
  contents: NonNullable<OutputTargetConformanceOptions["contents"]>,
  run: (target: OutputTarget, how?: RunOptions) => Promise<readonly OutputArtifact[]>,
): readonly ConformanceCase[] {
  const result = async (how: RunOptions): Promise<unknown> => {
    const target = await create();
    return contents(await run(target, how), target);
  };
  return [
    {
      name: "nothing of a result's memory is kept beyond its write",
      run: async () => {
        const same = isEqual(await result({}), await result({ scribble: true }));
        const contract = "after write has settled the memory may be used again; the target has taken what it needs";
        expectContract(same, contract, "another content when each chunk is overwritten after its write");
      },
    },
    {
      name: "E7: pixels are read at their own offset and length within a larger buffer",
      run: async () => {
        const same = isEqual(await result({}), await result({ embed: true }));
        const contract = "pixel data may be a view into a larger buffer";
        expectContract(same, contract, "another content when each chunk lies in the middle of a larger buffer");
      },
    },
  ];
}

function failingCase(
  createFailing: () => OutputTarget | Promise<OutputTarget>,
  description: SessionDescription,
  stepCount: number,
): ConformanceCase {
  return {
    name: "a write that fails says so by name, and the target closes all the same",
    run: async () => {
      const target = await createFailing();
      let failure = await outcomeOf(() => target.open(description));
      for (let step = 0; step < stepCount && failure === undefined; step += 1)
        failure = await outcomeOf(() => target.write(pictureOf(description, step)));
      const closing = await outcomeOf(() => target.close());
      const found = failure ?? closing;
      expectContract(
        found !== undefined,
        "a target that cannot write rejects open, write or close",
        "everything succeeded",
      );
      const { error } = found;
      await refused(() => rethrow(error), "a failing target names its fault");
      if (failure !== undefined) {
        await succeeds(() => target.close(), "after a failed open or write, close resolves");
        const contract = "after a failed write and a close the target is closed";
        await refused(() => target.write(pictureOf(description, 0)), contract, ["closed"]);
      }
    },
  };
}

async function runTarget(
  target: OutputTarget,
  description: SessionDescription,
  stepCount: number,
  how: RunOptions,
): Promise<readonly OutputArtifact[]> {
  await target.open(description);
  for (let step = 0; step < stepCount; step += 1) {
    const result = pictureOf(description, step, how.embed === true);
    await target.write(result);
    if (how.scribble === true && result.output !== undefined) bytesOf(result.output.data).fill(step + 1);
  }
  return target.close();
}

/** A result whose frames are soft pictures that differ from step to step and frame to frame. */
function pictureOf(description: SessionDescription, stepIndex: number, isEmbedded = false): StepResult {
  const { width, height, framesPerStep, firstStepFrames, format, layout, colorSpace, range } = description;
  const frameCount = stepIndex === 0 ? firstStepFrames : framesPerStep;
  const values = width * height * frameCount * (format === "rgba8" ? 4 : 3);
  const isFloat = format === "rgbf32";
  const value = (index: number): number => (index * 7 + Math.floor(index / (width * 3)) * 3 + stepIndex * 40) % 256;
  const padding = isEmbedded ? 64 : 0;
  const length = values + 2 * padding;
  const whole = isFloat ? new Float32Array(length).fill(0.7) : new Uint8Array(length).fill(201);
  const data = whole.subarray(padding, padding + values);
  for (let index = 0; index < values; index += 1) data[index] = isFloat ? value(index) / 255 : value(index);
  return stepResult({ stepIndex, output: { width, height, frameCount, format, layout, colorSpace, range, data } });
}

async function rethrow(error: unknown): Promise<never> {
  throw error;
}
