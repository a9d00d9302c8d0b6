import { inferenceConfig, type InferenceSession, type ModelAdapter, type StepResultInput } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { changedWorld, changeResults, type WorldChanges, overriding } from "../fakes/changed-world.ts";
import { FAILURE_POINTS, FailurePlan } from "../fakes/failure-plan.ts";
import { fakeWorld, type FakeWorldOptions } from "../fakes/fake-world.ts";
import { registerCases } from "./conformance-case.ts";
import { rejectionCases } from "./rejection-cases.ts";
import { sessionConformance, type SessionConformanceOptions } from "./session-conformance.ts";

const base: FakeWorldOptions = { stepCount: Infinity, framesPerStep: 2, firstStepFrames: 1, maxSessions: 4 };

/** A fake world in which some things are replaced. */
function changedFake(changes: WorldChanges, options: FakeWorldOptions = {}): ModelAdapter {
  return changedWorld(fakeWorld({ ...base, ...options }).adapter, changes);
}

function optionsFor(adapter: ModelAdapter): SessionConformanceOptions {
  return {
    adapter,
    initial: { initial: { prompt: "sun" } },
    stepInputs: (index) => ({ step: { action: index * 3 } }),
    update: { prompt: "a much longer prompt" },
  };
}

type Step = InferenceSession["step"];

function bytes(result: StepResultInput): Uint8Array {
  return result.output?.data as Uint8Array;
}

describe("right sessions pass", () => {
  const failing = { config: {}, stepIndex: 2 };
  // The fake fails by plan: the second run of a step number 2, the first belonging to the run without a failure.
  const failures = new FailurePlan([{ at: FAILURE_POINTS.step, call: 7 }]);
  const cases = sessionConformance({ ...optionsFor(fakeWorld(base).adapter), update: { prompt: "rain" } });
  registerCases(test, cases);
  const planned = sessionConformance({ ...optionsFor(fakeWorld({ ...base, failures }).adapter), failing });
  registerCases(
    test,
    planned.filter(({ name }) => name.includes("half-way")),
  );
});

describe("right sessions with finalisation pass", () => {
  const cases = sessionConformance(optionsFor(fakeWorld({ ...base, finalizes: true }).adapter));
  registerCases((name, run) => test(`${name} (finalised)`, run), cases);
});

describe("right sessions one at a time, without snapshots, pass", () => {
  const { adapter } = fakeWorld({ ...base, maxSessions: 1, snapshots: false });
  const cases = sessionConformance({ ...optionsFor(adapter), snapshots: false, interleaves: false });
  registerCases((name, run) => test(`${name} (single)`, run), cases);
});

function fakeDescription(options: FakeWorldOptions) {
  const description = fakeWorld({ ...base, ...options }).adapter.describe?.(inferenceConfig({ modelId: "fake" }));
  if (description === undefined) throw new Error("the fake adapter describes itself");
  return description;
}

/** Whether the case has its proof in session-state-cases.test.ts. */
function isStateCase(name: string): boolean {
  return /reset|snapshot/.test(name);
}

