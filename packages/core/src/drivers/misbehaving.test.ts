import { FakeClock, eventLoopTurn } from "@dreamloop/testing";
import { describe, expect, it } from "vitest";
import {
  identityInputMapping,
  inputMapping,
  isDreamloopError,
  modelInputSchema,
  runBatch,
  sessionDescription,
  startRealtime,
  type BatchOptions,
  type ChunkSink,
  type ModelAdapter,
} from "../index.ts";

type Fields = Readonly<Record<string, unknown>>;

const CHUNK = { width: 4, height: 4, format: "rgb8", layout: "thwc", colorSpace: "srgb", range: "full" } as const;
const PIXELS = Uint8Array.from({ length: 48 }, (_, index) => index);

/** A world of plain JavaScript whose parts can be replaced by wrong ones. */
function world(parts: { readonly session?: Fields; readonly runtime?: Fields; readonly adapter?: Fields } = {}): {
  readonly adapter: ModelAdapter;
  readonly log: string[];
} {
  const log: string[] = [];
  let next = 0;
  const session = {
    nextStepRequest: () => ({ stepIndex: next }),
    step: () => ({ stepIndex: next++, output: { ...CHUNK, data: PIXELS } }),
    reset: () => {
      next = 0;
    },
    close: () => void log.push("session.close"),
    ...parts.session,
  };
  const runtime = {
    describe: () => sessionDescription({ worldId: "odd", width: 4, height: 4, framesPerSecond: 30 }),
    startSession: () => session,
    close: () => void log.push("runtime.close"),
    ...parts.runtime,
  };
  const adapter = {
    modelId: "odd",
    modelInputSchema: modelInputSchema(),
    defaultInputMapping: () => identityInputMapping,
    validateConfig: () => undefined,
    createRuntime: () => runtime,
    ...parts.adapter,
  };
  return { adapter: adapter, log };
}

async function failureOf(adapter: ModelAdapter, options: Fields = {}): Promise<string> {
  const run = { adapter, clock: new FakeClock(), stepLimit: 3, ...options } as BatchOptions;
  const error: unknown = await runBatch(run).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isDreamloopError(error)) throw new Error("no DreamloopError", { cause: error });
  return `${error.code} ${error.message}`;
}

const throwing = (text: string) => (): never => {
  throw new Error(text);
};

describe("frames that are not as described", () => {
  it.each([
    ["width", { width: 2, height: 8 }, PIXELS],
    ["format", { format: "rgba8" }, new Uint8Array(64)],
    ["layout", { layout: "tchw" }, PIXELS],
    ["colorSpace", { colorSpace: "bt709" }, PIXELS],
    ["range", { range: "limited" }, PIXELS],
    ["frameCount", {}, new Uint8Array(96)],
  ])(
    "a chunk of another %s than the description's fails the step, before any target sees it",
    async (field, change, data) => {
      const step = (): Fields => ({ stepIndex: 0, output: { ...CHUNK, ...change, data } });
      const { adapter, log } = world({ session: { step } });
      const written: unknown[] = [];
      const target = { open: () => undefined, write: (result: unknown) => void written.push(result), close: () => [] };
      const failure = await failureOf(adapter, { outputs: [target] });
      expect(failure).toMatch(new RegExp(`^step_failed VideoChunk\\.${field}: expected .* SessionDescription .*found`));
      expect(written).toEqual([]);
      expect(log).toEqual(["session.close", "runtime.close"]);
    },
  );

  it("a run of so many frames of a world that gives none ends with an error instead of never", async () => {
    let next = 0;
    const session = { nextStepRequest: () => ({ stepIndex: next }), step: () => ({ stepIndex: next++ }) };
    expect(await failureOf(world({ session }).adapter, { stepLimit: undefined, frameLimit: 1 })).toMatch(
      /^step_failed StepResult\.output: expected frames, found none in 1000 steps/,
    );
  });
});

