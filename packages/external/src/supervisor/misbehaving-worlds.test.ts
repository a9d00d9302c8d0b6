import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  inferenceConfig,
  modelInputs,
  stepResult,
  type InferenceRuntime,
  type InferenceSession,
} from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { pythonWorld } from "../python/python-world.ts";
import { groupMembers, until, workersOf } from "../test-support/group-members.ts";
import { IS_PYTHON_MISSING, disposable, loadTestWorld, PYTHON, testWorld } from "../test-support/python-worlds.ts";

const suite = IS_PYTHON_MISSING || process.platform === "win32" ? describe.skip : describe;
const onLinux = process.platform === "linux" ? test : test.skip;

/** Runs steps until one fails, at most ten; gives the error. */
async function failureOf(session: InferenceSession): Promise<unknown> {
  for (let index = 0; index < 10; index += 1) {
    try {
      stepResult(await session.step(modelInputs(), {})).output?.release?.();
    } catch (error) {
      return error;
    }
  }
  return undefined;
}

/** A session of a world that does `what` at its third step. */
async function misbehaving(
  what: string,
  options: { readonly stepSeconds?: number } = {},
): Promise<{ readonly runtime: InferenceRuntime; readonly session: InferenceSession; readonly lines: string[] }> {
  const { adapter, lines } = await testWorld("Misbehaved", options);
  const runtime = await loadTestWorld(adapter, { runtimeOptions: { what } });
  return { runtime, session: await runtime.startSession(modelInputs(), { seed: 1 }), lines };
}

suite("N3: a worker that misbehaves ends its sessions with a named error", () => {
  test.each([
    ["die", "worker_failed", /ended by itself with exit code 3/],
    ["kill", "worker_failed", /was killed \(SIGKILL\).*memory/],
    ["crash", "worker_failed", /crashed in native code \(SIGSEGV\)/],
    ["leave", "step_failed", /worlds\.py:\d+ in leave: step\(\) ended the program with SystemExit/],
    ["raise_error", "step_failed", /worlds\.py:\d+ in helper: KeyError: 'missing part'/],
    ["eat", "limit_exceeded", /ran out of memory/],
  ])("N3: %s", async (what, code, message) => {
    const { runtime, session } = await misbehaving(what);
    const error = (await failureOf(session)) as Error & { readonly code: string; readonly cause?: Error };
    expect(error.message).toMatch(message);
    expect(error.code).toBe(code);
    if (what !== "die" && what !== "kill") expect(error.cause?.stack).toMatch(/worlds\.py", line \d+/);
    // The world serves others: a worker that is gone has been started again.
    const next = await runtime.startSession(modelInputs(), { seed: 2 });
    stepResult(await next.step(modelInputs(), {})).output?.release?.();
    await runtime.close();
  });

  test("N3: a step that never ends is ended after its time, and the error says where it hung", async () => {
    const { runtime, session } = await misbehaving("hang", { stepSeconds: 1 });
    const error = (await failureOf(session)) as Error;
    expect(error.message).toMatch(/step 2 did not end within 1 s; it was at .*worlds\.py:\d+ in hang/);
    await runtime.close();
  });

  test("N3: what a world prints is a line of the log and never part of the protocol", async () => {
    const { runtime, session, lines } = await misbehaving("print_much");
    expect(await failureOf(session)).toBeUndefined();
    await runtime.close();
    expect(lines.filter((line) => line.startsWith("line "))).toHaveLength(2000);
    expect(lines).toContain("DLP1 not a message");
  });

  onLinux.each(["fork", "spawn"])("N2: what a world starts ends with it: %s", async (what) => {
    const { runtime, session } = await misbehaving(what);
    expect(await failureOf(session)).toBeUndefined();
    const [group = 0] = workersOf(process.pid);
    // The worker, its guardian, and what the world started.
    expect(groupMembers(group).length).toBeGreaterThanOrEqual(3);
    await runtime.close();
    await until(() => groupMembers(group).length === 0, "the end of the group");
  });

  test("N4: a worker that dies again and again is started again each time, and each session hears why", async () => {
    const { adapter } = await testWorld("Misbehaved");
    const runtime = await loadTestWorld(adapter, { runtimeOptions: { what: "kill", when: 0 } });
    const errors: string[] = [];
    const start = async (): Promise<void> => {
      const session = await runtime.startSession(modelInputs(), { seed: 1 });
      await session.step(modelInputs(), {});
    };
    for (let round = 0; round < 3; round += 1)
      errors.push(
        await start().then(
          () => "",
          (error: Error) => error.message,
        ),
      );
    expect(errors.every((message) => /SIGKILL/.test(message))).toBe(true);
    await runtime.close();
  });

  test("C3: a load that is cancelled ends with its process", async () => {
    const { adapter } = await testWorld("Loading");
    const controller = new AbortController();
    const stages: string[] = [];
    const loading = adapter.createRuntime(inferenceConfig({ modelId: "loading" }), {
      signal: controller.signal,
      onProgress: ({ stage, fraction }) => {
        stages.push(`${stage} ${fraction}`);
        controller.abort();
      },
    });
    await expect(loading).rejects.toMatchObject({ code: "cancelled" });
    expect(stages).toEqual(["weights 0.25"]);
  });

  test("F2: a step that looks at its cancellation stops early, and the session goes on", async () => {
    const { adapter } = await testWorld("Resting");
    await using runtime = await loadTestWorld(adapter);
    await using session = disposable(await runtime.startSession(modelInputs(), { seed: 1 }));
    const controller = new AbortController();
    const step = session.step(modelInputs(), { signal: controller.signal });
    controller.abort();
    await expect(step).rejects.toMatchObject({ code: "cancelled" });
    expect(session.nextStepRequest()).toMatchObject({ stepIndex: 0 });
  });

  test("N5: with --watch, a file that has changed is loaded anew between sessions", async () => {
    const folder = mkdtempSync(join(tmpdir(), "dreamloop-watch-"));
    const file = join(folder, "painted.py");
    const write = (level: number): void => {
      const lines = [
        "import numpy as np",
        "from dreamloop import Video, World",
        "class Painted(World):",
        "    video = Video(4, 4, fps=10)",
        "    def step(self, ctx):",
        `        return np.full((4, 4, 3), ${level}, np.uint8)`,
      ];
      writeFileSync(file, `${lines.join("\n")}\n`);
    };
    write(10);
    const adapter = await pythonWorld({ file, python: PYTHON, watch: true }, { onLog: () => undefined });
    const runtime = await loadTestWorld(adapter);
    const paint = async (): Promise<number | undefined> => {
      const session = await runtime.startSession(modelInputs(), { seed: 1 });
      const { output } = stepResult(await session.step(modelInputs(), {}));
      const level = output?.data[0];
      output?.release?.();
      await session.close();
      return level;
    };
    const levels = [await paint()];
    write(200);
    const { atime, mtimeMs } = statSync(file);
    utimesSync(file, atime, new Date(mtimeMs + 2000));
    levels.push(await paint());
    await runtime.close();
    rmSync(folder, { recursive: true });
    expect(levels).toEqual([10, 200]);
  });
});
