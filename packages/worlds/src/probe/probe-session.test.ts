import { createHash } from "node:crypto";
import {
  inferenceConfig,
  modelInputs,
  stepResult,
  type InferenceRuntime,
  type InferenceSession,
  type ModelInputsInput,
  type StepResult,
} from "@dreamloop/core";
import { FakeClock } from "@dreamloop/testing";
import { describe, expect, test } from "vitest";
import { createProbeWorld, probeWorld } from "./probe-world.ts";
import { clockStepCost } from "./step-cost.ts";
import { promptHash } from "./strip/check-codes.ts";
import { readProbeStrip } from "./strip/strip-reader.ts";
import type { ProbeStripValues } from "./strip/strip-values.ts";

type Options = Readonly<Record<string, string | number | boolean>>;
const SIZE = { width: 128, height: 96 };

async function load(options: Options = {}): Promise<InferenceRuntime> {
  return probeWorld.createRuntime(inferenceConfig({ modelId: "probe", runtimeOptions: { ...SIZE, ...options } }), {});
}

async function start(options: Options = {}, inputs: ModelInputsInput = {}, seed = 7): Promise<InferenceSession> {
  return (await load(options)).startSession(modelInputs(inputs), { seed });
}

async function step(session: InferenceSession, inputs: ModelInputsInput = {}): Promise<StepResult> {
  return stepResult(await session.step(modelInputs(inputs), {}));
}

function hash(result: StepResult): string {
  const data = result.output?.data ?? new Uint8Array();
  return createHash("sha256")
    .update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
    .digest("hex");
}

function strips({ output }: StepResult): readonly ProbeStripValues[] {
  if (output === undefined) return [];
  const size = output.width * output.height * 3;
  return Array.from({ length: output.frameCount }, (_, frame) => {
    const data = output.data.subarray(frame * size, (frame + 1) * size);
    const values = readProbeStrip({ data, width: output.width, height: output.height });
    if (values === undefined) throw new Error(`frame ${frame} has no readable strip`);
    return values;
  });
}

/** Different controls for each step, so that a step that is lost, repeated or swapped shows. */
function controls(index: number): ModelInputsInput {
  return {
    step: {
      inputSequence: 10 + index,
      driverCommand: { throttle: (index % 5) / 4, steer: (index % 3) - 1 },
      actions: { held: index % 2 === 0 ? ["jump"] : [], pressed: { use: index % 3 } },
      lookDelta: { deltaX: index * 0.5, deltaY: -index },
    },
    update: index === 3 ? { prompt: "rain" } : {},
  };
}

async function play(session: InferenceSession, count: number, first = 0): Promise<string[]> {
  const hashes: string[] = [];
  for (let index = first; index < first + count; index += 1) {
    const result = await step(session, controls(index));
    hashes.push(hash(result));
    result.output?.release?.();
    await session.finalizeStep?.({});
  }
  return hashes;
}