describe("adapters that misbehave", () => {
  const wrong: readonly (readonly [RegExp, Parameters<typeof world>[0]])[] = [
    [/^step_failed StepRequest\.stepIndex: expected 0/, { session: { nextStepRequest: () => ({ stepIndex: 9 }) } }],
    [/^step_failed the request of step 0 failed: torn/, { session: { nextStepRequest: throwing("torn") } }],
    [/^invalid_value StepResult: expected an object, found null/, { session: { step: () => null } }],
    [/^step_failed StepResult\.stepIndex: expected 0, found 7/, { session: { step: () => ({ stepIndex: 7 }) } }],
    [/^invalid_value InferenceSession\.close: expected a function/, { session: { close: undefined } }],
    [/^invalid_value InferenceSession: expected an object/, { runtime: { startSession: () => undefined } }],
    [/^load_failed the start of the session failed: torn/, { runtime: { startSession: throwing("torn") } }],
    [/^load_failed InferenceRuntime\.describe\(\) failed: torn/, { runtime: { describe: throwing("torn") } }],
    [/^invalid_value InferenceRuntime\.describe: expected a function/, { runtime: { describe: undefined } }],
    [/^invalid_value InferenceRuntime: expected an object/, { adapter: { createRuntime: () => undefined } }],
    [/^load_failed the load of "odd" failed: torn/, { adapter: { createRuntime: throwing("torn") } }],
    [/^unsupported_config "odd" refuses its configuration: torn/, { adapter: { validateConfig: throwing("torn") } }],
    [/^invalid_value ModelAdapter\.defaultInputMapping\(\)/, { adapter: { defaultInputMapping: () => ({}) } }],
    [
      /^invalid_value InputMapping\("tears"\)\.mapStepInputs\(\): torn/,
      { adapter: { defaultInputMapping: () => inputMapping({ name: "tears", mapStepInputs: throwing("torn") }) } },
    ],
  ];

  it.each(wrong)("fail the run with %s", async (expected, parts) => {
    expect(await failureOf(world(parts).adapter)).toMatch(expected);
  });

  it("a part that cannot be closed is a named failure of the world", async () => {
    expect(await failureOf(world({ session: { close: throwing("torn") } }).adapter)).toBe(
      "step_failed the close of the session failed: torn",
    );
    expect(await failureOf(world({ runtime: { close: throwing("torn") } }).adapter)).toBe(
      'step_failed the close of "odd" failed: torn',
    );
  });

  it("the first failure is told, not that of what is done because of it", async () => {
    const discardStep = throwing("discard");
    const close = throwing("close");
    const failing = { discardStep, finalizeStep: throwing("finalise"), close };
    expect(await failureOf(world({ session: failing }).adapter)).toMatch(/finalisation of step 0 failed: finalise$/);
    expect(await failureOf(world({ session: { discardStep, step: () => ({ stepIndex: 4 }) } }).adapter)).toMatch(
      /expected 0, found 4$/,
    );
    const describe = throwing("describe");
    expect(await failureOf(world({ session: { close }, runtime: { describe } }).adapter)).toMatch(/failed: describe$/);
    const observers = [{ runEnded: throwing("observer") }];
    expect(await failureOf(world({ session: { step: throwing("step") } }).adapter, { observers })).toMatch(/: step$/);
  });

  it("a failing reset of a live run is a named error", async () => {
    const { adapter } = world({ session: { reset: throwing("torn") } });
    const run = startRealtime({ adapter, clock: new FakeClock() });
    await run.started;
    run.reset().catch(() => undefined);
    await expect(run.done).rejects.toMatchObject({ code: "step_failed", message: "the reset failed: torn" });
  });

  it("C3: a load or start that does not heed the signal is left at once, and what it gives later is closed", async () => {
    for (const stage of ["createRuntime", "startSession"]) {
      const log: string[] = [];
      let finish: (value: unknown) => void = () => undefined;
      const late = new Promise((resolve) => (finish = resolve));
      const parts =
        stage === "createRuntime"
          ? { adapter: { createRuntime: () => late } }
          : { runtime: { startSession: () => late } };
      const abort = new AbortController();
      const failure = failureOf(world(parts).adapter, { signal: abort.signal });
      await eventLoopTurn();
      abort.abort();
      expect(await failure).toMatch(/^cancelled the (load of "odd"|start of the session) was cancelled$/);
      finish({ close: () => void log.push("closed") });
      await eventLoopTurn();
      expect(log).toEqual(["closed"]);
    }
  });
});

