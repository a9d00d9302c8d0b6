import { createRequire } from "node:module";
import {
  inferenceConfig,
  modelInputs,
  stepResult,
  type InferenceConfigInput,
  type InferenceSession,
  type ModelAdapter,
} from "@dreamloop/core";
import { checkConfigSupport } from "@dreamloop/core/internal";
import { registerCases, sessionConformance } from "@dreamloop/testing";
import { afterAll, describe, expect, test } from "vitest";
import { loadAdapter, WorldHost, worldReference } from "../index.ts";
import { EndingWorlds, ENDING_SEEDS, LASTING_SEEDS } from "../test-support/ending-worlds.ts";
import type { PooledRuntime } from "./pooled-runtime.ts";

const worlds = new EndingWorlds();
afterAll(() => worlds.remove());

const probe = worldReference({
  module: createRequire(import.meta.url).resolve("@dreamloop/worlds/probe"),
  exportName: "probeWorld",
});
const SMALL = { width: 320, height: 180 };
const IDLE = { step: {} };

async function pool(config: Partial<InferenceConfigInput> = {}, adapter?: ModelAdapter): Promise<PooledRuntime> {
  const world = adapter ?? (await loadAdapter(worldReference(worlds.reference)));
  const full = inferenceConfig({
    runtimeOptions: { ...SMALL },
    resourceHints: { workers: 2 },
    ...config,
    modelId: world.modelId,
  });
  checkConfigSupport(world, full);
  return (await world.createRuntime(full, {})) as PooledRuntime;
}

async function start(runtime: PooledRuntime, seed: number): Promise<InferenceSession> {
  return runtime.startSession(modelInputs(), { seed });
}

async function step(session: InferenceSession): Promise<ReturnType<typeof stepResult>> {
  return stepResult(await session.step(modelInputs(IDLE), {}));
}

