import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  inferenceConfig,
  modelInputs,
  stepResult,
  type InferenceRuntime,
  type InferenceSession,
} from "@dreamloop/core";
import { registerCases, sessionConformance } from "@dreamloop/testing";
import { describe, expect, test } from "vitest";
import { pythonWorld } from "../python/python-world.ts";
import { disposable, driving, IS_PYTHON_MISSING, PYTHON } from "../test-support/python-worlds.ts";
import { until } from "../test-support/group-members.ts";

const FILE = fileURLToPath(new URL("../test-support/ranked_worlds.py", import.meta.url));
const TORCH_FILE = fileURLToPath(new URL("../test-support/torch_ranks.py", import.meta.url));
const suite = IS_PYTHON_MISSING ? describe.skip : describe;

/** An interpreter in which torch.distributed speaks gloo; absent where there is none. */
const TORCH_PYTHON = [PYTHON, "/usr/bin/python3"].find(
  (python) =>
    python !== "" &&
    spawnSync(python, ["-c", "import torch.distributed as d, sys; sys.exit(not d.is_available())"]).status === 0,
);

async function load(
  runtimeOptions: Record<string, string | number> = {},
  resourceHints: Record<string, string | number> = { ranks: 2 },
): Promise<InferenceRuntime & AsyncDisposable> {
  const adapter = await pythonWorld({ file: FILE, name: "Summing", python: PYTHON }, { onLog: () => undefined });
  const config = inferenceConfig({ modelId: "summing", runtimeOptions, resourceHints });
  return disposable(await adapter.createRuntime(config, {}));
}

async function start(runtime: InferenceRuntime, seed = 3): Promise<InferenceSession & AsyncDisposable> {
  return disposable(await runtime.startSession(modelInputs(), { seed }));
}

async function step(session: InferenceSession, index: number): Promise<ReturnType<typeof stepResult>> {
  return stepResult(await session.step(modelInputs(driving(index)), {}));
}

const greyOf = ({ output }: ReturnType<typeof stepResult>): unknown => output?.data[0];
const isGone = (pid: unknown): boolean => !existsSync(`/proc/${String(pid)}`);

suite("a world on several ranks", () => {
  test("N15: every rank sees every step of interleaved sessions in the same order, and the frames are those of rank 0", async () => {
    await using runtime = await load({}, { ranks: 3 });
    expect(runtime.facts?.()).toMatchObject({ ranks: "3" });
    const sessions = [await start(runtime, 3), await start(runtime, 4)];
    for (let index = 0; index < 4; index += 1) {
      const results = await Promise.all(sessions.map((session) => step(session, index)));
      expect(results.map(greyOf)).toEqual([3 + 6 * (index + 1), 4 + 6 * (index + 1)]);
      expect(results[0]?.metadata.total).toBe(6);
    }
    await Promise.all(sessions.map(async (session) => session.close()));
  });

  test.each([
    ["dies", "kill", /ranked_worlds.py, rank 1 of 2: its process was killed/],
    ["hangs", "hang", /rank 1 of 2: step 2 did not end within 1 s; it was at .*ranked_worlds.py:\d+ in hang/],
    ["alone refuses a step", "differ", /rank 1 of 2 refused step while others did not: .*this rank alone/],
  ])(
    "N16: a rank that %s ends the session with a named error, all ranks are ended, and the next session finds new ones",
    async (_, what, why) => {
      await using runtime = await load({ what }, { ranks: 2, stepSeconds: 1 });
      const session = await start(runtime);
      const first = await step(session, 0);
      await step(session, 1);
      await expect(step(session, 2)).rejects.toMatchObject({
        code: "worker_failed",
        message: expect.stringMatching(why) as string,
      });
      await session.close();
      await using again = await start(runtime);
      const { metadata } = await step(again, 0);
      expect(metadata.pid).not.toBe(first.metadata.pid);
      await until(() => isGone(first.metadata.pid), "the end of rank 0");
    },
  );

  test("N16: what all ranks refuse is a refused step, and the session continues", async () => {
    await using runtime = await load();
    await using session = await start(runtime);
    await expect(session.step(modelInputs({ step: { drive: 3 } }), {})).rejects.toThrow(/drive/);
    expect(greyOf(await step(session, 0))).toBe(6);
  });

  test("N15: devices are given to a world as a whole, and workers of several ranks make a pool", async () => {
    await using runtime = await load({}, { ranks: 2, workers: 2, devices: "4,5,6,7" });
    expect(runtime.facts?.()).toMatchObject({ workers: 2, ranks: "2", devices: ["4", "5", "6", "7"] });
    const sessions = [await start(runtime), await start(runtime)];
    const results = await Promise.all(sessions.map((session) => step(session, 0)));
    expect(results.map(({ metadata }) => metadata.visible)).toEqual(["4,5", "6,7"]);
    expect(results.map(({ metadata }) => metadata.device)).toEqual(["cuda", "cuda"]);
    await Promise.all(sessions.map(async (session) => session.close()));
  });
});

suite("N15: a session on two ranks keeps what sessions keep", async () => {
  if (IS_PYTHON_MISSING) return;
  const adapter = await pythonWorld({ file: FILE, name: "Summing", python: PYTHON }, { onLog: () => undefined });
  const cases = sessionConformance({
    adapter,
    config: { resourceHints: { ranks: 2 } },
    stepInputs: driving,
    badStep: { step: { drive: 3 } },
  });
  registerCases(
    test,
    cases.filter(({ name }) => /snapshot|cancelled|reset keeps|closes once/.test(name)),
  );
});

// Where torch is missing these are skipped, and the title says so.
const torchSuite = TORCH_PYTHON === undefined ? describe.skip : describe;

torchSuite(`a PyTorch world on gloo${TORCH_PYTHON === undefined ? " (no interpreter here has PyTorch)" : ""}`, () => {
  test("N15: two processes that add up their parts give the frames of one", async () => {
    const python = TORCH_PYTHON ?? "";
    const adapter = await pythonWorld({ file: TORCH_FILE, python }, { onLog: () => undefined });
    const frames = [];
    for (const ranks of [1, 2]) {
      const config = inferenceConfig({ modelId: adapter.modelId, resourceHints: { ranks } });
      await using runtime = disposable(await adapter.createRuntime(config, {}));
      await using session = await start(runtime);
      const run = [];
      for (let index = 0; index < 5; index += 1)
        run.push(Buffer.from((await step(session, index)).output!.data.slice()));
      frames.push(Buffer.concat(run));
    }
    expect(frames[1]?.equals(frames[0] ?? Buffer.alloc(0))).toBe(true);
    expect(new Set(frames[0]).size).toBeGreaterThan(10);
  });
});
