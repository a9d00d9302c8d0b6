import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ProcessClock } from "@dreamloop/node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MemoryHost } from "../fixtures/memory-host.ts";
import { EXIT_CODES } from "../program/exit-codes.ts";
import { runCli } from "../program/run-cli.ts";

const SMALL = ["--set", "runtimeOptions.width=64", "--set", "runtimeOptions.height=48"];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dreamloop-moments-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function cli(...args: readonly string[]): Promise<{ exitCode: number; out: string; err: string }> {
  const host = new MemoryHost({ args, env: {}, cwd: folder, clock: new ProcessClock() });
  const exitCode = await runCli(host);
  return { exitCode, out: host.out, err: host.err };
}

function hashes(name: string): readonly string[] {
  const text = readFileSync(join(folder, name), "utf8");
  return [...text.matchAll(/"frameHashes":\[([^\]]*)\]/g)].map(([, list]) => list ?? "");
}

describe("moments on the command line", () => {
  test("O1, O3: a run from any saved moment gives the frames of the uninterrupted run, and its trace replays", async () => {
    writeFileSync(join(folder, "a.script"), "from 0.2 s to 1.7 s hold KeyW\nat 0.9 s tap KeyE\n");
    const whole = ["run", "probe", ...SMALL, "--seed", "5", "--script", "a.script", "--frames", "60"];
    const first = await cli(...whole, "--snapshot-every", "20", "--record", "a.trace");
    expect(first.err).not.toMatch(/error/);
    expect(first.out).toMatch(/wrote a-000040\.dream: a moment/);
    for (const frames of [20, 40]) {
      const name = `a-0000${frames}.dream`;
      const rest = [
        "--from",
        name,
        "--script",
        "a.script",
        "--frames",
        String(60 - frames),
        "--record",
        "b.trace",
        "--force",
      ];
      expect((await cli("run", ...rest)).exitCode).toBe(EXIT_CODES.ok);
      expect(hashes("b.trace")).toEqual(hashes("a.trace").slice(frames));
      expect((await cli("replay", "b.trace")).out).toMatch(/^equal/);
    }
    const told = JSON.parse((await cli("inspect", "a-000040.dream", "--json")).out) as object;
    expect(told).toMatchObject({
      kind: "moment",
      position: { generation: 0, stepIndex: 40, seed: 5 },
      picture: { width: 64 },
    });
  });

  test("O8: fork writes another future of a moment", async () => {
    await cli("run", "probe", ...SMALL, "--frames", "10", "--snapshot-every", "10", "--record", "a.trace");
    const forked = await cli(
      "fork",
      "a-000010.dream",
      "--seed",
      "8",
      "--prompt",
      "snow",
      "--name",
      "snow",
      "--out",
      "b.dream",
    );
    expect(forked).toMatchObject({ exitCode: EXIT_CODES.ok });
    const told = JSON.parse((await cli("inspect", "b.dream", "--json")).out) as object;
    expect(told).toMatchObject({ name: "snow", prompt: "snow", position: { stepIndex: 11, seed: 8 } });
    expect((await cli("run", "--from", "b.dream", "--frames", "4", "--out", "null:")).exitCode).toBe(EXIT_CODES.ok);
    expect((await cli("fork", "a-000010.dream", "--out", "c.dream")).exitCode).toBe(EXIT_CODES.usage);
  });

  test("O4, O5: a damaged moment, another size and inputs beside a moment are refused by name", async () => {
    await cli("run", "probe", ...SMALL, "--frames", "5", "--snapshot-every", "5", "--record", "a.trace");
    const other = await cli(
      "run",
      "probe",
      "--from",
      "a-000005.dream",
      "--set",
      "runtimeOptions.width=80",
      "--frames",
      "1",
      "--out",
      "null:",
    );
    expect(other.err).toMatch(/snapshot was taken with another/);
    const seeded = await cli(
      "run",
      "--from",
      "a-000005.dream",
      "--initial",
      "prompt=x",
      "--frames",
      "1",
      "--out",
      "null:",
    );
    expect(seeded.exitCode).toBe(EXIT_CODES.usage);
    const bytes = readFileSync(join(folder, "a-000005.dream"));
    writeFileSync(join(folder, "cut.dream"), bytes.subarray(0, bytes.length - 3));
    expect((await cli("inspect", "cut.dream")).err).toMatch(
      /cut\.dream: the snapshot cannot be read: expected \d+ bytes/,
    );
    expect((await cli("run", "--from", "none.dream", "--frames", "1")).err).toMatch(/there is no such file/);
  });
});
