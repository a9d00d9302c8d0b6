import { fileURLToPath } from "node:url";
import {
  inferenceConfig,
  modelInputs,
  stepResult,
  type InferenceRuntime,
  type InferenceSession,
  type Json,
} from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { disposable, driving, IS_PYTHON_MISSING, PYTHON } from "../test-support/python-worlds.ts";
import { devicesOfWorker } from "./device-environment.ts";
import { pythonWorld } from "./python-world.ts";

const FILE = fileURLToPath(new URL("../test-support/ranked_worlds.py", import.meta.url));
const suite = IS_PYTHON_MISSING ? describe.skip : describe;
const BRAKE = { step: { drive: { throttle: 0, brake: 1, steer: 0, reverse: false, stop: false } } };

async function load(resourceHints: Record<string, Json>, device?: string): Promise<InferenceRuntime & AsyncDisposable> {
  const adapter = await pythonWorld({ file: FILE, name: "Pooled", python: PYTHON }, { onLog: () => undefined });
  const config = inferenceConfig({ modelId: "pooled", resourceHints, ...(device === undefined ? {} : { device }) });
  return disposable(await adapter.createRuntime(config, {}));
}

const start = (runtime: InferenceRuntime, seed: number): Promise<InferenceSession> =>
  Promise.resolve(runtime.startSession(modelInputs(), { seed }));

const step = async (session: InferenceSession, inputs: object = driving(0)): Promise<ReturnType<typeof stepResult>> =>
  stepResult(await session.step(modelInputs(inputs), {}));

suite("a pool of processes of a world in Python", () => {
  test("N12, N13: sessions go to the least loaded process, frames do not depend on it, a dead one is replaced and the others continue", async () => {
    await using runtime = await load({ workers: 2 });
    expect(runtime.maxSessions).toBe(6);
    const sessions = [await start(runtime, 1), await start(runtime, 1), await start(runtime, 1)];
    const results = await Promise.all(sessions.map((session) => step(session)));
    const pids = results.map(({ metadata }) => metadata.pid);
    expect(pids[1]).not.toBe(pids[0]);
    expect(pids[2]).toBe(pids[0]);
    for (const { output } of results) expect(output?.data[0]).toBe(results[0]?.output?.data[0]);
    const [doomed, beside, alike] = sessions as [InferenceSession, InferenceSession, InferenceSession];
    await expect(step(doomed, BRAKE)).rejects.toMatchObject({
      code: "worker_failed",
      message: expect.stringContaining("killed") as string,
    });
    await expect(step(alike)).rejects.toMatchObject({ code: "worker_failed" });
    expect((await step(beside)).stepIndex).toBe(1);
    await doomed.close();
    await alike.close();
    const next = await start(runtime, 2);
    expect((await step(next)).metadata.pid).not.toBe(pids[0]);
  });

  test("a snapshot that is restored with another seed goes on with that seed on any process, and without one with its own", async () => {
    await using runtime = await load({ workers: 2 });
    const sessions = [await start(runtime, 1), await start(runtime, 2)];
    const [one, other] = sessions as [InferenceSession, InferenceSession];
    await step(one);
    const snapshot = await one.snapshot?.();
    if (snapshot === undefined) throw new Error("no snapshot");
    const next = async (session: InferenceSession): Promise<unknown> => (await step(session)).output?.data[0];
    const undisturbed = await next(one);
    const found: unknown[] = [];
    for (const seed of [undefined, 7, 7]) {
      await other.restore?.(snapshot, seed === undefined ? {} : { seed });
      found.push(await next(other));
    }
    expect(found[0]).toBe(undisturbed);
    expect(found[1]).not.toBe(undisturbed);
    expect(found[2]).toBe(found[1]);
  });

  test("N14: each process sees its device alone, and a device that the world does not take is refused before anything starts", async () => {
    await using runtime = await load({ devices: ["cuda:2", "cuda:5"] });
    const results = await Promise.all(
      [await start(runtime, 1), await start(runtime, 1)].map((session) => step(session)),
    );
    expect(results.map(({ metadata }) => [metadata.device, metadata.visible])).toEqual([
      ["cuda", "2"],
      ["cuda", "5"],
    ]);
    await expect(load({ devices: "mps" })).rejects.toMatchObject({ code: "unsupported_config" });
  });
});

describe("N14: the devices of a worker", () => {
  const of = (
    devices: readonly string[],
    index: number,
    rest: { ranks?: number; device?: string; visible?: string } = {},
  ) => {
    const { ranks = 1, device, visible } = rest;
    return devicesOfWorker({ devices, ranks, index, config: device === undefined ? {} : { device }, visible });
  };

  test("are given out in turn; numbers become the only devices that it sees, counted among those that this program sees", () => {
    expect(of([], 3)).toEqual({ env: {} });
    expect(of(["cuda:0", "cuda:1"], 2)).toEqual({ device: "cuda", env: { CUDA_VISIBLE_DEVICES: "0" } });
    expect(of(["0", "1"], 1, { device: "cuda:0" })).toEqual({ device: "cuda", env: { CUDA_VISIBLE_DEVICES: "1" } });
    expect(of(["0", "1", "2", "3"], 1, { ranks: 2 })).toEqual({ device: "cuda", env: { CUDA_VISIBLE_DEVICES: "2,3" } });
    expect(of(["0", "1"], 1, { visible: "6,GPU-7" })).toEqual({
      device: "cuda",
      env: { CUDA_VISIBLE_DEVICES: "GPU-7" },
    });
    expect(of(["cpu"], 1)).toEqual({ device: "cpu", env: {} });
  });
});
