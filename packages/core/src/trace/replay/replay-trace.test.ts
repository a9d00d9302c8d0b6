import { createHash } from "node:crypto";
import { changedWorld, FakeClock, fakeWorld, RecordingTarget, type FakeWorldOptions } from "@dreamloop/testing";
import { beforeAll, describe, expect, test } from "vitest";
import { runPlannedBatch, type BatchOptions, type PlannedBatch } from "../../drivers/batch-driver.ts";
import { eventListSource } from "../../inputs/event-list-source.ts";
import type { UserInputEventInput } from "../../inputs/user-input-event.ts";
import { inputMapping } from "../../mapping/input-mapping.ts";
import type { ModelAdapter } from "../../adapter/model-adapter.ts";
import { timeWindow } from "../../foundation/time/time-window.ts";
import { planRun } from "../../rollout/run-plan.ts";
import { readTrace, type Trace } from "../read-trace.ts";
import { TraceEncoder, type TraceEncoderOptions } from "../trace-encoder.ts";
import { MemoryPayloadStore, type PayloadStore } from "../../snapshot/content/payload-store.ts";
import { REPLAY_LEVELS, type ReplayOptions, type ReplayReport } from "./replay-options.ts";
import { replayTrace } from "./replay-trace.ts";

const hasher = {
  digest: (parts: readonly Uint8Array[]) => createHash("sha256").update(Buffer.concat(parts)).digest("hex"),
};

const EVENTS: readonly UserInputEventInput[] = [
  { timestampSeconds: 0.1, eventType: "key_down", payload: { code: "KeyE" } },
  { timestampSeconds: 0.7, eventType: "action_set", payload: { actions: ["go", "jump"] } },
  { timestampSeconds: 1.2, eventType: "prompt_set", payload: { prompt: "rain" } },
  { timestampSeconds: 2.5, eventType: "reset", payload: { seed: 9 } },
  { timestampSeconds: 2.6, eventType: "action_set", payload: { actions: ["go"] } },
  { timestampSeconds: 4.1, eventType: "reset" },
  { timestampSeconds: 4.6, eventType: "action_set", payload: { actions: [] } },
];

const world = (options: FakeWorldOptions = {}): ModelAdapter =>
  fakeWorld({ stepCount: Infinity, framesPerStep: 2, maxSessions: 4, ...options }).adapter;

/** Records what a live run would have given: its windows are its own, and refused updates are left out. */
async function record(
  run: Partial<BatchOptions & Pick<PlannedBatch, "windows" | "dropRefusedUpdates">> = {},
  options: Partial<TraceEncoderOptions> = {},
): Promise<Trace> {
  let text = "";
  const encoder = new TraceEncoder({ sink: { write: (more) => void (text += more) }, hasher, ...options });
  const batch = {
    adapter: world(),
    clock: new FakeClock(),
    source: eventListSource({ events: EVENTS }),
    frameHasher: hasher,
    frameLimit: 13,
    seed: 5,
    initialInputs: { initial: { prompt: "sun", scene: new Float32Array(30).fill(0.5) } },
    observers: [encoder],
    ...run,
  };
  await runPlannedBatch({ ...batch, plan: planRun({ ...batch, sourceSchema: batch.source.schema }) });
  return readTrace([new TextEncoder().encode(text)]);
}

const replay = (trace: Trace, options: Partial<ReplayOptions> = {}): Promise<ReplayReport> =>
  replayTrace({ trace, adapter: world(), frameHasher: hasher, clock: new FakeClock(), ...options });

let trace: Trace;
beforeAll(async () => {
  trace = await record();
});

/** The trace with one step changed. */
const withStep = (index: number, change: Partial<Trace["steps"][number]>): Trace => ({
  ...trace,
  steps: trace.steps.map((step, at) => (at === index ? { ...step, ...change } : step)),
});

const withHeader = (change: Partial<Trace["header"]>): Trace => ({ ...trace, header: { ...trace.header, ...change } });

