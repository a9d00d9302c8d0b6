import { createHash } from "node:crypto";
import { fakeWorld, FakeClock } from "@dreamloop/testing";
import { describe, expect, test } from "vitest";
import { runBatch, type BatchOptions } from "../drivers/batch-driver.ts";
import { DreamloopError } from "../foundation/dreamloop-error.ts";
import { eventListSource } from "../inputs/event-list-source.ts";
import type { UserInputEventInput } from "../inputs/user-input-event.ts";
import { inputMapping } from "../mapping/input-mapping.ts";
import { DREAMLOOP_VERSION } from "../foundation/version.ts";
import { readTrace } from "./read-trace.ts";
import { TraceEncoder, type TraceEncoderOptions } from "./trace-encoder.ts";
import { MemoryPayloadStore } from "../snapshot/content/payload-store.ts";

const hasher = {
  digest: (parts: readonly Uint8Array[]) => createHash("sha256").update(Buffer.concat(parts)).digest("hex"),
};

interface Recorded {
  readonly text: string;
  readonly lines: readonly Record<string, unknown>[];
  readonly writes: readonly string[];
  readonly encoder: TraceEncoder;
}

async function record(
  run: Partial<BatchOptions> & { readonly events?: readonly UserInputEventInput[] },
  options: Partial<TraceEncoderOptions> = {},
): Promise<Recorded> {
  const writes: string[] = [];
  const encoder = new TraceEncoder({ sink: { write: (text) => void writes.push(text) }, hasher, ...options });
  const { events = [], ...rest } = run;
  await runBatch({
    adapter: fakeWorld({ stepCount: Infinity }).adapter,
    clock: new FakeClock(),
    source: eventListSource({ events }),
    frameHasher: hasher,
    observers: [encoder],
    ...rest,
  });
  const text = writes.join("");
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { text, lines, writes, encoder };
}

const parse = (text: string): ReturnType<typeof readTrace> => readTrace([new TextEncoder().encode(text)]);

