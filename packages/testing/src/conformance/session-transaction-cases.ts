import {
  modelInputs,
  stepResult,
  type InferenceConfigInput,
  type InferenceRuntime,
  type InferenceSession,
  type ModelInputsInput,
} from "@dreamloop/core";
import { expectContract, refused, type ConformanceCase } from "./conformance-case.ts";
import { expectSamePixels, type WorldUnderTest } from "./world-under-test.ts";

/** What the cases about failing steps need to know. */
export interface TransactionOptions {
  /** Step inputs that the model refuses. */
  readonly badStep?: ModelInputsInput;
  /** A configuration in which the first try of a step fails half-way and the second succeeds. */
  readonly failing?: { readonly config: Partial<InferenceConfigInput>; readonly stepIndex: number };
}

/** The cases that say that a step is a transaction. */
export function transactionCases(options: TransactionOptions, world: WorldUnderTest): readonly ConformanceCase[] {
  /** Plays a run in whose middle `disturb` happens, and compares it with one in which it does not. */
  const disturbed =
    (contract: string, disturb: (session: InferenceSession, stepIndex: number) => Promise<void>) =>
    async (runtime: InferenceRuntime): Promise<void> => {
      const expected = await world.undisturbed(runtime);
      const middle = Math.floor(world.stepCount / 2);
      await world.withSession(runtime, async (session) => {
        const found = [...(await world.play(session, 0, middle))];
        await disturb(session, middle);
        found.push(...(await world.play(session, middle)));
        expectSamePixels(found, expected, contract);
      });
    };
  const cases: ConformanceCase[] = [
    {
      name: "F2: a cancelled step is refused as cancelled and leaves no trace",
      run: world.inRuntime(
        disturbed("after a cancelled step the run goes on as if it had not been asked for", async (session, index) => {
          const cancelled = async (): Promise<void> =>
            void (await session.step(modelInputs(world.inputsOf(index)), { signal: AbortSignal.abort() }));
          await refused(cancelled, "a step with a fired signal rejects", ["cancelled"]);
        }),
      ),
    },
    {
      name: "F2: a step that is discarded leaves no trace, where steps can be discarded",
      run: world.inRuntime(
        disturbed("after discardStep the run goes on as if the step had not run", async (session, index) => {
          const isPaired = session.finalizeStep === undefined || session.discardStep !== undefined;
          expectContract(isPaired, "a session with finalizeStep has discardStep", "no discardStep");
          if (session.discardStep === undefined) return;
          const result = stepResult(await session.step(modelInputs(world.inputsOf(index)), {}));
          session.discardStep();
          result.output?.release?.();
          const asked = session.nextStepRequest()?.stepIndex;
          expectContract(asked === index, "after discardStep the same step is asked for again", `step ${asked}`);
        }),
      ),
    },
    {
      name: "a step that waits for its finalisation does not count yet",
      run: world.inRuntime((runtime) =>
        world.withSession(runtime, async (session) => {
          if (session.finalizeStep === undefined) return;
          const result = stepResult(await session.step(modelInputs(world.inputsOf(0)), {}));
          const next = async (): Promise<void> => void (await session.step(modelInputs(world.inputsOf(1)), {}));
          await refused(next, "the next step is refused until the last one is finalised or discarded");
          await session.finalizeStep({});
          result.output?.release?.();
          const asked = session.nextStepRequest()?.stepIndex;
          expectContract(asked === 1, "after finalizeStep the next step is asked for", `step ${asked}`);
        }),
      ),
    },
  ];
  const { badStep, failing } = options;
  if (badStep !== undefined) {
    cases.push({
      name: "F2: refused inputs leave no trace",
      run: world.inRuntime(
        disturbed("after refused inputs the run goes on as if they had not been given", async (session) => {
          await refused(async () => void (await session.step(modelInputs(badStep), {})), "bad inputs are refused");
        }),
      ),
    });
  }
  if (failing !== undefined) cases.push(failureCase(failing, world));
  return cases;
}

function failureCase(
  { config, stepIndex }: NonNullable<TransactionOptions["failing"]>,
  world: WorldUnderTest,
): ConformanceCase {
  return {
    name: "F2: a step that fails half-way leaves no trace",
    run: async () => {
      const expected = await world.withRuntime((runtime) => world.undisturbed(runtime));
      await world.withRuntime(async (runtime) => {
        await world.withSession(runtime, async (session) => {
          const found = [...(await world.play(session, 0, stepIndex))];
          const failed = await Promise.resolve()
            .then(() => world.playStep(session, stepIndex))
            .then(() => false)
            .catch(() => true);
          expectContract(failed, `step ${stepIndex} of the failing configuration fails`, "it succeeded");
          found.push(...(await world.play(session, stepIndex)));
          expectSamePixels(found, expected, "after a failed step the run goes on as if it had not run");
        });
      }, config);
    },
  };
}