describe("a replay of user events", () => {
  test("G3: gives the same frame hashes, the same number of frames, and says what it compared", async () => {
    const target = new RecordingTarget();
    const report = await replay(trace, { outputs: [target] });
    expect(report).toMatchObject({ equal: true, stepCount: 7, comparedFrames: 14, differingSteps: 0 });
    expect(report.run).toMatchObject({ outcome: "completed", frameCount: 13, resetCount: 2 });
    expect(target.results.at(-1)?.result.frameCount).toBe(1);
  });

  test("G3, J1: beside another session of the same runtime the frames are the same", async () => {
    const adapter = world();
    const runtime = await adapter.createRuntime(trace.header.config, {});
    const [first, second] = await Promise.all([
      replay(trace, { adapter, runtime }),
      replay(await record({ seed: 6 }), { adapter, runtime }),
    ]);
    expect([first.equal, second.equal]).toEqual([true, true]);
    await runtime.close();
  });

  test("recorded again while it is replayed, it is the same trace", async () => {
    let text = "";
    const sink = { write: (more: string) => void (text += more) };
    await replay(trace, { observers: [new TraceEncoder({ sink, hasher })] });
    const again = await readTrace([new TextEncoder().encode(text)]);
    expect(JSON.stringify(again)).toBe(JSON.stringify(trace));
  });

  test("a trace that was cut off is replayed up to its last whole step", async () => {
    const { footer: _footer, ...rest } = trace;
    const cut: Trace = { ...rest, complete: false, steps: trace.steps.slice(0, 4) };
    expect(await replay(cut)).toMatchObject({ equal: true, stepCount: 4, run: { frameCount: 8 } });
  });

  test("the first steps alone can be replayed", async () => {
    expect(await replay(trace, { stepLimit: 2 })).toMatchObject({ equal: true, stepCount: 2, comparedFrames: 4 });
  });

  test("frames that were held back are compared and not delivered", async () => {
    const target = new RecordingTarget();
    const report = await replay(withStep(2, { discarded: true }), { outputs: [target] });
    expect(report).toMatchObject({ equal: true, comparedFrames: 14 });
    expect(target.results.map(({ result }) => result.stepIndex)).toEqual([0, 1, 1, 0, 1, 2]);
  });

  test("updates that a live run left out are left out again", async () => {
    const schema = { initialFields: [{ name: "prompt", required: false }], stepFields: [{ name: "action" }] };
    const adapter = world({ modelInputSchema: schema });
    const settings = { adapter, initialInputs: { initial: { prompt: "sun" } }, dropRefusedUpdates: true };
    const recorded = await record(settings);
    expect(recorded.steps.every(({ update }) => update === undefined)).toBe(true);
    const report = await replay(recorded, { adapter });
    expect(report).toMatchObject({ equal: true, run: { warnings: { update_refused: 1 } } });
  });

  test("a world that is complete and then reset is replayed to its end", async () => {
    const adapter = world({ stepCount: 2 });
    // Live, a reset can come in the window after the last step.
    const live = await record({
      adapter,
      frameLimit: undefined,
      source: eventListSource({ events: [{ timestampSeconds: 2.5, eventType: "reset" }] }),
      windows: async (number) =>
        number < 4 ? { window: timeWindow({ startSeconds: number, endSeconds: number + 1 }) } : undefined,
    });
    expect(live.steps.map(({ generation }) => generation)).toEqual([0, 0, 1, 1]);
    expect(await replay(live, { adapter })).toMatchObject({ equal: true, stepCount: 4 });
  });
});

describe("a replay of model inputs", () => {
  let payloads: PayloadStore;
  let full: Trace;
  beforeAll(async () => {
    payloads = new MemoryPayloadStore();
    full = await record({}, { payloads, recordModelInputs: true });
  });
  const level = REPLAY_LEVELS.modelInputs;

  test("G3: gives the same frames without mapping and converters, over resets and updates", async () => {
    const report = await replay(full, { level, payloads });
    expect(report).toMatchObject({ equal: true, stepCount: 7, comparedFrames: 14 });
    expect(report.run).toMatchObject({ frameCount: 13, resetCount: 2 });
    // The versions of what has no part in it are no difference.
    expect(report.environmentDifferences).toEqual([]);
  });

  test("does not call the world's mapping", async () => {
    const broken = inputMapping({
      name: "fake",
      version: "other",
      mapStepInputs: () => {
        throw new Error("the mapping was called");
      },
    });
    expect(await replay(full, { level, payloads, adapter: world({ mapping: broken }) })).toMatchObject({ equal: true });
  });

  test("is refused for a trace without them, with the advice how to record them", async () => {
    await expect(replay(trace, { level, payloads })).rejects.toMatchObject({
      code: "replay_refused",
      message: /record with --record-inputs/,
    });
  });

  test("is refused without the payloads, and when one is missing", async () => {
    await expect(replay(full, { level })).rejects.toMatchObject({ code: "replay_refused", message: /payload store/ });
    const gone = full.steps[4]?.modelInputs;
    const partial = {
      put: () => undefined,
      get: (address: string) => (address === gone ? undefined : payloads.get(address)),
    };
    await expect(replay(full, { level, payloads: partial })).rejects.toMatchObject({ code: "replay_refused" });
  });
});

