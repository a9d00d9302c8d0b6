import { createHash } from "node:crypto";
import { clockStepCost, createProbeWorld } from "@dreamloop/worlds";
import { FakeClock } from "@dreamloop/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  eventListSource,
  MemoryPayloadStore,
  readTrace,
  replayTrace,
  runBatch,
  startRealtime,
  TraceEncoder,
  type HistoryOptions,
  type RealtimeRun,
  type SessionState,
  type Trace,
  type UserInputEventInput,
} from "../index.ts";
import { SessionHistory } from "../snapshot/session-history.ts";
import type { MomentPosition } from "../snapshot/driver-history.ts";

const hasher = {
  digest: (parts: readonly Uint8Array[]) => createHash("sha256").update(Buffer.concat(parts)).digest("hex"),
};
const config = {
  modelId: "probe",
  runtimeOptions: { width: 64, height: 48, framesPerSecond: 10, stepTimeSeconds: 0.04, finalize: true },
};

interface Live {
  readonly run: RealtimeRun;
  readonly clock: FakeClock;
  readonly history: SessionHistory;
  /** What was shown, as `generation:stepIndex:hash`. */
  readonly shown: string[];
  trace(): Promise<Trace>;
}

async function startLive(
  options: { readonly history?: HistoryOptions; readonly from?: SessionState } = {},
): Promise<Live> {
  let text = "";
  const clock = new FakeClock({ startSeconds: 50 });
  const history = new SessionHistory({ hasher, clock, spacingSeconds: 0.5, ...options.history });
  const shown: string[] = [];
  const run = startRealtime({
    adapter: createProbeWorld({ cost: clockStepCost(clock, (seconds) => clock.elapse(seconds)) }),
    clock,
    config,
    history,
    frameHasher: hasher,
    ...(options.from === undefined
      ? { seed: 3, initialInputs: { initial: { prompt: "start" } } }
      : { from: { state: options.from } }),
    observers: [
      new TraceEncoder({ sink: { write: (more) => void (text += more) }, hasher, payloads: new MemoryPayloadStore() }),
      {
        stepCommitted: ({ result, frameHashes, discarded }) => {
          if (!discarded) shown.push(`${result.generation}:${result.stepIndex}:${frameHashes?.join() ?? ""}`);
        },
      },
    ],
  });
  await clock.advance(0);
  await run.started;
  return {
    run,
    clock,
    history,
    shown,
    trace: async () => {
      const closing = run.close();
      await clock.advance(5);
      await closing;
      return readTrace([new TextEncoder().encode(text)]);
    },
  };
}

const press = (live: Live, eventType: string, code: string): void =>
  live.run.push([{ timestampSeconds: live.clock.nowSeconds(), eventType, payload: { code } }]);

/** Lets time pass until it is done. */
async function take<T>(live: Live, asked: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = (): void => void (isSettled = true);
  asked.then(settled, settled);
  for (let turn = 0; turn < 500 && !isSettled; turn += 1) await live.clock.advance(0.1);
  return asked;
}

function rewind(live: Live, to: MomentPosition | { readonly secondsAgo: number }): ReturnType<RealtimeRun["rewind"]> {
  return take(live, live.run.rewind(to));
}

function expectEqualReplay(trace: Trace): Promise<unknown> {
  const adapter = createProbeWorld({ cost: { wait: () => Promise.resolve(), block: () => undefined } });
  return replayTrace({ trace, adapter, frameHasher: hasher, clock: new FakeClock() });
}

/** The hash of a step of a generation. */
const hashOf = (live: Live, generation: number, stepIndex: number): string | undefined =>
  live.shown.find((line) => line.startsWith(`${generation}:${stepIndex}:`))?.split(":")[2];