describe("the suite of sessions", () => {
  const suite = (adapter: ModelAdapter, rest: Partial<SessionConformanceOptions> = {}) =>
    sessionConformance({ ...optionsFor(adapter), badStep: { step: { action: -1 } }, ...rest });
  const all = [
    ...suite(fakeWorld(base).adapter, { failing: { config: {}, stepIndex: 2 } }),
    ...suite(fakeWorld(base).adapter, { interleaves: false }),
  ];
  /** Sessions whose pixels also depend on something that they forget to treat as state. */
  const leaking = (
    leak: (session: InferenceSession, state: { count: number }) => Partial<InferenceSession>,
    state: { count: number } | undefined = undefined,
    options: FakeWorldOptions = {},
  ): ModelAdapter =>
    changedFake(
      {
        session: (session) => {
          const own = state ?? { count: 0 };
          const step: Step = async (inputs, how) => {
            const result = await session.step(inputs, how);
            bytes(result)[0] ^= own.count;
            return result;
          };
          return { step, ...leak(session, own) };
        },
      },
      options,
    );
  const broken = rejectionCases(
    all.filter(({ name }) => !isStateCase(name)),
    [
      {
        fault: "a session that counts requests instead of steps",
        rejectedBy: "it asks for step after step, and asking twice changes nothing",
        message: /asks for step 0, every time; found: step 1/,
        cases: suite(
          changedFake({
            session: () => {
              let asked = 0;
              return { nextStepRequest: () => ({ stepIndex: asked++ }) };
            },
          }),
        ),
      },
      {
        fault: "a session that answers with another index",
        rejectedBy: "it asks for step after step, and asking twice changes nothing",
        message: /index that was asked for; found: 1/,
        cases: suite(
          changedFake({ session: changeResults((result) => ({ ...result, stepIndex: result.stepIndex + 1 })) }),
        ),
      },
      {
        fault: "a session that forgets its shorter first step",
        rejectedBy: "its frames are those of the description",
        message: /step 0 has 1 frame\(s\); found: 2/,
        cases: suite(changedFake({ runtime: () => ({ describe: () => fakeDescription({}) }) }, { firstStepFrames: 2 })),
      },
      {
        fault: "a session whose pixels have another order than described",
        rejectedBy: "its frames are those of the description",
        message: /layout of a chunk is that of the description; found: tchw, not thwc/,
        cases: suite(
          changedFake({
            session: changeResults((result) =>
              result.output === undefined ? result : { ...result, output: { ...result.output, layout: "tchw" } },
            ),
          }),
        ),
      },
      {
        fault: "a world with randomness of its own",
        rejectedBy: "G3: the same seed and inputs give the same pixels",
        message: /seed and inputs alone; found: other pixels in step 0/,
        cases: (() => {
          const state = { count: 0 };
          return suite(
            leaking(() => ({}), state),
            { stepInputs: () => ({ step: { action: (state.count += 1) } }) },
          );
        })(),
      },
      {
        fault: "a session that writes into its inputs",
        rejectedBy: "inputs are not changed by a step",
        message: /never writes into its inputs/,
        cases: suite(
          changedFake({
            session: changeResults((result, _, inputs) => {
              (inputs.step.tensor as Float32Array)[0] = 1;
              return result;
            }),
          }),
          { stepInputs: () => ({ step: { tensor: new Float32Array(2) } }) },
        ),
      },
      {
        fault: "a session that counts cancelled steps",
        rejectedBy: "F2: a cancelled step is refused as cancelled and leaves no trace",
        message: /as if it had not been asked for; found: other pixels in step 2/,
        cases: suite(
          leaking((session, state) => ({
            step: async (inputs, how) => {
              if (how.signal?.aborted === true) state.count += 1;
              const result = await session.step(inputs, how);
              bytes(result)[0] ^= state.count;
              return result;
            },
          })),
        ),
      },
      {
        fault: "a session that runs cancelled steps",
        rejectedBy: "F2: a cancelled step is refused as cancelled and leaves no trace",
        message: /with a fired signal rejects; found: the call succeeded/,
        cases: suite(changedFake({ session: (session) => ({ step: (inputs) => session.step(inputs, {}) }) })),
      },
      {
        fault: "a session that keeps a discarded step",
        rejectedBy: "F2: a step that is discarded leaves no trace, where steps can be discarded",
        message: /same step is asked for again; found: step 3/,
        cases: suite(changedFake({ session: () => ({ discardStep: () => undefined }) })),
      },
      {
        fault: "a session that finalises but cannot discard",
        rejectedBy: "F2: a step that is discarded leaves no trace, where steps can be discarded",
        message: /has discardStep; found: no discardStep/,
        cases: suite(changedFake({ session: () => ({ finalizeStep: () => undefined }) })),
      },
      {
        fault: "a session that does not wait for finalisation",
        rejectedBy: "a step that waits for its finalisation does not count yet",
        message: /refused until the last one is finalised or discarded; found: the call succeeded/,
        cases: suite(changedFake({ session: () => ({ finalizeStep: () => undefined, discardStep: () => undefined }) })),
      },
      {
        fault: "a session that accepts everything",
        rejectedBy: "F2: refused inputs leave no trace",
        message: /bad inputs are refused; found: the call succeeded/,
        cases: suite(fakeWorld(base).adapter),
      },
      {
        fault: "a session that does not fail when it should",
        rejectedBy: "F2: a step that fails half-way leaves no trace",
        message: /step 2 of the failing configuration fails; found: it succeeded/,
        cases: suite(fakeWorld(base).adapter, { failing: { config: {}, stepIndex: 2 } }),
      },
      {
        fault: "a session whose failed step leaves something behind",
        rejectedBy: "F2: a step that fails half-way leaves no trace",
        message: /as if it had not run; found: other pixels in step 2/,
        cases: (() => {
          const failures = new FailurePlan([{ at: FAILURE_POINTS.step, call: 7 }]);
          const adapter = leaking(
            (session, state) => ({
              step: async (inputs, how) => {
                state.count += 1;
                const result = await session.step(inputs, how);
                bytes(result)[0] ^= state.count - (result.stepIndex ?? 0);
                return result;
              },
            }),
            undefined,
            { failures },
          );
          return suite(adapter, { failing: { config: {}, stepIndex: 2 } });
        })(),
      },
      {
        fault: "sessions that share their state",
        rejectedBy: "F3, J1: sessions that take turns give what each gives alone",
        message: /interleaved sessions equal separate ones/,
        cases: (() => {
          const state = { count: 0 };
          return suite(
            leaking(
              (session) => ({
                step: async (inputs, how) => {
                  const request = session.nextStepRequest();
                  state.count = request?.stepIndex === 0 ? 1 : state.count + 1;
                  const result = await session.step(inputs, how);
                  bytes(result)[0] ^= state.count;
                  return result;
                },
              }),
              state,
            ),
          );
        })(),
      },
      {
        fault: "a runtime that admits more sessions than it declares",
        rejectedBy: "a session beyond the declared number is refused as busy, and admitted once there is room",
        message: /session number 2 is refused; found: the call succeeded/,
        cases: suite(changedFake({ runtime: () => ({ maxSessions: 1 }) }), { interleaves: false }),
      },
      {
        fault: "a session that paints over frames which are still in use",
        rejectedBy: "the memory of a chunk is not touched until it is released",
        message: /stay as they are until release; found: those of step 1 changed/,
        cases: suite(
          changedFake({
            session: () => ({}),
            runtime: (runtime) => ({
              startSession: async (inputs, how) => {
                const session = await runtime.startSession(inputs, how);
                const shared = new Uint8Array(2 * 2 * 3 * 2);
                const step = changeResults((result) => {
                  const { output } = result;
                  if (output === undefined || bytes(result).length !== shared.length) return result;
                  shared.set(bytes(result));
                  return { ...result, output: { ...output, data: shared } };
                });
                return overriding(session, step(session));
              },
            }),
          }),
        ),
      },
      {
        fault: "a session that changes with the time of release",
        rejectedBy: "a run whose memory is released late gives the same pixels",
        message: /time of release has no effect; found|time of release has no effect on pixels/,
        cases: suite(
          leaking((session, state) => ({
            step: async (inputs, how) => {
              const result = await session.step(inputs, how);
              bytes(result)[0] ^= state.count;
              state.count += 1;
              const release = (): void => {
                state.count -= 1;
              };
              return result.output === undefined ? result : { ...result, output: { ...result.output, release } };
            },
          })),
        ),
      },
      {
        fault: "a session that steps after its end",
        rejectedBy: "a session closes once, does nothing afterwards and leaves the runtime working",
        message: /closed session refuses to step; found: the call succeeded/,
        cases: suite(changedFake({ session: () => ({ close: () => undefined }) })),
      },
      {
        fault: "a session that cannot be closed twice",
        rejectedBy: "a session closes once, does nothing afterwards and leaves the runtime working",
        message: /close of a session may be repeated/,
        cases: suite(
          changedFake({
            session: (session) => {
              let closed = false;
              return {
                close: async () => {
                  if (closed) throw new Error("double free");
                  closed = true;
                  await session.close();
                },
              };
            },
          }),
        ),
      },
    ],
  );
  registerCases(test, broken);

  test("leaves out what it is not told about", () => {
    const { adapter } = fakeWorld(base);
    const names = sessionConformance({ adapter, snapshots: false }).map(({ name }) => name);
    expect(names.some((name) => /snapshot|amended|half-way|refused inputs/.test(name))).toBe(false);
  });
});
