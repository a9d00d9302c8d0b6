import { modelInputs, type InferenceSession, type Mapping } from "@dreamloop/core";
import { isEqual, expectContract, refused, succeeds, type ConformanceCase } from "./conformance-case.ts";
import { expectSamePixels, snapshotOf, type WorldConformanceOptions, type WorldUnderTest } from "./world-under-test.ts";

/** The cases about resets. Runs are compared after one reset each, so that a world may show how many there were. */
export function resetCases(
  options: WorldConformanceOptions & { readonly update?: Mapping },
  world: WorldUnderTest,
): readonly ConformanceCase[] {
  const afterReset = (
    before: (session: InferenceSession) => Promise<void>,
    how: { readonly seed?: number; readonly initial?: Mapping; readonly startSeed?: number } = {},
  ): Promise<readonly Uint8Array[]> =>
    world.withRuntime((runtime) =>
      world.withSession(
        runtime,
        async (session) => {
          await before(session);
          const inputs =
            how.initial === undefined ? undefined : modelInputs({ ...options.initial, initial: how.initial });
          await session.reset({
            ...(how.seed === undefined ? {} : { seed: how.seed }),
            ...(inputs === undefined ? {} : { inputs }),
          });
          const asked = session.nextStepRequest()?.stepIndex;
          expectContract(asked === 0, "after a reset step 0 is asked for", `step ${asked}`);
          return world.play(session);
        },
        how.startSeed === undefined ? {} : { seed: how.startSeed },
      ),
    );
  const nothing = async (): Promise<void> => undefined;
  const steps = async (session: InferenceSession): Promise<void> => void (await world.play(session, 0, 2));
  const initial = modelInputs(options.initial).initial;
  const cases: ConformanceCase[] = [
    {
      name: "after a reset nothing is left of the rollout before",
      run: async () => {
        const contract = "a reset after some steps gives what a reset at the start gives";
        expectSamePixels(await afterReset(steps), await afterReset(nothing), contract);
      },
    },
    {
      name: "a reset keeps the seed unless one is given, and then uses that",
      run: async () => {
        const { seed } = world;
        const given = await afterReset(steps, { seed: seed + 1 });
        const other = await afterReset(nothing, { startSeed: seed + 2, seed: seed + 1 });
        expectSamePixels(other, given, "a reset with a seed uses it, whatever the seed was before");
        const kept = await afterReset(steps, { startSeed: seed + 1 });
        expectSamePixels(kept, given, "a reset without a seed keeps that of the session");
      },
    },
    {
      name: "a reset with inputs starts from those",
      run: async () => {
        const contract = "a reset with the inputs of the start gives what a reset without inputs gives";
        expectSamePixels(await afterReset(steps, { initial }), await afterReset(nothing), contract);
      },
    },
  ];
  const { update } = options;
  if (update !== undefined) {
    const updated = async (session: InferenceSession): Promise<void> =>
      void (await world.playStep(session, 0, { ...world.inputsOf(0), update }));
    cases.push({
      name: "a reset without inputs starts from the initial inputs as amended by updates",
      run: async () => {
        const amended = await afterReset(nothing, { initial: { ...initial, ...update } });
        const contract = "an update is kept over a reset";
        expectSamePixels(await afterReset(updated), amended, contract);
        const plain = "a reset with inputs forgets earlier updates";
        expectSamePixels(await afterReset(updated, { initial }), await afterReset(nothing), plain);
      },
    });
  }
  return cases;
}

/** The cases about snapshots. */
export function snapshotCases(world: WorldUnderTest): readonly ConformanceCase[] {
  const middle = Math.floor(world.stepCount / 2);
  return [
    {
      name: "a snapshot continues bit for bit, in its own session and in another",
      run: () =>
        world.withRuntime(async (runtime) => {
          const expected = (await world.undisturbed(runtime)).slice(middle);
          const contract = "a restored session continues as the one that the snapshot was taken of";
          const snapshot = await world.withSession(runtime, async (session) => {
            await world.play(session, 0, middle);
            const taken = await snapshotOf(session);
            await world.play(session, middle);
            await session.restore?.(taken);
            expectSamePixels(await world.play(session, middle), expected, contract, middle);
            return taken;
          });
          const resume = async (session: InferenceSession): Promise<void> => {
            await session.restore?.(structuredClone(snapshot));
            const asked = session.nextStepRequest()?.stepIndex;
            expectContract(
              asked === middle,
              "a restored session asks for the step after the snapshot",
              `step ${asked}`,
            );
            expectSamePixels(await world.play(session, middle), expected, contract, middle);
          };
          await world.withSession(runtime, resume, { seed: world.seed + 1 });
          await world.withRuntime((other) => world.withSession(other, resume, { seed: world.seed + 1 }));
        }),
    },
    {
      name: "a snapshot is a copy: later steps do not change it, and taking it changes nothing",
      run: () =>
        world.withRuntime(async (runtime) => {
          const expected = await world.undisturbed(runtime);
          await world.withSession(runtime, async (session) => {
            const found = [...(await world.play(session, 0, middle))];
            const snapshot = await snapshotOf(session);
            const clone = (): unknown => structuredClone(snapshot);
            const before = await succeeds(clone, "a snapshot can be cloned, as it crosses threads");
            expectContract(
              isEqual(before, await snapshotOf(session)),
              "two snapshots of one state are equal",
              "they differ",
            );
            found.push(...(await world.play(session, middle)));
            expectContract(isEqual(before, snapshot), "a snapshot is not changed by later steps", "it changed");
            expectSamePixels(found, expected, "taking a snapshot has no effect on the run");
          });
        }),
    },
    {
      name: "a snapshot can be restored again and again: continuing from it changes nothing in it",
      run: () =>
        world.withRuntime((runtime) =>
          world.withSession(runtime, async (session) => {
            await world.play(session, 0, middle);
            const snapshot = await snapshotOf(session);
            const expected = await world.play(session, middle);
            const contract = "each restore of the same snapshot continues in the same way";
            for (let turn = 0; turn < 2; turn += 1) {
              await session.restore?.(snapshot);
              expectSamePixels(await world.play(session, middle), expected, contract, middle);
            }
          }),
        ),
    },
    {
      name: "a snapshot restored with another seed continues with that seed, the same way each time",
      run: () =>
        world.withRuntime((runtime) =>
          world.withSession(runtime, async (session) => {
            await world.play(session, 0, middle);
            const snapshot = await snapshotOf(session);
            const restored = async (): Promise<readonly Uint8Array[]> => {
              await session.restore?.(snapshot, { seed: world.seed + 7 });
              return world.play(session, middle);
            };
            const first = await restored();
            expectSamePixels(await restored(), first, "a restore with a seed is as exact as one without", middle);
          }),
        ),
    },
    {
      name: "a snapshot of another kind is refused and leaves no trace",
      run: () =>
        world.withRuntime(async (runtime) => {
          const expected = await world.undisturbed(runtime);
          await world.withSession(runtime, async (session) => {
            const found = [...(await world.play(session, 0, middle))];
            const foreign = { version: "conformance@0", data: {} };
            const restore = async (): Promise<void> => void (await session.restore?.(foreign));
            await refused(restore, "a snapshot with a foreign version is refused");
            found.push(...(await world.play(session, middle)));
            expectSamePixels(found, expected, "after a refused snapshot the run goes on as before");
          });
        }),
    },
  ];
}
