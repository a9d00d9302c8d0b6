import { FakeClock, RecordingTarget } from "@dreamloop/testing";
import { describe, expect, test } from "vitest";
import {
  DRIVER_COMMAND,
  InMemoryMetricsRecorder,
  NullOutputTarget,
  PendingInput,
  defineWorld,
  input,
  inputMapping,
  modelInputs,
  randomStream,
  runBatch,
  scriptedModality,
  startRealtime,
  userInputEvent,
  type ModelAdapter,
  type OutputTarget,
  type PixelData,
  type StandardSchema,
  type StepResult,
} from "../index.ts";
import { asStepError } from "../rollout/step-contract.ts";

const video = { width: 4, height: 2, framesPerSecond: 10 } as const;
const clock = new FakeClock();

/** A target that keeps the first value of each frame it was given, at the time of the write. */
function firstValues(values: number[]): OutputTarget {
  return { open: () => undefined, write: ({ output }) => void values.push(output?.data[0] ?? -1), close: () => [] };
}

/** Live, where chunks are held while later ones are made. */
async function liveValues(adapter: ModelAdapter, stepLimit: number): Promise<readonly number[]> {
  const held: { readonly result: StepResult; readonly release: () => void }[] = [];
  const own = new FakeClock();
  const sink = {
    open: () => undefined,
    push: (result: StepResult, _due: number, release: () => void) => void held.push({ result, release }),
    close: () => [],
  };
  const run = startRealtime({ adapter, clock: own, stepLimit, outputs: [sink] });
  await own.advance(5);
  await run.done;
  return held.map(({ result, release }) => {
    const value = result.output?.data[0] ?? -1;
    release();
    return value;
  });
}

const KEEPERS: Readonly<Record<string, (frames: PixelData) => unknown>> = {
  "the frames themselves": (frames) => ({ last: frames }),
  "a view of them": (frames) => ({ last: frames.subarray(0) }),
  "a list of older ones": (frames) => ({ last: frames, all: [[frames]] }),
  "a map": (frames) => ({ last: frames, by: new Map([["last", frames]]) }),
};

describe("a frame belongs to one owner", () => {
  test.each(Object.keys(KEEPERS))("F2: a world that keeps %s in its state finds them as it left them", async (name) => {
    const adapter = defineWorld({
      id: "feedback",
      video,
      start: () => ({ last: new Uint8Array(24).fill(100) as PixelData }),
      step: ({ state, frames }) => {
        for (let index = 0; index < frames.length; index += 1) frames[index] = state.last[index] + 3;
        return { frames, state: KEEPERS[name](frames) as { readonly last: PixelData } };
      },
    });
    const values: number[] = [];
    await runBatch({ adapter, clock, stepLimit: 6, outputs: [firstValues(values)] });
    expect(values).toEqual([103, 106, 109, 112, 115, 118]);
    expect(await liveValues(adapter, 6)).toEqual(values);
  });

  test("a world that keeps none gets its buffers back", async () => {
    const buffers = new Set<unknown>();
    const adapter = defineWorld({
      id: "plain",
      video,
      start: () => ({ count: 0, list: [1, 2, 3], nested: { text: "a" } }),
      step: ({ frames, state }) => {
        buffers.add(frames.buffer);
        return { frames, state };
      },
    });
    await runBatch({ adapter, clock, stepLimit: 20 });
    expect(buffers.size).toBeLessThan(4);
  });

  test("stored results keep the frames that they were given", async () => {
    const target = new NullOutputTarget({ storeResults: true });
    const adapter = defineWorld({
      id: "counting",
      video,
      step: ({ frames, stepIndex }) => ({ frames: frames.fill(10 + stepIndex) }),
    });
    await runBatch({ adapter, clock, stepLimit: 6, outputs: [target] });
    expect(target.results.map(({ output }) => output?.data[0])).toEqual([10, 11, 12, 13, 14, 15]);
  });
});