describe("code that never answers", () => {
  const never = (): Promise<never> => new Promise(() => undefined);
  const waits = { loadSeconds: 40, stepSeconds: 30, outputSeconds: 20, closeSeconds: 10, stopSeconds: 5 };

  /** Waits for a promise while the clock moves. */
  async function settledWithin(clock: FakeClock, seconds: number, promise: Promise<unknown>): Promise<unknown> {
    let settled: unknown = "never settles";
    void promise.then(
      (value) => (settled = value),
      (error: unknown) => (settled = error),
    );
    await clock.advance(seconds);
    return settled;
  }

  const target = (parts: Fields): Fields => ({
    open: () => undefined,
    write: () => undefined,
    close: () => [],
    ...parts,
  });

  it.each([
    ["load", { adapter: { createRuntime: never } }, {}, 40, []],
    ["start of the session", { runtime: { startSession: never } }, {}, 40, ["runtime.close"]],
    ["step 0", { session: { step: never } }, {}, 30, ["session.close", "runtime.close"]],
    ["finalisation of step 0", { session: { finalizeStep: never } }, {}, 30, ["session.close", "runtime.close"]],
    ["opening of an output", {}, { outputs: [target({ open: never })] }, 20, ["session.close", "runtime.close"]],
    ["output's write", {}, { outputs: [target({ write: never })] }, 20, ["session.close", "runtime.close"]],
    ["observer", {}, { observers: [{ stepCommitted: never }] }, 20, ["session.close", "runtime.close"]],
    ["hash", {}, { frameHasher: { digest: never } }, 20, ["session.close", "runtime.close"]],
    ["close of an output", {}, { outputs: [target({ close: never })] }, 20, ["session.close", "runtime.close"]],
    ["close of the session", { session: { close: never } }, {}, 10, ["runtime.close"]],
    ['close of "odd"', { runtime: { close: never } }, {}, 10, ["session.close"]],
  ] as readonly (readonly [string, Parameters<typeof world>[0], Fields, number, readonly string[]])[])(
    "R1: a batch run ends with a named error when the %s never answers, and closes everything else",
    async (what, parts, options, seconds, closed) => {
      const clock = new FakeClock();
      const { adapter, log } = world(parts);
      const failure = failureOf(adapter, { clock, waits, ...options });
      const settled = await settledWithin(clock, seconds, failure);
      expect(settled).toMatch(new RegExp(`^timed_out .*${what}.* did not answer within ${seconds} s`));
      expect(log).toEqual(closed);
      expect(clock.sleeperCount).toBe(0);
    },
  );

  it.each([
    ["step 0", { session: { step: never } }],
    ["finalisation of step 0", { session: { finalizeStep: never } }],
  ] as const)("R2: a cancelled batch run leaves a %s that never answers", async (what, parts) => {
    const clock = new FakeClock();
    const abort = new AbortController();
    const { adapter, log } = world(parts);
    const failure = failureOf(adapter, { clock, waits, signal: abort.signal });
    await clock.advance(1);
    abort.abort();
    expect(await settledWithin(clock, 5, failure)).toMatch(
      new RegExp(`^cancelled .*${what} did not answer within 5 s after the run was cancelled`),
    );
    expect(log).toEqual(["session.close", "runtime.close"]);
  });

  it.each([
    ["load", { adapter: { createRuntime: never } }, "cancelled", []],
    ["step", { session: { step: never } }, "timed_out", ["session.close", "runtime.close"]],
    ["finalisation", { session: { finalizeStep: never } }, "timed_out", ["session.close", "runtime.close"]],
    ["close of the session", { session: { close: never } }, "timed_out", ["runtime.close"]],
  ] as const)("R2: closing a live run ends it although its %s never answers", async (_what, parts, code, closed) => {
    const clock = new FakeClock();
    const { adapter, log } = world(parts);
    const run = startRealtime({ adapter, clock, waits });
    await clock.advance(1);
    expect(await settledWithin(clock, 10, run.close())).toMatchObject({ code });
    expect(log).toEqual(closed);
    expect(clock.sleeperCount).toBe(0);
  });

  it("R2: a live run whose reset never answers can be closed, and who waits for the reset learns why", async () => {
    const clock = new FakeClock();
    const { adapter } = world({ session: { reset: never } });
    const run = startRealtime({ adapter, clock, waits });
    await clock.advance(1);
    const reset = run.reset().catch((error: unknown) => error);
    await clock.advance(1);
    expect(await settledWithin(clock, 5, run.close())).toMatchObject({ code: "timed_out" });
    expect(isDreamloopError(await reset)).toBe(true);
  });

  it("R3: an observer of a live run that never answers keeps neither the run nor its end waiting", async () => {
    const clock = new FakeClock();
    const heard: number[] = [];
    const observers = [
      { stepCommitted: never },
      { stepCommitted: (step: { stepNumber: number }) => void heard.push(step.stepNumber) },
    ];
    const run = startRealtime({ adapter: world().adapter, clock, waits, stepLimit: 3, observers });
    const report = await settledWithin(clock, 6, run.done);
    expect(report).toMatchObject({ outcome: "completed", stepCount: 3, warnings: { observer_failed: 1 } });
    expect(heard).toEqual([0, 1, 2]);
  });

  it("R3: an observer that falls too far behind hears no more, and holds no more frames", async () => {
    const clock = new FakeClock();
    let held = 0;
    const { adapter } = world({
      session: {
        nextStepRequest: () => ({ stepIndex: held }),
        step: () => ({ stepIndex: held++, output: { ...CHUNK, data: PIXELS } }),
      },
    });
    const run = startRealtime({
      adapter,
      clock,
      waits: { outputSeconds: 3600, stopSeconds: 5 },
      stepLimit: 1100,
      observers: [{ stepCommitted: never }],
    });
    expect(await settledWithin(clock, 60, run.done)).toMatchObject({
      stepCount: 1100,
      warnings: { observer_failed: 1 },
    });
  });

  it("C5: a sink that throws at a new generation gets no more, and the run continues", async () => {
    const clock = new FakeClock();
    const sink: ChunkSink = {
      open: () => undefined,
      push: (_result, _due, release) => release(),
      beginGeneration: throwing("torn"),
      close: () => [],
    };
    const run = startRealtime({ adapter: world().adapter, clock, outputs: [sink] });
    await run.started;
    const reset = run.reset();
    await clock.advance(1);
    expect(await reset).toBe(1);
    const closing = run.close();
    await clock.advance(1);
    expect(await closing).toMatchObject({ outcome: "closed", warnings: { output_failed: 1 } });
  });

  it("R6: a batch run of a world that never waits lets timers and cancellations through", async () => {
    const abort = new AbortController();
    setTimeout(() => abort.abort());
    const { adapter } = world();
    const report = await runBatch({ adapter, clock: new FakeClock(), stepLimit: 1e9, signal: abort.signal });
    expect(report.outcome).toBe("cancelled");
  });
});

