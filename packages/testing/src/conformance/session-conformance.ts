import type { InferenceSession, Mapping } from "@dreamloop/core";
import { framesOfStep, modelInputs, stepRequest } from "@dreamloop/core";
import { isEqual, expectContract, refused, succeeds, type ConformanceCase } from "./conformance-case.ts";
import { closeCase, memoryCases } from "./session-memory-cases.ts";
import { resetCases, snapshotCases } from "./session-state-cases.ts";
import { transactionCases, type TransactionOptions } from "./session-transaction-cases.ts";
import { expectSamePixels, WorldUnderTest, type WorldConformanceOptions } from "./world-under-test.ts";

/** What the suite for sessions needs to know beside the world; cases that lack what they need are left out. */
export interface SessionConformanceOptions extends WorldConformanceOptions, TransactionOptions {
  /** An update that the model accepts, such as `{ prompt: "rain" }`; absent: the case about amended resets is left out. */
  readonly update?: Mapping;
  /** Whether sessions have snapshots; default true. */
  readonly snapshots?: boolean;
  /** Whether a runtime runs several sessions at a time; default true. False: a second session has to be refused as busy. */
  readonly interleaves?: boolean;
}

/** The cases that every runtime and session of a deterministic world passes. */
export function sessionConformance(options: SessionConformanceOptions): readonly ConformanceCase[] {
  const world = new WorldUnderTest(options);
  return [
    ...resultCases(world),
    ...transactionCases(options, world),
    ...(options.interleaves === false ? [busyCase(world)] : [interleavingCase(world)]),
    ...resetCases(options, world),
    ...(options.snapshots === false ? [] : snapshotCases(world)),
    ...memoryCases(world),
    closeCase(options, world),
  ];
}

function resultCases(world: WorldUnderTest): readonly ConformanceCase[] {
  return [
    {
      name: "it asks for step after step, and asking twice changes nothing",
      run: world.inRuntime((runtime) =>
        world.withSession(runtime, async (session) => {
          for (let index = 0; index < world.stepCount; index += 1) {
            const asked = [session.nextStepRequest(), session.nextStepRequest()];
            const contract = `before step ${index} the session asks for step ${index}, every time`;
            for (const request of asked) {
              expectContract(request !== undefined, contract, "the rollout is complete");
              const valid = await succeeds(() => stepRequest(request), "a request is a valid StepRequest");
              expectContract(valid.stepIndex === index, contract, `step ${valid.stepIndex}`);
            }
            const { result } = await world.playStep(session, index);
            expectContract(
              result.stepIndex === index,
              "a result carries the index that was asked for",
              `${result.stepIndex}`,
            );
          }
        }),
      ),
    },
    {
      name: "its frames are those of the description",
      run: world.inRuntime((runtime) =>
        world.withSession(runtime, async (session) => {
          const description = runtime.describe();
          for (let index = 0; index < world.stepCount; index += 1) {
            const { result } = await succeeds(() => world.playStep(session, index), "a step gives a valid StepResult");
            const { output } = result;
            const frames = framesOfStep(description, index);
            expectContract(
              result.frameCount === frames,
              `step ${index} has ${frames} frame(s)`,
              `${result.frameCount}`,
            );
            for (const field of ["width", "height", "format", "layout", "colorSpace", "range"] as const) {
              const contract = `${field} of a chunk is that of the description`;
              expectContract(
                output?.[field] === description[field],
                contract,
                `${output?.[field]}, not ${description[field]}`,
              );
            }
          }
        }),
      ),
    },
    {
      name: "G3: the same seed and inputs give the same pixels",
      run: world.inRuntime(async (runtime) => {
        const first = await world.undisturbed(runtime);
        const contract = "a session's pixels depend on seed and inputs alone";
        expectSamePixels(await world.undisturbed(runtime), first, contract);
        await world.withRuntime(async (other) => expectSamePixels(await world.undisturbed(other), first, contract));
      }),
    },
    {
      name: "inputs are not changed by a step",
      run: world.inRuntime((runtime) =>
        world.withSession(runtime, async (session) => {
          const inputs = modelInputs(world.inputsOf(0));
          const before = structuredClone({ ...inputs.step });
          await world.playStep(session, 0, inputs);
          expectContract(
            isEqual(before, { ...inputs.step }),
            "a session never writes into its inputs",
            "changed step inputs",
          );
        }),
      ),
    },
  ];
}

function interleavingCase(world: WorldUnderTest): ConformanceCase {
  return {
    name: "F3, J1: sessions that take turns give what each gives alone",
    run: world.inRuntime(async (runtime) => {
      const seeds = [world.seed, world.seed + 1];
      const alone: (readonly Uint8Array[])[] = [];
      for (const seed of seeds)
        alone.push(await world.withSession(runtime, (session) => world.play(session), { seed }));
      const found: Uint8Array[][] = [[], []];
      const open = (seed: number, body: (session: InferenceSession) => Promise<void>): Promise<void> =>
        world.withSession(runtime, body, { seed });
      await open(seeds[0], (one) =>
        open(seeds[1], async (other) => {
          for (let index = 0; index < world.stepCount; index += 1) {
            found[0].push((await world.playStep(one, index)).bytes);
            found[1].push((await world.playStep(other, index)).bytes);
          }
        }),
      );
      const contract = "interleaved sessions equal separate ones bit for bit";
      found.forEach((pixels, which) => expectSamePixels(pixels, alone[which], contract));
    }),
  };
}

function busyCase(world: WorldUnderTest): ConformanceCase {
  return {
    name: "a session beyond the declared number is refused as busy, and admitted once there is room",
    run: world.inRuntime(async (runtime) => {
      const limit = runtime.maxSessions ?? 1;
      const start = (): Promise<void> => world.withSession(runtime, async () => undefined);
      const fill = (left: number): Promise<void> =>
        left === 0
          ? refused(start, `session number ${limit + 1} is refused`, ["busy"])
          : world.withSession(runtime, () => fill(left - 1));
      await fill(limit);
      await succeeds(start, "after a session was closed there is room for another one");
    }),
  };
}
