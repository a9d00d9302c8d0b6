import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { groupMembers, until, workersOf } from "../test-support/group-members.ts";
import { IS_PYTHON_MISSING, PYTHON, WORLDS_FILE } from "../test-support/python-worlds.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const suite = IS_PYTHON_MISSING || process.platform !== "linux" ? describe.skip : describe;
const pids: number[] = [];

afterAll(() => {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended, as it should.
    }
  }
});

const RANKED_FILE = fileURLToPath(new URL("../test-support/ranked_worlds.py", import.meta.url));

/** Whether a worker is one of several ranks, and not the process that described the world. */
function isRank(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("--ranks");
}

/** A program that runs a world, and tells when it is in the middle of a step. */
const PROGRAM = `
  import { pythonWorld } from "@dreamloop/external";
  import { inferenceConfig, modelInputs } from "@dreamloop/core";
  const adapter = await pythonWorld({ file: ${JSON.stringify(WORLDS_FILE)}, name: "Misbehaved", python: ${JSON.stringify(PYTHON)} });
  const config = inferenceConfig({ modelId: adapter.modelId, runtimeOptions: { what: process.argv.at(-1) } });
  const runtime = await adapter.createRuntime(config, {});
  const session = await runtime.startSession(modelInputs(), { seed: 1 });
  for (let index = 0; index < 3; index += 1) {
    if (index === 2) process.stdout.write("stepping");
    await session.step(modelInputs(), {});
  }
  setInterval(() => undefined, 1000);
`;

/** A program that runs a world on two ranks, one of which hangs. */
const RANKED_PROGRAM = PROGRAM.replace(JSON.stringify(WORLDS_FILE), JSON.stringify(RANKED_FILE))
  .replace('"Misbehaved"', '"Summing"')
  .replace("runtimeOptions:", "resourceHints: { ranks: 2 }, runtimeOptions:")
  .replace(
    "session.step(modelInputs(), {})",
    "session.step(modelInputs({ step: { drive: { throttle: 0, brake: 0, steer: 0, reverse: false, stop: false } } }), {})",
  );

suite("N2: a program that is killed leaves no worker behind", () => {
  test.each(["hang", "spawn", "fork"])("N2: while its world does this: %s", async (what) => {
    const args = ["--import", "tsx", "--input-type=module", "--eval", PROGRAM, "--", what];
    const env = { ...process.env, TSX_TSCONFIG_PATH: join(root, "tsconfig.check.json") };
    const driver = spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
    pids.push(driver.pid ?? 0);
    await once(driver.stdout, "data");
    const [worker = 0] = workersOf(driver.pid ?? 0);
    // A process that the world starts is there when its step has begun.
    await until(() => groupMembers(worker).length >= (what === "hang" ? 2 : 3), "the start of the group");
    driver.kill("SIGKILL");
    await until(() => groupMembers(worker).length === 0, "the end of the group");
    expect(groupMembers(worker)).toEqual([]);
  });

  test("N2, N16: nor a rank, while one of them hangs and the other waits for it", async () => {
    const args = ["--import", "tsx", "--input-type=module", "--eval", RANKED_PROGRAM, "--", "hang"];
    const env = { ...process.env, TSX_TSCONFIG_PATH: join(root, "tsconfig.check.json") };
    const driver = spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
    pids.push(driver.pid ?? 0);
    await once(driver.stdout, "data");
    const members = (): readonly number[] => ranks.flatMap((rank) => groupMembers(rank));
    const ranks = workersOf(driver.pid ?? 0).filter((pid) => isRank(pid));
    expect(ranks).toHaveLength(2);
    await until(() => members().length >= 4, "the start of both groups");
    driver.kill("SIGKILL");
    await until(() => members().length === 0, "the end of both groups");
    expect(members()).toEqual([]);
  });
});