describe("TraceEncoder", () => {
  test("G1: the header holds world, versions, configuration, seed, size, rates, inputs, facts of runtime and machine", async () => {
    const frame = new Uint8Array([1, 2, 3]);
    const { lines } = await record(
      {
        stepLimit: 1,
        seed: 77,
        config: { modelId: "fake", resourceHints: { memory: 1 } },
        initialInputs: { initial: { prompt: "sun", scene: frame } },
      },
      {
        environment: { cpuModel: "Some CPU", cpuFlags: ["avx2"], nodeVersion: "20" },
        recordedAt: "2026-11-30T00:00:00Z",
      },
    );
    expect(lines[0]).toMatchObject({
      type: "header",
      format: "dreamloop-trace",
      formatVersion: 2,
      dreamloopVersion: DREAMLOOP_VERSION,
      recordedAt: "2026-11-30T00:00:00Z",
      worldId: "fake",
      seed: 77,
      config: { modelId: "fake", backend: "local", precision: "auto", resourceHints: { memory: 1 } },
      candidateIndex: 0,
      versions: { "adapter:fake": "1", "mapping:fake": "1", "converter:conditioning": "1" },
      runtimeFacts: { engine: "fake" },
      description: { width: 2, height: 2, framesPerSecond: 2, framesPerStep: 1, deterministic: true },
      requestedInputs: {
        initial: {
          prompt: "sun",
          scene: { $: "array", type: "uint8", bytes: 3, hash: `sha256:${hasher.digest([frame])}`, data: "AQID" },
        },
      },
      modelInputsRecorded: false,
      frameHash: "sha256/rgb8",
      environment: { cpuModel: "Some CPU", cpuFlags: ["avx2"], nodeVersion: "20" },
      exactness: { promised: true },
    });
    expect(lines[0]?.initialInputs).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(lines[0]?.sourceSchema).toMatchObject({ capabilities: expect.any(Array) as unknown[] });
  });

  test("G4: the trace of a world that does not promise exactness says so", async () => {
    const { adapter } = fakeWorld({ stepCount: Infinity });
    const inexact = {
      ...adapter,
      createRuntime: async (...args: Parameters<typeof adapter.createRuntime>) => {
        const runtime = await adapter.createRuntime(...args);
        return { ...runtime, describe: () => ({ ...runtime.describe(), deterministic: false }) };
      },
    };
    const { lines } = await record({ adapter: inexact, stepLimit: 1 });
    expect(lines[0]?.exactness).toEqual({
      promised: false,
      reason: expect.stringContaining("deterministic") as string,
    });
  });

  test("G1: every event, update and reset stands with its time and step, before the step that saw it", async () => {
    const { lines } = await record({
      frameLimit: 3,
      events: [
        { timestampSeconds: 0.1, eventType: "action_set", payload: { actions: ["go"] }, source: "test" },
        { timestampSeconds: 0.6, eventType: "prompt_set", payload: { prompt: "rain" } },
        { timestampSeconds: 1.1, eventType: "reset", payload: { seed: 5 } },
      ],
    });
    expect(lines.map(({ type }) => type).join(" ")).toBe("header event step event update step reset event step footer");
    expect(lines[1]).toMatchObject({ timestampSeconds: 0.1, eventType: "action_set", source: "test" });
    expect(lines[2]).toMatchObject({
      stepNumber: 0,
      window: { startSeconds: 0, endSeconds: 0.5 },
      eventCount: 1,
      inputSequence: 1,
      canonicalSources: { actions: "action_set_actions" },
      frameCount: 1,
      frameHashes: [expect.stringMatching(/^[0-9a-f]{64}$/)],
    });
    expect(lines[4]).toEqual({ type: "update", stepNumber: 1, values: { prompt: "rain" } });
    expect(lines[6]).toMatchObject({
      stepNumber: 2,
      generation: 1,
      seed: 5,
      initialInputs: expect.any(String) as string,
    });
    expect(lines[8]).toMatchObject({ stepNumber: 2, generation: 1, stepIndex: 0 });
    expect(lines[9]).toEqual({
      type: "footer",
      outcome: "completed",
      stepCount: 3,
      frameCount: 3,
      eventCount: 3,
      resetCount: 1,
    });
  });

  test("everything of a step reaches the sink in one piece, so that none is ever there in part", async () => {
    const { writes } = await record({
      stepLimit: 2,
      events: [{ timestampSeconds: 0.6, eventType: "reset", payload: {} }],
    });
    expect(writes.map((text) => text.trimEnd().split("\n").length)).toEqual([1, 1, 3, 1]);
    expect(writes.every((text) => text.endsWith("\n"))).toBe(true);
  });

  test("without a frame hasher the trace has no frame hashes", async () => {
    const { lines } = await record({ stepLimit: 1, frameHasher: undefined });
    expect(lines[1]).not.toHaveProperty("frameHashes");
  });

  test("a pause stands with the steps before it; a reset without a step stands before the footer", async () => {
    const writes: string[] = [];
    const encoder = new TraceEncoder({ sink: { write: (text) => void writes.push(text) }, hasher });
    const start = { captured: undefined as Parameters<TraceEncoder["runStarted"]>[0] | undefined };
    await record({ stepLimit: 1, observers: [{ runStarted: (given) => void (start.captured = given) }] }).catch(
      () => 0,
    );
    if (start.captured === undefined) throw new Error("the run did not start");
    const { initialInputs } = start.captured;
    await encoder.runStarted(start.captured);
    await encoder.pauseChanged({ paused: true, timestampSeconds: 1 });
    await encoder.resetApplied({ generation: 1, seed: 0, timestampSeconds: 1, clearedDeltas: 0, initialInputs });
    await encoder.runEnded({ outcome: "closed", stepCount: 0, frameCount: 0 });
    const trace = await parse(writes.join(""));
    expect(trace.pauses).toEqual([{ stepNumber: 0, paused: true, timestampSeconds: 1 }]);
    expect(trace.trailingResets).toMatchObject([{ generation: 1 }]);
    expect(trace.footer).toMatchObject({ outcome: "closed", resetCount: 1 });
  });

  test("the outcome of a run that failed stands in the footer", async () => {
    const writes: string[] = [];
    const run = record({
      adapter: fakeWorld({ stepCount: Infinity, format: "rgbf32", nanAtStep: 1 }).adapter,
      stepLimit: 5,
      observers: [new TraceEncoder({ sink: { write: (text) => void writes.push(text) }, hasher })],
    });
    await expect(run).rejects.toMatchObject({ code: "bad_frame" });
    const trace = await parse(writes.join(""));
    expect(trace).toMatchObject({ complete: true, footer: { outcome: "failed", stepCount: 1 } });
  });
});

