import { createHash } from "node:crypto";
import { FakeClock } from "@dreamloop/testing";
import { clockStepCost, createProbeWorld } from "@dreamloop/worlds/probe";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startRealtime } from "../../drivers/realtime-driver.ts";
import type { RealtimeRun } from "../../drivers/realtime-options.ts";
import { readTrace, type Trace } from "../read-trace.ts";
import { TraceEncoder } from "../trace-encoder.ts";
import { MemoryPayloadStore } from "../../snapshot/content/payload-store.ts";
import { REPLAY_LEVELS } from "./replay-options.ts";
import { replayTrace } from "./replay-trace.ts";

const hasher = {
  digest: (parts: readonly Uint8Array[]) => createHash("sha256").update(Buffer.concat(parts)).digest("hex"),
};

/** What a person may do next: how long to wait in seconds, then what happens. */
type Deed = readonly [waitSeconds: number, deed: (run: RealtimeRun, now: number) => unknown];

const event =
  (eventType: string, payload: Record<string, unknown> = {}) =>
  (run: RealtimeRun, timestampSeconds: number): void =>
    run.push([{ timestampSeconds, eventType, payload }], { sequence: Math.round(timestampSeconds * 1e6) });

const code = fc.constantFrom("KeyW", "KeyA", "KeyE", "Space");
const wait = fc.double({ min: 0, max: 0.4, noNaN: true });
const deeds = fc.oneof(
  code.map((value) => event("key_down", { code: value })),
  code.map((value) => event("key_up", { code: value })),
  code.map((value) => (run: RealtimeRun, now: number) => {
    event("key_down", { code: value })(run, now);
    event("key_up", { code: value })(run, now);
  }),
  fc
    .tuple(fc.double({ min: -9, max: 9, noNaN: true }), fc.integer({ min: -9, max: 9 }))
    .map(([deltaX, deltaY]) => event("mouse_move", { deltaX, deltaY })),
  fc.string({ maxLength: 8 }).map((prompt) => event("prompt_set", { prompt })),
  fc.constant(event("focus", { focused: false })),
  fc.constant(event("focus", { focused: true })),
  fc.option(fc.nat(1000), { nil: undefined }).map((seed) => (run: RealtimeRun) => {
    // It resolves at the next step boundary, or rejects when the session ends before.
    run.reset(seed === undefined ? {} : { seed }).catch(() => undefined);
  }),
  fc.constant((run: RealtimeRun) => run.pause()),
  fc.constant((run: RealtimeRun) => run.resume()),
  fc.constant((run: RealtimeRun) => run.resume()),
  fc.constant((run: RealtimeRun) => run.stepOnce()),
);
const sessions = fc.array(fc.tuple(wait, deeds), { minLength: 10, maxLength: 40 });

async function recordLive(
  session: readonly Deed[],
  framesPerStep: number,
  payloads: MemoryPayloadStore,
): Promise<Trace> {
  let text = "";
  const clock = new FakeClock({ startSeconds: 50 });
  const sink = { write: (more: string) => void (text += more) };
  const run = startRealtime({
    adapter: createProbeWorld({ cost: clockStepCost(clock, (seconds) => clock.elapse(seconds)) }),
    clock,
    config: {
      modelId: "probe",
      model: { framesPerStep },
      runtimeOptions: {
        width: 64,
        height: 48,
        framesPerSecond: 10,
        stepTimeSeconds: 0.04,
        finalize: true,
        finalizeTimeSeconds: 0.01,
      },
    },
    seed: 3,
    frameHasher: hasher,
    initialInputs: { initial: { prompt: "start" } },
    observers: [new TraceEncoder({ sink, hasher, payloads, recordModelInputs: true })],
  });
  await clock.advance(0);
  await run.started;
  for (const [waitSeconds, deed] of session) {
    await clock.advance(waitSeconds);
    deed(run, clock.nowSeconds());
  }
  await clock.advance(2);
  const closing = run.close();
  await clock.advance(5);
  await closing;
  return readTrace([new TextEncoder().encode(text)]);
}

describe("a live session that was recorded", () => {
  test("G3: gives the same frames headless, whatever was done, at both levels (property)", async () => {
    await fc.assert(
      fc.asyncProperty(sessions, fc.constantFrom(1, 3), async (session, framesPerStep) => {
        const payloads = new MemoryPayloadStore();
        const trace = await recordLive(session, framesPerStep, payloads);
        expect(trace.complete).toBe(true);
        expect(trace.steps.length).toBeGreaterThan(0);
        const frames = trace.steps.reduce((sum, step) => sum + (step.frameHashes?.length ?? 0), 0);
        const adapter = createProbeWorld({ cost: { wait: () => Promise.resolve(), block: () => undefined } });
        const options = { trace, adapter, frameHasher: hasher, clock: new FakeClock(), payloads };
        for (const level of Object.values(REPLAY_LEVELS)) {
          const report = await replayTrace({ ...options, level });
          expect(report).toMatchObject({ equal: true, stepCount: trace.steps.length, comparedFrames: frames });
          expect(report.run.frameCount).toBe(trace.footer?.frameCount);
        }
      }),
      { numRuns: 25 },
    );
  });

  test("G1: its pauses, resets and prompts stand in the trace with their steps", async () => {
    const reset = (run: RealtimeRun): void => void run.reset({ seed: 8 }).catch(() => undefined);
    const session: readonly Deed[] = [
      [0.35, event("prompt_set", { prompt: "rain" })],
      [0.3, (run) => run.pause()],
      [2, (run) => run.resume()],
      [0.2, reset],
      [0.3, event("key_down", { code: "KeyE" })],
    ];
    const trace = await recordLive(session, 1, new MemoryPayloadStore());
    const [paused, resumed] = trace.pauses;
    expect(paused).toMatchObject({ paused: true });
    // Time stands still while paused.
    expect(resumed).toMatchObject({ paused: false, timestampSeconds: paused?.timestampSeconds });
    const updated = trace.steps.find(({ update }) => update !== undefined);
    expect(updated?.update?.values.json).toEqual({ prompt: "rain" });
    const first = trace.steps.find(({ resets }) => resets.length > 0);
    expect(first).toMatchObject({ generation: 1, stepIndex: 0, resets: [{ generation: 1, seed: 8 }] });
    expect(first?.stepNumber).toBeGreaterThan(updated?.stepNumber ?? Infinity);
  });
});