describe("a replay that differs", () => {
  const other = "0".repeat(64);

  test("G5: names the first differing step and frame, and that the model is to blame", async () => {
    const [first = ""] = trace.steps[3]?.frameHashes ?? [];
    const changed = withStep(3, { frameHashes: [first, other] });
    await expect(replay(changed)).rejects.toMatchObject({
      code: "replay_differs",
      message:
        /^step 3 \(step 1 of generation 1\), frame 1: expected the hash 0+, found [0-9a-f]{64}; its model inputs are the same/,
      details: { what: "frames", stepNumber: 3, generation: 1, stepIndex: 1, frameIndex: 1, expected: other },
    });
  });

  test("G5: a mapping that behaves otherwise is found in its first step, before any frame shows it", async () => {
    const late = world();
    const mapping = late.defaultInputMapping();
    const changed = inputMapping({
      name: "fake",
      consumesOptional: mapping.consumesOptional,
      producesStep: ["action"],
      producesUpdate: ["prompt"],
      createState: (seed) => mapping.createState(seed),
      mapInitialInputs: (context) => mapping.mapInitialInputs(context),
      mapStepInputs: (context) => {
        const { inputs, state } = mapping.mapStepInputs(context);
        const step = { ...(inputs.step ?? {}), ...(context.request.stepIndex === 2 ? { unused: 1 } : {}) };
        return { inputs: { ...pick(inputs), step }, state };
      },
    });
    await expect(replay(trace, { adapter: world({ mapping: changed }) })).rejects.toMatchObject({
      code: "replay_differs",
      details: { what: "model_inputs", stepNumber: 6, modelInputsDiffer: true },
      message: /^step 6 \(step 2 of generation 2\): the model inputs differ/,
    });
  });

  test("initial inputs that are mapped otherwise are found before the first frame", async () => {
    const changed = withHeader({ requestedInputs: { json: { initial: { prompt: "moon" } }, arrays: [] } });
    await expect(replay(changed)).rejects.toMatchObject({ details: { what: "model_inputs", stepNumber: 0 } });
  });

  test("a reset with another seed, and one that is missing", async () => {
    const [reset] = trace.steps[2]?.resets ?? [];
    if (reset === undefined) throw new Error("step 2 was to have a reset");
    const seeded = withStep(2, { resets: [{ ...reset, seed: 1 }] });
    await expect(replay(seeded)).rejects.toMatchObject({
      details: { what: "order", stepNumber: 2, expected: "seed 1", found: "seed 9" },
    });
    await expect(replay(withStep(2, { resets: [] }))).rejects.toMatchObject({
      details: { what: "order", stepNumber: 2 },
    });
    await expect(replay(withStep(3, { generation: 0 }))).rejects.toMatchObject({ details: { what: "order" } });
  });

  test("a world that ends before its trace", async () => {
    await expect(replay(trace, { adapter: world({ stepCount: 1 }) })).rejects.toMatchObject({
      code: "replay_differs",
      details: { what: "order", stepNumber: 1, expected: "7 steps", found: "the world ended after 1" },
    });
  });

  test("G4: where exactness is not promised, the error says so and gives the measured tolerance", async () => {
    const exactness = { promised: false, reason: "kernels race" };
    const inexact = { ...withStep(0, { frameHashes: [other, other] }), header: { ...trace.header, exactness } };
    await expect(replay(inexact)).rejects.toThrow(
      /does not promise exactness \(kernels race\), and no tolerance has been/,
    );
    const tolerance = {
      comparedRuns: 1,
      stepCount: 1,
      frameCount: 1,
      maxDifference: 3,
      meanDifference: 1,
      environment: {},
    };
    await expect(replay({ ...inexact, tolerance })).rejects.toThrow(/tolerance is a difference of at most 3 of 255/);
  });

  test("the error names what of the machine is not as recorded", async () => {
    const environment = { cpuModel: "A", cpuFlags: ["avx2", "avx512"] };
    const changed = { ...withStep(0, { frameHashes: [other, other] }), header: { ...trace.header, environment } };
    await expect(replay(changed, { environment: { ...environment, cpuModel: "B" } })).rejects.toThrow(
      /not as recorded: environment\.cpuModel: "A" → "B"$/,
    );
  });

  test("is finished and reported when asked to", async () => {
    const changed = withStep(3, { frameHashes: [other, other] });
    const report = await replay(changed, { onDifference: "continue" });
    expect(report).toMatchObject({
      equal: false,
      stepCount: 7,
      differingSteps: 1,
      firstDifference: { stepNumber: 3, frameIndex: 0 },
    });
  });

  test("closes everything", async () => {
    const fake = fakeWorld({ stepCount: Infinity, framesPerStep: 2 });
    const changed = withStep(3, { frameHashes: [other, other] });
    await expect(replay(changed, { adapter: fake.adapter })).rejects.toMatchObject({ code: "replay_differs" });
    expect(fake.counts).toEqual({ openRuntimes: 0, openSessions: 0, chunksOut: 0, doubleReleases: 0 });
  });
});