describe("cancelled is not failed", () => {
  test.each([
    ["the signal's reason", (signal: AbortSignal): unknown => signal.reason],
    ["an AbortError of its own", (): unknown => new DOMException("stop", "AbortError")],
  ])("a step that rejects with %s ends the run as cancelled", async (_name, reasonOf) => {
    const stop = new AbortController();
    const outcomes: string[] = [];
    const adapter = defineWorld({
      id: "patient",
      video,
      step: ({ signal }) =>
        new Promise((_resolve, reject) => {
          if (signal === undefined) throw new Error("no signal");
          signal.addEventListener("abort", () => reject(reasonOf(signal) as Error));
          stop.abort();
        }),
    });
    const observers = [{ runEnded: ({ outcome }: { readonly outcome: string }) => void outcomes.push(outcome) }];
    const run = runBatch({ adapter, clock, stepLimit: 3, signal: stop.signal, observers });
    await expect(run).rejects.toMatchObject({ code: "cancelled" });
    expect(outcomes).toEqual(["cancelled"]);
  });

  test("an error of another kind stays one, though the signal has fired", () => {
    const stop = new AbortController();
    stop.abort();
    expect(asStepError(new Error("disk"), "step 1", "step_failed", stop.signal)).toMatchObject({ code: "step_failed" });
  });
});

/** A Standard Schema that gives what `read` gives. */
function schemaOf<Output>(read: (value: never) => Output): StandardSchema<unknown, Output> {
  return { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: read(value as never) }) } };
}

describe("what a schema returns counts", () => {
  test("initial, step and update values reach the step as their schemas give them, once", async () => {
    const seen: unknown[] = [];
    const length = schemaOf((value: string) => value.length);
    const adapter = defineWorld({
      id: "typed",
      video,
      inputs: { initial: { word: input.value({ schema: length, live: "prompt" }) } },
      step: ({ frames, initial }) => {
        seen.push(initial.word);
        return { frames };
      },
    });
    await runBatch({
      adapter,
      clock,
      stepLimit: 2,
      initialInputs: { initial: { word: "seven.." } },
      source: {
        schema: (await import("../inputs/event-catalogue.ts")).eventCatalogue().schema(),
        read: ({ startSeconds }) =>
          ({
            events:
              startSeconds > 0
                ? [{ timestampSeconds: startSeconds, eventType: "prompt_set", payload: { prompt: "four" } }]
                : [],
          }) as never,
      },
    });
    expect(seen).toEqual([7, 4]);
  });

  test("null is a value: a default stands in for what is absent only", () => {
    const schema = defineWorld({
      id: "null",
      video,
      inputs: { initial: { word: input.text({ default: "a" }) } },
      step: ({ frames }) => ({ frames }),
    }).modelInputSchema;
    expect(() => schema.requireInitial({ initial: { word: null } })).toThrow(/word: expected a string, found null/);
    expect(schema.requireInitial({ initial: {} }).initial).toEqual({});
  });

  test("options that a schema drops without a trace are refused, and so is a checkpoint that nobody declared", async () => {
    const options = schemaOf(({ speed = 1 }: { readonly speed?: number }) => ({ speed }));
    const adapter = defineWorld({ id: "opted", video, options, step: ({ frames }) => ({ frames }) });
    const run = (config: object): Promise<unknown> =>
      runBatch({ adapter, clock, stepLimit: 1, config: { modelId: "opted", ...config } });
    await expect(run({ runtimeOptions: { sped: 2 } })).rejects.toMatchObject({ code: "unknown_key", message: /sped/ });
    await expect(run({ checkpoint: "other" })).rejects.toMatchObject({ code: "unsupported_config" });
    await run({ runtimeOptions: { speed: 2 } });
  });
});

const RECORD_LIKE: Readonly<Record<string, unknown>> = {
  "a promise": Promise.resolve({ step: {} }),
  "a map": new Map([["step", {}]]),
  "a list": [],
  "a date": new Date(0),
  "a class instance": new (class Inputs {
    readonly step = {};
  })(),
  "a getter": {
    get step() {
      return {};
    },
  },
  "an heir of one that was made": Object.create(modelInputs(), { step: { value: 1, enumerable: true } }) as unknown,
};

