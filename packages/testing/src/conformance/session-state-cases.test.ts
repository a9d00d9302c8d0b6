import { modelInputs, type ModelAdapter, type SessionSnapshot } from "@dreamloop/core";
import { describe, test } from "vitest";
import { changedWorld, changeResults, type WorldChanges } from "../fakes/changed-world.ts";
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

describe("the cases about resets and snapshots", () => {
  const suite = (adapter: ModelAdapter) => sessionConformance(optionsFor(adapter));
  const all = suite(fakeWorld(base).adapter).filter(({ name }) => /reset|snapshot/.test(name));
  const snapshots = (change: (snapshot: SessionSnapshot) => SessionSnapshot): ModelAdapter =>
    changedFake({
      session: (session) => ({
        snapshot: async () => change((await session.snapshot?.()) as SessionSnapshot),
      }),
    });
  const broken = rejectionCases(all, [
    {
      fault: "a reset that forgets a cache",
      rejectedBy: "after a reset nothing is left of the rollout before",
      message: /what a reset at the start gives; found: other pixels in step 0/,
      cases: suite(
        changedFake({
          session: changeResults((result, count) => {
            (result.output?.data as Uint8Array)[0] ^= count;
            return result;
          }),
        }),
      ),
    },
    {
      fault: "a reset that ignores the seed it is given",
      rejectedBy: "a reset keeps the seed unless one is given, and then uses that",
      message: /a reset with a seed uses it, whatever the seed was before/,
      cases: suite(
        changedFake({
          session: (session) => ({
            reset: ({ inputs }) => session.reset(inputs === undefined ? {} : { inputs }),
          }),
        }),
      ),
    },
    {
      fault: "a reset that takes a new seed by itself",
      rejectedBy: "a reset keeps the seed unless one is given, and then uses that",
      message: /a reset without a seed keeps that of the session/,
      cases: suite(changedFake({ session: (session) => ({ reset: (how) => session.reset({ seed: 7, ...how }) }) })),
    },
    {
      fault: "a reset that does without the inputs it is given",
      rejectedBy: "a reset with inputs starts from those",
      message: /a reset with the inputs of the start/,
      cases: suite(
        changedFake({
          session: (session) => ({
            reset: (how) => session.reset(how.inputs === undefined ? how : { ...how, inputs: modelInputs() }),
          }),
        }),
      ),
    },
    {
      fault: "a reset that forgets updates",
      rejectedBy: "a reset without inputs starts from the initial inputs as amended by updates",
      message: /an update is kept over a reset; found: other pixels/,
      cases: suite(
        changedFake({
          session: (session, inputs) => ({ reset: (how) => session.reset({ inputs, ...how }) }),
        }),
      ),
    },
    {
      fault: "a snapshot without the random state",
      rejectedBy: "a snapshot continues bit for bit, in its own session and in another",
      message: /continues as the one that the snapshot was taken of; found: other pixels in step 2/,
      cases: suite(snapshots((snapshot) => ({ ...snapshot, data: { ...(snapshot.data as object), seed: 12_345 } }))),
    },
    {
      fault: "a session without snapshots that does not say so",
      rejectedBy: "a snapshot continues bit for bit, in its own session and in another",
      message: /has snapshot and restore \(or say snapshots: false\); found: no snapshot/,
      cases: suite(fakeWorld({ ...base, snapshots: false }).adapter),
    },
    {
      fault: "a snapshot that is the living state",
      rejectedBy: "a snapshot is a copy: later steps do not change it, and taking it changes nothing",
      message: /not changed by later steps; found: it changed/,
      cases: suite(
        changedFake({
          session: (session) => {
            const data = { steps: 0 };
            return {
              ...changeResults((result) => {
                data.steps += 1;
                return result;
              })(session),
              snapshot: () => ({ version: "fake@1", data }),
            };
          },
        }),
      ),
    },
    {
      fault: "a session that continues in the snapshot itself",
      rejectedBy: "a snapshot can be restored again and again: continuing from it changes nothing in it",
      message: /each restore of the same snapshot continues in the same way; found: other pixels/,
      cases: suite(
        changedFake({
          session: (session) => ({
            restore: async (snapshot: SessionSnapshot) => {
              await session.restore?.(snapshot);
              (snapshot.data as { seed: number }).seed += 1;
            },
          }),
        }),
      ),
    },
    {
      fault: "a session that draws another seed at each restore",
      rejectedBy: "a snapshot restored with another seed continues with that seed, the same way each time",
      message: /a restore with a seed is as exact as one without; found: other pixels/,
      cases: suite(
        changedFake({
          session: (session) => {
            let count = 0;
            return {
              restore: async (snapshot: SessionSnapshot, { seed }: { readonly seed?: number } = {}) => {
                count += 1;
                await session.restore?.(snapshot, seed === undefined ? {} : { seed: seed + count });
              },
            };
          },
        }),
      ),
    },
    {
      fault: "a session that restores whatever it is given",
      rejectedBy: "a snapshot of another kind is refused and leaves no trace",
      message: /foreign version is refused; found: the call succeeded/,
      cases: suite(changedFake({ session: () => ({ restore: () => undefined }) })),
    },
  ]);
  registerCases(test, broken);
});
