import { modelInputs, stepResult } from "@dreamloop/core";
import { bytesOf, isEqual, expectContract, refused, succeeds, type ConformanceCase } from "./conformance-case.ts";
import { expectSamePixels, type WorldConformanceOptions, type WorldUnderTest } from "./world-under-test.ts";

/** The cases about the memory of chunks. */
export function memoryCases(world: WorldUnderTest): readonly ConformanceCase[] {
  return [
    {
      name: "the memory of a chunk is not touched until it is released",
      run: world.inRuntime((runtime) =>
        world.withSession(runtime, async (session) => {
          const held = [];
          for (let index = 0; index < world.stepCount; index += 1) {
            const { output } = stepResult(await session.step(modelInputs(world.inputsOf(index)), {}));
            await session.finalizeStep?.({});
            if (output !== undefined) held.push({ output, index, copy: bytesOf(output.data).slice() });
          }
          for (const { output, index, copy } of held) {
            const isSame = isEqual(bytesOf(output.data), copy);
            expectContract(isSame, "pixels stay as they are until release", `those of step ${index} changed`);
          }
          for (const { output } of held) output.release?.();
        }),
      ),
    },
    {
      name: "a run whose memory is released late gives the same pixels",
      run: world.inRuntime(async (runtime) => {
        const expected = await world.undisturbed(runtime);
        await world.withSession(runtime, async (session) => {
          const found: Uint8Array[] = [];
          let late: (() => void) | undefined;
          for (let index = 0; index < world.stepCount; index += 1) {
            const { output } = stepResult(await session.step(modelInputs(world.inputsOf(index)), {}));
            await session.finalizeStep?.({});
            if (output !== undefined) found.push(bytesOf(output.data).slice());
            late?.();
            late = output?.release;
          }
          late?.();
          expectSamePixels(found, expected, "the time of release has no effect on pixels");
        });
      }),
    },
  ];
}

/** The case about the end of a session. */
export function closeCase(options: WorldConformanceOptions, world: WorldUnderTest): ConformanceCase {
  return {
    name: "a session closes once, does nothing afterwards and leaves the runtime working",
    run: world.inRuntime(async (runtime) => {
      const session = await runtime.startSession(modelInputs(options.initial), { seed: world.seed });
      await world.playStep(session, 0);
      await session.close();
      await succeeds(() => session.close(), "close of a session may be repeated");
      const step = async (): Promise<void> => void (await session.step(modelInputs(world.inputsOf(1)), {}));
      await refused(step, "a closed session refuses to step", ["closed"]);
      await succeeds(() => world.undisturbed(runtime), "after a session was closed the runtime starts another");
    }),
  };
}