describe("containers", () => {
  test.each(Object.keys(RECORD_LIKE))("%s is no record", (name) => {
    expect(() => modelInputs(RECORD_LIKE[name] as never)).toThrow(/^ModelInputs/);
  });

  test("a mark that somebody sets by hand is none", () => {
    const forged = {
      timestampSeconds: -5,
      eventType: "a",
      payload: {},
      [Symbol.for("dreamloop.made")]: "UserInputEvent",
    };
    expect(() => userInputEvent(forged as never)).toThrow(/timestampSeconds/);
  });

  test("a proxy is read once, and one that throws is refused", () => {
    let reads = 0;
    const counting = new Proxy(
      { timestampSeconds: 1, eventType: "a" },
      { get: (target, key) => (key === "timestampSeconds" ? (reads += 1) : (Reflect.get(target, key) as unknown)) },
    );
    expect(userInputEvent(counting).timestampSeconds).toBe(1);
    const throwing = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("no");
        },
      },
    );
    expect(() => userInputEvent(throwing as never)).toThrow(/cannot be read/);
  });

  test("a frozen mapping with a getter is refused: it could answer differently each time", () => {
    const payload = Object.freeze({
      get code() {
        return String(Math.random());
      },
    });
    expect(() => userInputEvent({ timestampSeconds: 0, eventType: "a", payload })).toThrow(/code.*getter/);
  });

  test.each([
    ["a promise of inputs", { inputs: Promise.resolve({}), state: null }, /inputs/],
    ["a misspelt key", { input: {}, state: null }, /input.*did you mean "inputs"/],
    ["no inputs", { state: null }, /inputs.*nothing/],
  ])("a mapping that returns %s is refused by its name", async (_name, returned, message) => {
    const mapping = inputMapping({ name: "hasty", mapStepInputs: () => returned as never });
    const adapter = defineWorld({ id: "any", video, step: ({ frames }) => ({ frames }) });
    await expect(runBatch({ adapter, clock, stepLimit: 1, mapping })).rejects.toThrow(message);
  });

  test("arguments are not overridden by options, and random numbers go into arrays of floats only", () => {
    const recorder = new InMemoryMetricsRecorder();
    expect(() => recorder.recordTiming("step", 0.25, { value: 99 } as never)).toThrow(/value: unknown key/);
    recorder.recordTiming("step", 0.25, { stepIndex: 1 });
    expect(recorder.samples).toMatchObject([{ name: "step", value: 0.25, category: "timing", stepIndex: 1 }]);
    const stream = randomStream({ seed: 1, step: 0, stream: "a" });
    for (const target of [{}, [1, 2], new Int32Array(4), "four"]) {
      expect(() => stream.fillNormal(target as never)).toThrow(/Float32Array or Float64Array/);
      expect(() => stream.fillUniform(target as never)).toThrow(/Float32Array or Float64Array/);
    }
    expect(stream.position).toBe(0);
  });

  test("scripted values have the types and ranges of their modality", () => {
    const rest = { throttle: 0, brake: 0, steer: 0, reverse: false, stop: false };
    const script = (value: object): unknown =>
      scriptedModality({ modality: DRIVER_COMMAND, timeline: [{ startSeconds: 0, value: { ...rest, ...value } }] });
    expect(() => script({ throttle: 7 })).toThrow(/throttle.*at most 1/);
    expect(() => script({ brake: Number.NaN })).toThrow(/brake.*finite/);
    expect(() => script({ steer: "left" })).toThrow(/steer/);
    expect(() => script({ stop: null })).toThrow(/stop.*true or false/);
    expect(script({ throttle: 1, steer: -1 })).toBeDefined();
  });

  test.each([Number.NaN, -1, 0.5, "7", null])(
    "a message number of %s is refused, and the run goes on",
    async (sequence) => {
      const adapter = defineWorld({ id: "any", video, step: ({ frames }) => ({ frames }) });
      const own = new FakeClock();
      const run = startRealtime({ adapter, clock: own, stepLimit: 4, input: new PendingInput() });
      await own.advance(0.1);
      await run.started;
      const events = [{ timestampSeconds: own.nowSeconds(), eventType: "key_down", payload: { code: "KeyA" } }];
      expect(() => run.push(events, { sequence: sequence as never })).toThrow(/sequence/);
      await own.advance(5);
      expect((await run.done).stepCount).toBe(4);
    },
  );
});