describe("a replay is refused before any step", () => {
  const refused = async (given: Trace, message: RegExp, options: Partial<ReplayOptions> = {}): Promise<void> => {
    const fake = fakeWorld({ stepCount: Infinity, framesPerStep: 2 });
    const run = replay(given, { adapter: fake.adapter, ...options });
    await expect(run).rejects.toMatchObject({
      code: "replay_refused",
      message: expect.stringMatching(message) as string,
    });
    expect(fake.log.filter((call) => call.startsWith("session.step"))).toEqual([]);
    expect(fake.counts.openRuntimes).toBe(0);
  };

  test("G5: for another world, also when versions may differ", async () => {
    const adapter = world({ modelId: "other" });
    const message = /^world: the trace was recorded with "fake", this is "other"/;
    await refused(trace, message, { adapter });
    await refused(trace, message, { adapter, allowVersionMismatch: true });
    await refused(withHeader({ worldId: "elsewhere" }), /^world: .*"elsewhere", this is "fake"/);
  });

  test.each(["adapter:fake", "mapping:fake", "converter:conditioning"])(
    "G5: for another version of %s",
    async (name) => {
      const changed = withHeader({ versions: { ...trace.header.versions, [name]: "0" } });
      await refused(changed, new RegExp(`^${name}: the trace was recorded with "0", this is "1"`));
      expect(await replay(changed, { allowVersionMismatch: true })).toMatchObject({
        equal: true,
        environmentDifferences: [`versions.${name}: "0" → "1"`],
      });
    },
  );

  test("G5: for a converter that is missing or new", async () => {
    const changed = withHeader({ versions: { ...trace.header.versions, "converter:joystick": "1" } });
    await refused(changed, /^converter:joystick: the trace was recorded with "1", this is nothing/);
  });

  test("G5: for other weights, whatever else the runtime says of itself", async () => {
    const adapter = changedWorld(world(), { runtime: (runtime) => ({ ...runtime, facts: () => facts }) });
    const facts = { engine: "new", weightsHash: "bbb" };
    const recorded = withHeader({ runtimeFacts: { engine: "old", weightsHash: "aaa" } });
    await refused(recorded, /^weightsHash: the trace was recorded with "aaa", this is "bbb"/, { adapter });
    const same = withHeader({ runtimeFacts: { engine: "old", weightsHash: "bbb" } });
    expect(await replay(same, { adapter })).toMatchObject({
      equal: true,
      environmentDifferences: ['runtime.engine: "old" → "new"'],
    });
    await refused(withHeader({ runtimeFacts: { bundleHash: "ccc" } }), /^bundleHash: .*this is nothing/);
  });

  test("for another size, rate or pixel format", async () => {
    await refused(trace, /^session description, width: the trace was recorded with 2, this is 4/, {
      adapter: world({ width: 4 }),
    });
  });

  test("for a configuration or inputs that the world does not take", async () => {
    const config = { ...trace.header.config, device: "cuda:0" };
    await refused(
      withHeader({ config }),
      /does not take this trace: InferenceConfig\.device: "cuda:0" is not supported/,
    );
    await refused(withHeader({ candidateIndex: 3 }), /does not take this trace: candidateIndex/);
    await refused(trace, /does not take this trace: .*missing/, {
      adapter: world({ modelInputSchema: { stepFields: [{ name: "missing" }] } }),
    });
  });

  test("without frame hashes to compare with, unless it is only to be run", async () => {
    const without = await record({ frameHasher: undefined });
    await refused(without, /no frame hashes to compare with/);
    const uncomparedSteps = without.steps.length;
    expect(await replay(without, { onDifference: "continue" })).toMatchObject({
      equal: false,
      comparedFrames: 0,
      differingSteps: 0,
      uncomparedSteps,
    });
  });

  test("without the frame hashes of a single step: nobody can say that it is equal", async () => {
    const holed = withStep(3, { frameHashes: undefined });
    await refused(holed, /no frame hashes of step 3 to compare with/);
    const report = await replay(holed, { onDifference: "continue" });
    expect(report).toMatchObject({ equal: false, differingSteps: 0, uncomparedSteps: 1 });
  });
});

function pick(inputs: object): object {
  const { initial, update, metadata } = inputs as Record<"initial" | "update" | "metadata", object>;
  return { initial, update, metadata };
}