describe("a probe session", () => {
  test("A6: every frame of a step shows the inputs of that step, with no step of hidden delay", async () => {
    const session = await start({ framesPerStep: 4, firstStepFrames: 1 });
    let frameIndex = 0;
    let pressCount = 0;
    for (let index = 0; index < 30; index += 1) {
      const result = await step(session, controls(index));
      expect(result.metadata).toMatchObject({ frameIndex, heldBits: index % 2 === 0 ? 64 : 0 });
      pressCount += index % 3;
      const seen = strips(result);
      expect(seen).toHaveLength(index === 0 ? 1 : 4);
      for (const values of seen) {
        expect(values).toMatchObject({
          frameIndex,
          stepIndex: index,
          inputSequence: 10 + index,
          heldBits: index % 2 === 0 ? 64 : 0,
          pressedBits: index % 3 === 0 ? 0 : 512,
          pressCount,
          lookSumX: (index * (index + 1)) / 4,
          lookSumY: 0 - (index * (index + 1)) / 2,
        });
        expect(values.driverCommand?.steer).toBe((index % 3) - 1);
        frameIndex += 1;
      }
    }
  });

  test("the object moves within a step by the time between two frames", async () => {
    const slow = await start({ framesPerStep: 2, framesPerSecond: 10 });
    const fast = await start({ framesPerStep: 4, framesPerSecond: 20 });
    const moved = { step: { cameraMotion: { moveRight: 1 } } };
    const positions = async (session: InferenceSession): Promise<number> => {
      await step(session, moved);
      const { data } = (await session.snapshot?.()) as { data: { state: { object: { x: number } } } };
      return data.state.object.x;
    };
    expect(await positions(fast)).toBeCloseTo(await positions(slow), 12);
  });

  test("F2: a step that fails after any number of frames leaves the state as it was", async () => {
    const untouched = await play(await start({ framesPerStep: 3 }), 4);
    for (let failAfterFrames = 0; failAfterFrames <= 3; failAfterFrames += 1) {
      const session = await start({ framesPerStep: 3, failAtStep: 2, failAfterFrames });
      const hashes = await play(session, 2);
      const before = await session.snapshot?.();
      expect(() => session.step(modelInputs(controls(2)), {})).toThrow(/step 2 fails after \d frame/);
      expect(await session.snapshot?.()).toEqual(before);
      hashes.push(...(await play(session, 2, 2)));
      expect(hashes).toEqual(untouched);
    }
  });

  test("F2: refused inputs and a cancelled step leave the state as it was", async () => {
    const clock = new FakeClock();
    const world = createProbeWorld({ cost: clockStepCost(clock, (seconds) => clock.elapse(seconds)) });
    const config = inferenceConfig({ modelId: "probe", runtimeOptions: { ...SIZE, stepTimeSeconds: 1 } });
    const session = await (await world.createRuntime(config, {})).startSession(modelInputs(), { seed: 7 });
    const before = await session.snapshot?.();
    expect(() => session.step(modelInputs({ step: { driverCommand: { throttle: 2 } } }), {})).toThrow(
      /ModelInputs\.step\.driverCommand\.throttle: .*at most 1/,
    );
    expect(() => session.step(modelInputs({ step: { gas: 1 } }), {})).toThrow(/ModelInputs\.step\.gas/);
    expect(() => session.step(modelInputs({ update: { prompt: 3 } }), {})).toThrow(/ModelInputs\.update\.prompt/);
    const controller = new AbortController();
    const stepping = Promise.resolve(session.step(modelInputs(controls(3)), { signal: controller.signal }));
    controller.abort();
    await expect(stepping).rejects.toThrow(/cancelled/);
    expect(await session.snapshot?.()).toEqual(before);
  });

  test("F3, J1: interleaved sessions of one runtime give the same frames as separate ones", async () => {
    const runtime = await load({ framesPerStep: 2 });
    const seeds = [1, 2, 3];
    const separate = await Promise.all(seeds.map(async (seed) => play(await start({ framesPerStep: 2 }, {}, seed), 6)));
    const sessions = await Promise.all(seeds.map(async (seed) => runtime.startSession(modelInputs(), { seed })));
    const interleaved: string[][] = seeds.map(() => []);
    for (let index = 0; index < 6; index += 1) {
      for (const [which, session] of sessions.entries()) interleaved[which].push(...(await play(session, 1, index)));
    }
    expect(interleaved).toEqual(separate);
    expect(new Set(separate.map(([first]) => first)).size).toBe(3);
  });

  test("with finalisation a step counts after finalizeStep, and not when it was discarded", async () => {
    const untouched = await play(await start(), 4);
    const session = await start({ finalize: true });
    const hashes = await play(session, 2);
    const result = await step(session, controls(2));
    expect(() => session.step(modelInputs(), {})).toThrow(/neither finalised nor discarded/);
    expect(() => session.snapshot?.()).toThrow(/neither finalised nor discarded/);
    session.discardStep?.();
    result.output?.release?.();
    expect(() => session.finalizeStep?.({})).toThrow(/no step waits/);
    hashes.push(...(await play(session, 2, 2)));
    expect(hashes).toEqual(untouched);
  });

  test("without finalisation the last step can still be discarded", async () => {
    const session = await start();
    await play(session, 2);
    const before = await session.snapshot?.();
    await step(session, controls(2));
    session.discardStep?.();
    session.discardStep?.();
    expect(await session.snapshot?.()).toEqual(before);
  });

  test("a reset raises the generation, keeps the amended prompt and the seed, and can be given others", async () => {
    const session = await start({}, { initial: { prompt: "sun" } });
    const first = strips(await step(session, { update: { prompt: "rain" } }))[0];
    expect(first).toMatchObject({ generation: 0, promptHash: promptHash("rain") });
    await session.reset({});
    const again = await step(session);
    expect(strips(again)[0]).toMatchObject({ generation: 1, frameIndex: 0, promptHash: promptHash("rain") });
    await session.reset({ seed: 8, inputs: modelInputs({ initial: {} }) });
    const other = await step(session);
    expect(strips(other)[0].promptHash).toBeUndefined();
    expect(strips(other)[0].generation).toBe(2);
    await session.reset({ seed: 7, inputs: modelInputs({ initial: { prompt: "rain" } }) });
    expect(strips(await step(session))[0]).toMatchObject({ generation: 3, promptHash: promptHash("rain") });
  });

  test("I3: a rollout goes on past 2^31 frames and steps", async () => {
    const session = await start();
    const snapshot = await session.snapshot?.();
    const data = structuredClone(snapshot?.data) as { state: { frameIndex: number; stepIndex: number } };
    data.state.frameIndex = 2 ** 31 - 1;
    data.state.stepIndex = 2 ** 31 - 1;
    await session.restore?.({ version: "probe@1", data });
    const results = [await step(session), await step(session)];
    expect(results.map(({ stepIndex }) => stepIndex)).toEqual([2 ** 31 - 1, 2 ** 31]);
    expect(results.map((result) => strips(result)[0].frameIndex)).toEqual([2 ** 24 - 1, 0]);
  });

  test("a snapshot continues bit for bit in another session and is refused by another configuration", async () => {
    const session = await start({ framesPerStep: 2 });
    await play(session, 3);
    const snapshot = await session.snapshot?.();
    if (snapshot === undefined) throw new Error("probe sessions have snapshots");
    const rest = await play(session, 3, 3);
    const other = await start({ framesPerStep: 2 }, {}, 99);
    await other.restore?.(structuredClone(snapshot));
    expect(await play(other, 3, 3)).toEqual(rest);
    await other.restore?.(snapshot);
    expect(await play(other, 3, 3)).toEqual(rest);
    const narrow = await start({ framesPerStep: 1 });
    expect(() => narrow.restore?.(snapshot)).toThrow(/SessionSnapshot\.data\.configuration/);
    expect(() => narrow.restore?.({ version: "drive@1", data: {} })).toThrow(/expected "probe@1", found "drive@1"/);
  });

  test("a chunk's memory is used again only after its release", async () => {
    const session = await start();
    const first = await step(session, controls(0));
    const kept = hash(first);
    const second = await step(session, controls(1));
    expect(second.output?.data.buffer).not.toBe(first.output?.data.buffer);
    expect(hash(first)).toBe(kept);
    first.output?.release?.();
    const third = await step(session, controls(2));
    expect(third.output?.data.buffer).toBe(first.output?.data.buffer);
  });

  test("an instant step returns one prepared chunk and still counts", async () => {
    const session = await start({ instant: true, framesPerStep: 2 });
    const results = [await step(session, controls(0)), await step(session, controls(1))];
    expect(results[1].output?.data).toBe(results[0].output?.data);
    expect(results.map(({ stepIndex, metadata }) => [stepIndex, metadata.frameIndex])).toEqual([
      [0, 0],
      [1, 2],
    ]);
    expect(strips(results[1]).map(({ frameIndex }) => frameIndex)).toEqual([0, 1]);
  });

  test("the rollout is complete after stepLimit steps", async () => {
    const session = await start({ stepLimit: 2 });
    await play(session, 2);
    expect(session.nextStepRequest()).toBeUndefined();
    expect(() => session.step(modelInputs(), {})).toThrow(/the rollout is complete/);
    await session.reset({});
    expect(session.nextStepRequest()).toEqual({ stepIndex: 0 });
  });

  test("nothing but close works after close", async () => {
    const runtime = await load({ maxSessions: 1 });
    const session = await runtime.startSession(modelInputs(), { seed: 0 });
    expect(() => runtime.startSession(modelInputs(), { seed: 0 })).toThrow(/all 1 sessions are taken/);
    await session.close();
    await session.close();
    expect(() => session.nextStepRequest()).toThrow(/the session is closed/);
    expect(() => session.step(modelInputs(), {})).toThrow(/the session is closed/);
    const next = await runtime.startSession(modelInputs(), { seed: 0 });
    await runtime.close();
    expect(() => next.step(modelInputs(), {})).toThrow(/the session is closed/);
    expect(() => runtime.startSession(modelInputs(), { seed: 0 })).toThrow(/the runtime is closed/);
  });
});
