import { inferenceConfig, modelInputs, stepResult } from "@dreamloop/core";
import { adapterConformance, registerCases, sessionConformance } from "@dreamloop/testing";
import { describe, expect, test } from "vitest";
import {
  driving,
  IS_PYTHON_MISSING,
  disposable,
  loadTestWorld,
  PYTHON,
  testWorld,
  WORLDS_FILE,
} from "../test-support/python-worlds.ts";
import { pythonWorld } from "./python-world.ts";

const suite = IS_PYTHON_MISSING ? describe.skip : describe;
const { adapter } = IS_PYTHON_MISSING ? { adapter: undefined } : await testWorld("Behaved");
const { adapter: finalizing } = IS_PYTHON_MISSING ? { adapter: undefined } : await testWorld("Finalizing");
const { adapter: inPlace } = IS_PYTHON_MISSING ? { adapter: undefined } : await testWorld("InPlace");
const SEED_BEYOND_32_BITS = 2 ** 40 + 7;

suite("N1: a world in Python", () => {
  if (adapter === undefined || finalizing === undefined || inPlace === undefined) return;
  const options = { stepInputs: driving, seed: SEED_BEYOND_32_BITS } as const;

  describe("as an adapter", () => registerCases(test, adapterConformance({ adapter, ...options })));

  describe("in its sessions", () =>
    registerCases(
      test,
      sessionConformance({
        adapter,
        ...options,
        update: { prompt: "a storm" },
        initial: { initial: { mood: "wild" } },
        badStep: { step: { drive: 3 } },
        failing: { config: { runtimeOptions: { fail_at: 2 } }, stepIndex: 2 },
      }),
    ));

  describe("in sessions whose steps are finalised", () =>
    registerCases(test, sessionConformance({ adapter: finalizing, ...options, update: { prompt: "a storm" } })));

  describe("in sessions whose state is changed in place", () =>
    registerCases(
      test,
      sessionConformance({
        adapter: inPlace,
        ...options,
        failing: { config: { runtimeOptions: { fail_at: 2 } }, stepIndex: 2 },
      }),
    ));

  test("N1: says what its sessions deliver before it is loaded, and takes only options that it declares", () => {
    const config = inferenceConfig({ modelId: "behaved" });
    expect(adapter.describe?.(config)).toMatchObject({
      width: 24,
      height: 16,
      framesPerStep: 2,
      firstStepFrames: 1,
      deterministic: true,
    });
    const issues = adapter.runtimeOptionsSchema?.["~standard"].validate({ gain: 9, gian: 1 });
    expect(JSON.stringify(issues)).toMatch(/unknown option.*at most 4/);
    expect(adapter.modelInputSchema.initialFields.map(({ name, updatePolicy }) => [name, updatePolicy])).toEqual([
      ["prompt", "step_boundary"],
      ["mood", "session_start"],
    ]);
  });

  test("N6: its frames are in shared memory, or come through the socket with the same pixels, and the facts say which", async () => {
    const found = [];
    for (const sharedMemory of [true, false]) {
      const { adapter: world } = await testWorld("Behaved", { sharedMemory });
      await using runtime = await loadTestWorld(world);
      await using session = disposable(await runtime.startSession(modelInputs(), { seed: 3 }));
      const steps = [];
      for (let index = 0; index < 3; index += 1) {
        const { output } = stepResult(await session.step(modelInputs(driving(index)), {}));
        steps.push(Buffer.from(output?.data ?? []).toString("base64"));
        output?.release?.();
      }
      found.push({ steps, way: runtime.facts?.().framesThrough });
    }
    expect(found[0]?.steps).toEqual(found[1]?.steps);
    expect(found.map(({ way }) => way)).toEqual([
      process.platform === "linux" ? "shared memory" : expect.stringContaining("the socket"),
      "the socket, as it is switched off",
    ]);
  });

  test("N6: a reader that keeps all its frames holds up no step, and they stay as they are", async () => {
    await using runtime = await loadTestWorld(adapter);
    await using session = disposable(await runtime.startSession(modelInputs(), { seed: 3 }));
    const held = [];
    for (let index = 0; index < 80; index += 1) {
      const { output } = stepResult(await session.step(modelInputs(driving(index)), {}));
      held.push({ output, copy: Buffer.from(output?.data ?? []) });
    }
    for (const { output, copy } of held) expect(copy.equals(Buffer.from(output?.data ?? []))).toBe(true);
    for (const { output } of held) output?.release?.();
  });

  test("tells of its measurements and facts", async () => {
    await using runtime = await loadTestWorld(adapter);
    await using session = disposable(await runtime.startSession(modelInputs(), { seed: 3 }));
    const result = stepResult(await session.step(modelInputs(driving(0)), {}));
    expect(result.metrics).toMatchObject([{ name: "think_s", value: 0.002, unit: "s", category: "timing" }]);
    expect(result.metadata).toMatchObject({ count: 1 });
    expect(runtime.facts?.()).toMatchObject({
      numpy: expect.any(String) as string,
      python: expect.any(String) as string,
    });
  });

  test("a world that is not in the file, and a file that is not there, are named with what is", async () => {
    await expect(testWorld("Behavd")).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringMatching(/did you mean 'Behaved'/) as string,
    });
    await expect(pythonWorld({ file: WORLDS_FILE, python: PYTHON })).rejects.toThrow(/holds \d worlds; say which one/);
    await expect(pythonWorld({ file: "nowhere.py", python: PYTHON })).rejects.toMatchObject({ code: "not_found" });
    await expect(pythonWorld({ file: WORLDS_FILE, python: "/nowhere/python" })).rejects.toMatchObject({
      code: "unavailable",
    });
  });
});