describe("errors of what is attached to a run", () => {
  const adapter = defineWorld({ id: "any", video, step: ({ frames }) => ({ frames }) });
  const fail = (): never => {
    throw new Error("burst");
  };
  const target = { open: () => undefined, write: () => undefined, close: () => [] };
  test.each([
    ["an output that cannot open", { outputs: [{ ...target, open: fail }] }, "output_failed"],
    ["an output that cannot write", { outputs: [{ ...target, write: fail }] }, "output_failed"],
    ["an output that cannot close", { outputs: [{ ...target, close: fail }] }, "output_failed"],
    ["an observer", { observers: [{ stepCommitted: fail }] }, "observer_failed"],
    ["an observer that rejects", { observers: [{ stepCommitted: async () => fail() }] }, "observer_failed"],
    ["a hasher", { frameHasher: { digest: fail } }, "observer_failed"],
    ["a hook", { onStep: fail }, "observer_failed"],
  ])("%s has a code, and its own error as the cause", async (_name, options, code) => {
    await expect(runBatch({ adapter, clock, stepLimit: 2, ...options })).rejects.toMatchObject({
      code,
      message: /burst/,
      cause: { message: "burst" },
    });
  });

  test("the first error is told, also when the step cannot be taken back or its frames cannot be released", async () => {
    const frames = {
      width: 1,
      height: 1,
      frameCount: 1,
      format: "rgb8",
      layout: "thwc",
      colorSpace: "srgb",
      range: "full",
    };
    const release = (): void => fail();
    const careless = {
      ...adapter,
      createRuntime: () => ({
        describe: () => ({ worldId: "any", ...video, width: 1, height: 1 }) as never,
        startSession: () => ({
          nextStepRequest: () => ({ stepIndex: 0 }),
          step: () => ({ stepIndex: 0, output: { ...frames, data: new Uint8Array(3), release } }) as never,
          finalizeStep: () => {
            throw new Error("first");
          },
          discardStep: fail,
          reset: () => undefined,
          close: () => undefined,
        }),
        close: () => undefined,
      }),
    } as unknown as ModelAdapter;
    await expect(runBatch({ adapter: careless, clock, stepLimit: 1 })).rejects.toThrow(/first/);
  });

  test("artifacts of several targets are listed in the order in which they were given", async () => {
    const made = (...names: string[]): OutputTarget => ({
      ...target,
      close: () => names.map((uri) => ({ kind: "file", uri, metadata: {} })),
    });
    const report = await runBatch({ adapter, clock, stepLimit: 1, outputs: [made("a", "b"), made("c", "d")] });
    expect(report.artifacts.map(({ uri }) => uri)).toEqual(["a", "b", "c", "d"]);
  });

  test("a step that counts frames and has none is refused", async () => {
    const counting = {
      ...adapter,
      createRuntime: async (...given: Parameters<ModelAdapter["createRuntime"]>) => {
        const runtime = await adapter.createRuntime(...given);
        return {
          describe: () => runtime.describe(),
          close: () => runtime.close(),
          startSession: async (...start: Parameters<typeof runtime.startSession>) => {
            const session = await runtime.startSession(...start);
            return {
              nextStepRequest: () => session.nextStepRequest(),
              step: () => ({ stepIndex: 0, frameCount: 1 }),
              reset: () => undefined,
              close: () => session.close(),
            };
          },
        };
      },
    } as unknown as ModelAdapter;
    const target = new RecordingTarget();
    await expect(runBatch({ adapter: counting, clock, frameLimit: 3, outputs: [target] })).rejects.toMatchObject({
      code: "step_failed",
      message: /expected 1 frames.*found none/,
    });
  });
});