describe("N12: sessions of a pool of threads", () => {
  test("are placed on the least loaded worker, and show the frames of a world without a pool", async () => {
    const adapter = await loadAdapter(worldReference(worlds.reference));
    const local = await adapter.createRuntime(inferenceConfig({ modelId: "probe", runtimeOptions: { ...SMALL } }), {});
    const runtime = await pool({}, adapter);
    expect(runtime.maxSessions).toBe(2 * (local.maxSessions ?? 1));
    expect(runtime.facts()).toMatchObject({ workers: 2 });
    const alone = await local.startSession(modelInputs(), { seed: 5 });
    const sessions = [await start(runtime, 5), await start(runtime, 5), await start(runtime, 5)];
    expect(runtime.sessionCounts).toEqual([2, 1]);
    const expected = await step(alone);
    const results = await Promise.all(sessions.map((session) => step(session)));
    for (const { output } of results)
      expect(Buffer.compare(output!.data as Uint8Array, expected.output!.data as Uint8Array)).toBe(0);
    expect(new Set(results.map(({ metadata }) => metadata.threadId)).size).toBe(2);
    await sessions[0]?.close();
    await sessions[2]?.close();
    expect(runtime.sessionCounts).toEqual([0, 1]);
    await start(runtime, 6);
    expect(runtime.sessionCounts).toEqual([1, 1]);
    await runtime.close();
    await expect(start(runtime, 1)).rejects.toMatchObject({ code: "closed" });
    await local.close();
  });

  test.each([
    ["exits", ENDING_SEEDS.exits, /a worker of "probe" ended with code 3; its sessions have ended/],
    ["throws where nobody catches", ENDING_SEEDS.throws, /a worker of "probe" failed: lost/],
    [
      "holds its thread",
      ENDING_SEEDS.holds,
      /a worker of "probe" has not answered for [\d.]+ s: a call of the world's code/,
    ],
  ])(
    "N13: a worker that %s ends its own sessions with a named error, is replaced, and the others continue",
    async (_, seed, why) => {
      const runtime = await pool({ resourceHints: { workers: 2, stepSeconds: 2 } });
      const [doomed, beside, after] = [await start(runtime, seed), await start(runtime, 3), await start(runtime, 4)];
      const { metadata: before } = await step(doomed);
      const { metadata: living } = await step(beside);
      expect(living.threadId).not.toBe(before.threadId);
      await expect(step(doomed)).rejects.toMatchObject({
        code: "worker_failed",
        message: expect.stringMatching(why) as string,
      });
      // The third session was on the same worker.
      await expect(step(after)).rejects.toMatchObject({ code: "worker_failed" });
      expect((await step(beside)).stepIndex).toBe(1);
      await doomed.close();
      await after.close();
      const next = await start(runtime, 3);
      const { metadata: replaced } = await step(next);
      expect(replaced.threadId).not.toBe(before.threadId);
      await expect
        .poll(async () => (await step(await start(runtime, 3))).metadata.threadId !== living.threadId)
        .toBe(true);
      await runtime.close();
    },
  );

  test("R3, R4: a session that does not end, and one whose start is cancelled, give their places back, and the worker keeps working", async () => {
    const runtime = await pool({ resourceHints: { workers: 1, closeSeconds: 0.05 } });
    const lasting = await start(runtime, LASTING_SEEDS.neverEnds);
    expect(runtime.sessionCounts).toEqual([1]);
    await expect(lasting.close()).rejects.toMatchObject({
      code: "timed_out",
      message: expect.stringContaining("raise resourceHints.closeSeconds") as string,
    });
    expect(runtime.sessionCounts).toEqual([0]);
    const cancel = new AbortController();
    const late = runtime.startSession(modelInputs(), { seed: LASTING_SEEDS.startsLate, signal: cancel.signal });
    cancel.abort();
    await expect(late).rejects.toMatchObject({ code: "cancelled" });
    expect(runtime.sessionCounts).toEqual([0]);
    // The one that does not end, and this one; the one that started too late was closed.
    const next = await start(runtime, 3);
    await expect.poll(async () => (await step(next)).metadata.openSessions).toBe(2);
    await runtime.close();
  });

  test("N13: live sessions beside one whose worker ends play on, and so does the host that serves them", async () => {
    const config = { runtimeOptions: { ...SMALL, framesPerSecond: 60 }, resourceHints: { workers: 2 } };
    await using host = await WorldHost.load({ reference: worlds.reference, config });
    expect(host.info).toMatchObject({ maxSessions: 128, runtimeFacts: { workers: 2 } });
    const doomed = host.startSession({ start: { seed: ENDING_SEEDS.exits } });
    await doomed.started;
    let chunks = 0;
    let enough: () => void = () => undefined;
    const playedOn = new Promise<void>((resolve) => (enough = resolve));
    let wanted = Infinity;
    const beside = host.startSession({
      start: { seed: 1 },
      onChunk: (chunk) => {
        chunk.release();
        chunks += 1;
        if (chunks >= wanted) enough();
      },
    });
    await expect(doomed.done).rejects.toMatchObject({ code: "worker_failed" });
    wanted = chunks + 5;
    await playedOn;
    expect(host.failure).toBeUndefined();
    await beside.close();
  });

  test("N14: each worker gets its device, a device that the world does not know is refused, and one that fails ends the load of all", async () => {
    const spread = await pool({ resourceHints: { devices: "0, 1" }, device: "cuda:0" });
    const sessions = [await start(spread, 1), await start(spread, 2)];
    const used = await Promise.all(sessions.map(async (session) => (await step(session)).metadata.device));
    expect(used).toEqual(["cuda:0", "cuda:1"]);
    expect(spread.facts()).toMatchObject({ devices: ["0", "1"] });
    await spread.close();
    const unknown = pool({ resourceHints: { devices: ["cuda:0", "cuda:9"] } });
    await expect(unknown).rejects.toMatchObject({
      code: "unsupported_config",
      message: expect.stringContaining("cuda:9") as string,
    });
    const failing = pool({
      resourceHints: { devices: ["cuda:0", "cuda:1"] },
      runtimeOptions: { ...SMALL, failAtStep: 7 },
    });
    await expect(failing).rejects.toThrow("cuda:1 is taken");
  });

  test("hints that would have no effect are refused, and several ranks are for worlds in Python", async () => {
    await expect(pool({ backend: "local" })).rejects.toThrow(
      "resourceHints.workers: the backend local does not use it; leave the backend out, or choose local-distributed",
    );
    await expect(pool({ backend: "local-distributed", resourceHints: {} })).rejects.toThrow(
      /workers, ranks or devices/,
    );
    await expect(pool({ resourceHints: { ranks: 2 } })).rejects.toThrow(/only worlds in Python run as several ranks/);
    // A kind stands for each of its devices, and for nothing else.
    await expect(pool({ device: "cuda:0:1" })).rejects.toThrow(/"cuda:0:1" is not supported/);
    await expect(pool({ device: "cpu:x" })).rejects.toThrow(/"cpu:x" is not supported/);
    await expect(pool({ resourceHints: { workers: 65 } })).rejects.toThrow(
      /resourceHints.workers: expected an integer at least 1 and at most 64/,
    );
    await expect(pool({ resourceHints: { devices: ["cuda:0"], ranks: 2 } })).rejects.toThrow(/at least 2 devices/);
  });

  test("a load that is cancelled ends all its threads", async () => {
    const adapter = await loadAdapter(worldReference(worlds.reference));
    const cancel = new AbortController();
    const config = inferenceConfig({ modelId: "probe", runtimeOptions: { ...SMALL }, resourceHints: { workers: 2 } });
    const load = adapter.createRuntime(config, { signal: cancel.signal });
    cancel.abort();
    await expect(load).rejects.toMatchObject({ code: "cancelled" });
  });
});

describe("N12: a session of a pool keeps what sessions keep", async () => {
  const adapter = await loadAdapter(probe);
  const config = { runtimeOptions: { width: 96, height: 64 }, resourceHints: { workers: 1 } };
  registerCases(
    test,
    sessionConformance({
      adapter,
      config,
      stepInputs: () => IDLE,
      update: { prompt: "rain" },
      failing: { config: { ...config, runtimeOptions: { ...config.runtimeOptions, failAtStep: 2 } }, stepIndex: 2 },
    }),
  );
});