describe("options of the drivers", () => {
  const clock = new FakeClock();
  const wrong: readonly (readonly [string, Fields])[] = [
    ["stepLimt", { stepLimt: 3 }],
    ["stepLimit", { stepLimit: Number.NaN }],
    ["outputs", { outputs: 4 }],
    ["outputs[0].open", { outputs: [{}] }],
    ["clock", { clock: undefined }],
    ["checkFrames", { checkFrames: 1 }],
    ["onWarning", { onWarning: 1 }],
    ["runtime.describe", { runtime: {} }],
  ];

  it.each([...wrong, ["frameLimit", { frameLimit: "3" }] as const])(
    "L1: a batch run refuses a wrong %s",
    async (name, fields) => {
      const { adapter, log } = world();
      expect(await failureOf(adapter, fields)).toContain(`BatchOptions.${name}: `);
      expect(log).toEqual([]);
    },
  );

  it.each([...wrong, ["leadFrames", { leadFrames: Number.NaN }] as const])(
    "L1: a live run refuses a wrong %s at once",
    (name, fields) => {
      const start = (): unknown => startRealtime({ adapter: world().adapter, clock, ...fields });
      expect(start).toThrow(`RealtimeOptions.${name}: `);
    },
  );

  it("a live run refuses events and resets that are none, and goes on", async () => {
    const live = new FakeClock();
    const run = startRealtime({ adapter: world().adapter, clock: live, stepLimit: 2 });
    await run.started;
    const push = run.push as (events: unknown) => void;
    for (const events of [undefined, 4, [null], [{ eventType: "close" }]]) {
      expect(() => push(events)).toThrow(/^RealtimeRun\.push\(events\)/);
    }
    await expect(run.reset({ sed: 1 } as never)).rejects.toThrow(/RealtimeRun\.reset\(options\)\.sed: unknown key/);
    await live.advance(1);
    expect((await run.done).stepCount).toBe(2);
  });
});

describe("sinks that misbehave", () => {
  const sink = (parts: Partial<ChunkSink> = {}): ChunkSink => ({
    open: () => undefined,
    push: (_result, _due, release) => release(),
    close: () => [],
    ...parts,
  });

  it("one that throws gets no more chunks, with a warning; the others and the run go on", async () => {
    const clock = new FakeClock();
    const seen: number[] = [];
    const outputs = [
      sink({ push: throwing("torn") }),
      sink({ push: (result, _due, release) => (seen.push(result.stepIndex), release()) }),
    ];
    const run = startRealtime({ adapter: world().adapter, clock, stepLimit: 3, outputs });
    await run.started;
    await clock.advance(1);
    expect((await run.done).warnings).toEqual({ output_failed: 1 });
    expect(seen).toEqual([0, 1, 2]);
  });

  it("C1: one that is still opening when the run ends is closed again", async () => {
    const clock = new FakeClock();
    const run = startRealtime({ adapter: world().adapter, clock });
    await run.started;
    let opened: () => void = () => undefined;
    let closed = 0;
    const adding = run.addOutput(
      sink({ open: () => new Promise<void>((resolve) => (opened = resolve)), close: () => ((closed += 1), []) }),
    );
    await run.close();
    opened();
    await expect(adding).rejects.toThrow(/the session ended meanwhile/);
    expect(closed).toBe(1);
  });
});