describe("rewind", () => {
  test("O6: goes on from an earlier step as a new generation, and the trace with it replays equal", async () => {
    const live = await startLive();
    await live.clock.advance(2);
    const answer = await rewind(live, { generation: 0, stepIndex: 7 });
    expect(answer).toEqual({ generation: 1, from: { generation: 0, stepIndex: 7 } });
    await live.clock.advance(1);
    // The first step after it is the same step again, with other input at most.
    expect(live.shown.filter((line) => line.startsWith("1:"))[0]).toMatch(/^1:7:/);
    const trace = await live.trace();
    expect(trace.steps.find(({ rewind: found }) => found !== undefined)).toMatchObject({
      generation: 1,
      stepIndex: 7,
      rewind: { generation: 1, toGeneration: 0, stepIndex: 7 },
    });
    expect(await expectEqualReplay(trace)).toMatchObject({ equal: true, comparedFrames: trace.steps.length });
  });

  test("O6: without new input the steps after it give the same frames as before", async () => {
    const live = await startLive();
    await live.clock.advance(2);
    await rewind(live, { generation: 0, stepIndex: 4 });
    await live.clock.advance(1);
    for (const stepIndex of [4, 5, 6, 7]) {
      expect(hashOf(live, 1, stepIndex)).toBeDefined();
    }
    // The probe paints its generation; what it paints otherwise is compared through a second rewind to the same moment.
    await rewind(live, { generation: 0, stepIndex: 4 });
    await live.clock.advance(1);
    for (const stepIndex of [5, 6, 7]) expect(hashOf(live, 2, stepIndex)).toBe(hashOf(live, 1, stepIndex));
    await live.trace();
  });

  test("O7: a key held then and not now is released, one held now stays held", async () => {
    const live = await startLive();
    press(live, "key_down", "KeyE");
    await live.clock.advance(0.6);
    const heldThen = live.run.status().stepCount;
    await live.clock.advance(0.4);
    press(live, "key_up", "KeyE");
    press(live, "key_down", "KeyW");
    await live.clock.advance(0.3);
    press(live, "key_down", "KeyW");
    await rewind(live, { generation: 0, stepIndex: heldThen });
    press(live, "key_down", "KeyW");
    await live.clock.advance(0.2);
    const { state } = await take(live, live.run.capture());
    const converters = JSON.stringify(state.rollout.canonicalizerState);
    expect(converters).toContain("KeyW");
    expect(converters).not.toContain("KeyE");
    expect(await expectEqualReplay(await live.trace())).toMatchObject({ equal: true });
  });

  test("O6: works while paused, shows one frame there, and stays paused", async () => {
    const live = await startLive();
    await live.clock.advance(2);
    live.run.pause();
    await live.clock.advance(1);
    const count = live.shown.length;
    await rewind(live, { secondsAgo: 1 });
    await live.clock.advance(3);
    expect(live.run.status().paused).toBe(true);
    expect(live.shown.length - count).toBe(1);
    live.run.resume();
    await live.clock.advance(1);
    expect(live.shown.length).toBeGreaterThan(count + 5);
    expect(await expectEqualReplay(await live.trace())).toMatchObject({ equal: true });
  });

  test("a moment that is not kept, a run without history and a rewind among device events are refused, and the run goes on", async () => {
    const live = await startLive();
    await live.clock.advance(1);
    await expect(rewind(live, { generation: 0, stepIndex: 999 })).rejects.toMatchObject({ code: "not_found" });
    await expect(rewind(live, { generation: 4, stepIndex: 0 })).rejects.toMatchObject({ code: "not_found" });
    await expect(live.run.rewind({ generation: -1, stepIndex: 0 })).rejects.toMatchObject({ code: "invalid_value" });
    const event: UserInputEventInput = {
      timestampSeconds: 51,
      eventType: "rewind",
      payload: { generation: 0, stepIndex: 1 },
    };
    expect(() => live.run.push([event])).toThrow(/rewind\(\)/);
    const before = live.shown.length;
    await live.clock.advance(1);
    expect(live.shown.length).toBeGreaterThan(before + 5);
    expect(await expectEqualReplay(await live.trace())).toMatchObject({ equal: true });
    const rewound = runBatch({
      adapter: createProbeWorld(),
      clock: new FakeClock(),
      config: { ...config, runtimeOptions: { ...config.runtimeOptions, stepTimeSeconds: 0 } },
      source: eventListSource({ events: [{ ...event, timestampSeconds: 0.5 }] }),
      stepLimit: 20,
    });
    await expect(rewound).rejects.toMatchObject({ code: "unavailable" });
  });

  const deeds = fc.array(
    fc.tuple(
      fc.double({ min: 0, max: 0.6, noNaN: true }),
      fc.oneof(
        fc.constantFrom("KeyW", "KeyA", "KeyE").map((code) => ({ kind: "press" as const, code })),
        fc.constantFrom("KeyW", "KeyA", "KeyE").map((code) => ({ kind: "release" as const, code })),
        fc.constant({ kind: "reset" as const }),
        fc.constant({ kind: "pause" as const }),
        fc.constant({ kind: "resume" as const }),
        fc.nat(1000).map((place) => ({ kind: "rewind" as const, place })),
        fc.nat(1000).map((place) => ({ kind: "fork" as const, place })),
      ),
    ),
    { minLength: 8, maxLength: 30 },
  );

  test("O6: any sequence of rewinds, forks, resets and keys replays equal, and every fork is exact (property)", async () => {
    await fc.assert(
      fc.asyncProperty(deeds, fc.constantFrom(0.1, 0.5, 2), async (sequence, spacingSeconds) => {
        const live = await startLive({ history: { spacingSeconds } });
        const forks: { readonly at: MomentPosition; readonly state: SessionState }[] = [];
        for (const [wait, deed] of sequence) {
          await live.clock.advance(wait);
          const { generations } = live.history.facts;
          const at = "place" in deed ? momentAt(generations, deed.place) : { generation: 0, stepIndex: 0 };
          if (deed.kind === "press") press(live, "key_down", deed.code);
          else if (deed.kind === "release") press(live, "key_up", deed.code);
          else if (deed.kind === "reset") live.run.reset().catch(() => undefined);
          else if (deed.kind === "pause") live.run.pause();
          else if (deed.kind === "resume") live.run.resume();
          else if (deed.kind === "rewind") await rewind(live, at);
          else forks.push({ at, state: (await take(live, live.run.fork(at))).state });
        }
        live.run.resume();
        await live.clock.advance(1);
        const trace = await live.trace();
        expect(await expectEqualReplay(trace)).toMatchObject({ equal: true });
        expect(trace.forks).toHaveLength(forks.length);
        for (const { state } of forks.slice(0, 2)) expect(await continued(state)).toEqual(await continued(state));
        live.history.close();
        expect(live.history.facts.usedBytes).toBe(0);
      }),
      { numRuns: 15 },
    );
  });
});

function momentAt(
  generations: readonly { generation: number; keptFromStepIndex: number; endStepIndex: number }[],
  place: number,
): MomentPosition {
  const found = generations[place % generations.length];
  const count = found.endStepIndex - found.keptFromStepIndex + 1;
  return { generation: found.generation, stepIndex: found.keptFromStepIndex + (place % count) };
}

async function continued(state: SessionState): Promise<readonly string[]> {
  const hashes: string[] = [];
  await runBatch({
    adapter: createProbeWorld({ cost: { wait: () => Promise.resolve(), block: () => undefined } }),
    clock: new FakeClock(),
    config,
    from: { state },
    stepLimit: 5,
    frameHasher: hasher,
    observers: [{ stepCommitted: ({ frameHashes = [] }) => void hashes.push(...frameHashes) }],
  });
  return hashes;
}