describe("payloads", () => {
  const big = new Float32Array(100);

  test("arrays above the limit go to the store, smaller ones stay in the line", async () => {
    const payloads = new MemoryPayloadStore();
    const initialInputs = { initial: { scene: { big, small: new Uint8Array(4) } } };
    const { lines } = await record({ stepLimit: 1, initialInputs }, { payloads, inlineBytes: 100 });
    const { scene } = (lines[0]?.requestedInputs as { initial: { scene: Record<string, object> } }).initial;
    expect(scene?.small).toHaveProperty("data", "AAAAAA==");
    expect(scene?.big).not.toHaveProperty("data");
    expect(payloads.size).toBe(1);
    expect(payloads.get((scene?.big as { hash: string }).hash)).toEqual(new Uint8Array(400));
  });

  test("model inputs are kept only when asked to, equal ones once", async () => {
    const without = new MemoryPayloadStore();
    await record({ stepLimit: 6 }, { payloads: without });
    expect(without.size).toBe(0);
    const payloads = new MemoryPayloadStore();
    const { lines } = await record({ stepLimit: 6 }, { payloads, recordModelInputs: true });
    expect(lines[0]?.modelInputsRecorded).toBe(true);
    // The empty initial inputs and one step's, the same six times.
    expect(payloads.size).toBe(2);
    expect(new TextDecoder().decode(payloads.get(lines[1]?.modelInputs as string))).toBe(
      '{"initial":{},"step":{"action":0},"update":{}}',
    );
  });

  test("keeping model inputs without a store is refused", () => {
    const sink = { write: () => undefined };
    expect(() => new TraceEncoder({ sink, hasher, recordModelInputs: true })).toThrow(/payload store/);
  });

  const opaque = inputMapping({
    name: "opaque",
    producesStep: ["action"],
    mapStepInputs: ({ modelInputs, state }) => ({ inputs: modelInputs.withStep({ action: new Map() }), state }),
  });

  test("model inputs that no trace can hold are noted, unless they are to be kept", async () => {
    const { lines } = await record({ stepLimit: 1, mapping: opaque });
    expect(lines[1]).not.toHaveProperty("modelInputs");
    expect(lines[1]?.modelInputsNote).toMatch(/^ModelInputs\.step\.action: expected plain data/);
    const kept = record(
      { stepLimit: 1, mapping: opaque },
      { payloads: new MemoryPayloadStore(), recordModelInputs: true },
    );
    await expect(kept).rejects.toThrow(/^ModelInputs\.step\.action: expected plain data/);
  });

  test("initial inputs that no trace can hold end the run before its first step", async () => {
    const run = record({ stepLimit: 1, initialInputs: { initial: { scene: new Map() } } });
    await expect(run).rejects.toThrow(/^ModelInputs\.initial\.scene: expected plain data/);
  });

  test("a line that readers would refuse is not written", async () => {
    const list = Array.from({ length: 1_200_000 }, (_, index) => index);
    const run = record({ stepLimit: 1, initialInputs: { initial: { scene: list } } });
    await expect(run).rejects.toMatchObject({ code: "limit_exceeded", message: /typed arrays/ });
  });
});

describe("a sink that fails", () => {
  test("ends the recording once and leaves no gap", async () => {
    const failure = new DreamloopError("output_failed", "disk full");
    const written: string[] = [];
    const encoder = new TraceEncoder({
      sink: {
        write: (text) => {
          if (written.length === 3) throw failure;
          written.push(text);
        },
      },
      hasher,
    });
    const errors: unknown[] = [];
    const tolerant = {
      runStarted: encoder.runStarted.bind(encoder),
      stepCommitted: (step: Parameters<TraceEncoder["stepCommitted"]>[0]) =>
        encoder.stepCommitted(step).catch((error: unknown) => void errors.push(error)),
      runEnded: encoder.runEnded.bind(encoder),
    };
    await record({ stepLimit: 6, observers: [tolerant] }).catch(() => 0);
    expect(errors).toEqual([failure]);
    expect(encoder.failure).toBe(failure);
    expect(await parse(written.join(""))).toMatchObject({ complete: false, droppedLines: 0, steps: { length: 2 } });
  });

  test("fails a batch run with its own error, everything closed", async () => {
    const world = fakeWorld({ stepCount: Infinity });
    const failure = new DreamloopError("output_failed", "disk full");
    const sink = { write: () => Promise.reject(failure) };
    await expect(record({ adapter: world.adapter, stepLimit: 2 }, { sink })).rejects.toBe(failure);
    expect(world.counts).toEqual({ openRuntimes: 0, openSessions: 0, chunksOut: 0, doubleReleases: 0 });
  });
});
