import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ProcessClock } from "@dreamloop/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MemoryHost } from "../fixtures/memory-host.ts";
import { EXIT_CODES } from "../program/exit-codes.ts";
import { runCli } from "../program/run-cli.ts";

/** A world in the tests' folder cannot import a package by its name. */
const CORE = pathToFileURL(join(import.meta.dirname, "../../../core/dist/index.js")).href;
const SMALL = ["--set", "runtimeOptions.width=64", "--set", "runtimeOptions.height=48"];

let folder: string;

/** Runs the command line in memory, in the tests' folder. */
async function cli(...args: readonly string[]) {
  const host = new MemoryHost({ args, cwd: folder, clock: new ProcessClock() });
  const exitCode = await runCli(host);
  return { exitCode, out: host.out, err: host.err };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "dreamloop-looking-"));
  mkdirSync(join(folder, "empty"));
  writeFileSync(join(folder, "a.script"), 'at 0.1 s press KeyW\nat 0.2 s prompt "fog"\nend 0.5 s\n');
  writeFileSync(join(folder, "odd.json"), '{"odd": true}');
  writeFileSync(join(folder, "odd.txt"), "when in doubt\n");
  writeFileSync(join(folder, "odd.bin"), Uint8Array.of(1, 0, 2, 0));
  writeFileSync(join(folder, "broken.json"), "{");
  writeFileSync(
    join(folder, "broken.mp4"),
    Buffer.concat([Buffer.from("\0\0\0\x18ftypisom", "latin1"), Buffer.alloc(64)]),
  );
  const files = ["--record", join(folder, "a.trace"), "--stats", "s.json", "--profile", "p.json"];
  const out = [
    "--out",
    join(folder, "a.mp4"),
    "--out",
    join(folder, "a.y4m"),
    "--out",
    `bench:${join(folder, "bench")}`,
  ];
  const run = await cli("run", "probe", ...SMALL, "--seed", "5", "--script", "a.script", ...files, ...out);
  expect(run.err).toBe("");
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe("inspect", () => {
  test.each<[string, string, object, string]>([
    [
      "a.trace",
      "trace",
      { complete: true, stepCount: 15, eventCount: 2, header: { seed: 5 } },
      "15 steps, 15 frames, 0.5 s",
    ],
    ["a.script", "script", { eventCount: 2, endSeconds: 0.5 }, "2 events: 1 key_down, 1 prompt_set"],
    ["s.json", "statistics", { sampleCount: 15, seed: 5, width: 64 }, "completed, 15 steps, 15 frames"],
    ["p.json", "profile", { spans: expect.arrayContaining([]) as unknown }, "loop.model"],
    ["a.mp4", "mp4", { codec: "avc", frameCount: 15, colorSpace: { matrix: "bt709", fullRange: false } }, "avc, 64×48"],
    ["a.y4m", "y4m", { width: 64, height: 48, framesPerSecond: 30, frameCount: 15 }, "uncompressed, 64×48"],
    ["bench", "benchmark", { frameCount: 15 }, "frames"],
  ])("says what %s holds", async (file, kind, facts, words) => {
    const machines = await cli("inspect", file, "--json");
    expect(JSON.parse(machines.out)).toMatchObject({ type: "inspect", version: 1, file, kind, ...facts });
    const people = await cli("inspect", file);
    expect(people.exitCode).toBe(EXIT_CODES.ok);
    expect(people.out.startsWith(`${file}: ${kind}\n`)).toBe(true);
    expect(people.out).toContain(words);
  });

  test("the content decides, not the name", async () => {
    writeFileSync(join(folder, "renamed.mp4"), readFileSync(join(folder, "a.trace")));
    expect((await cli("inspect", "renamed.mp4")).out).toContain("renamed.mp4: trace");
  });

  test.each<[string, number, string]>([
    ["none", 5, "none: there is no such file or folder"],
    ["odd.json", 1, "odd.json: expected a trace, a moment, a script, statistics"],
    ["odd.txt", 1, "odd.txt: read as a script: script line 1, column 1"],
    ["odd.bin", 1, "odd.bin: expected a trace"],
    ["broken.json", 1, "broken.json: not valid JSON"],
    ["broken.mp4", 1, "the MP4 file cannot be read"],
    ["empty", 1, "the folder holds neither a world.json nor the manifest.json of a benchmark"],
  ])("%s is refused", async (file, exitCode, message) => {
    const refused = await cli("inspect", file);
    expect(refused.err).toContain(message);
    expect(refused.err).toMatch(/^error: /);
    expect(refused.exitCode).toBe(exitCode);
    expect(refused.out).toBe("");
  });
});

describe("replay", () => {
  test("L1: out, level, world, keep-going, allow-mismatch and json reach the replay", async () => {
    const out = join(folder, "again.y4m");
    const args = [
      "--world",
      "probe",
      "--level",
      "user-events",
      "--keep-going",
      "--allow-mismatch",
      "--out",
      out,
      "--json",
    ];
    const { exitCode, out: said } = await cli("replay", "a.trace", ...args);
    expect(exitCode).toBe(EXIT_CODES.ok);
    expect(JSON.parse(said)).toMatchObject({
      ...{ type: "replay", version: 1, trace: "a.trace", world: "probe", level: "user-events", outcome: "equal" },
      ...{ complete: true, recordedSteps: 15, stepCount: 15, comparedFrames: 15, differingSteps: 0 },
      ...{ environmentDifferences: [], artifacts: [{ kind: "video/x-yuv4mpeg", uri: out }] },
    });
    expect(readFileSync(out)).toEqual(readFileSync(join(folder, "a.y4m")));
  });

  test.each<[string, readonly string[], number, string]>([
    ["an unknown level", ["a.trace", "--level", "frames"], 2, '--level: expected one of "user-events", "model-inputs"'],
    ["a level that was not recorded", ["a.trace", "--level", "model-inputs"], 4, "record with --record-inputs"],
    ["another world", ["a.trace", "--world", "../other.mjs"], 5, "there is no such file"],
    ["a trace that is not there", ["none.trace"], 5, "none.trace"],
    ["a trace that is none", ["a.script"], 1, "trace line 1"],
    ["an unknown output", ["a.trace", "--out", "a.avi"], 2, "no target of that form"],
    ["writing over the trace", ["a.trace", "--out", "./a.trace"], 2, "--out and FILE: both name a.trace"],
  ])("%s is refused", async (_, args, exitCode, message) => {
    const refused = await cli("replay", ...args);
    expect(refused.err).toContain(message);
    expect(refused.exitCode).toBe(exitCode);
    expect(refused.out).toBe("");
  });
});

describe("check", () => {
  const prompted = `import { defineWorld, input } from ${JSON.stringify(CORE)};
    export default defineWorld({
      id: "prompted", video: { width: 8, height: 8, framesPerSecond: 10 },
      inputs: { initial: { prompt: input.text(), size: input.number({ min: 1 }) } },
      step: ({ frames, initial }) => ({ frames: frames.fill(initial.size) }),
    });`;

  test("says what was not looked at, with the command that does", async () => {
    const plain = await cli("check", "probe");
    expect(plain.exitCode).toBe(EXIT_CODES.ok);
    expect(plain.out).toContain(
      "skip  it loads and runs, and its frames are sound\n      no step was run; dreamloop check probe --run does so\n",
    );
    expect(plain.out).toMatch(/\nprobe is sound as far as it was looked at: no step was run\n$/);
    const { out } = await cli("check", "probe", "--run", "--set", "runtimeOptions.width=64");
    expect(out).toMatch(/\nprobe is sound\n$/);
  });

  test("L1: set, initial, prompt, seed, config and json reach the check", async () => {
    const file = join(folder, "prompted.mjs");
    writeFileSync(file, prompted);
    writeFileSync(join(folder, "c.json"), JSON.stringify({ initial: { size: 3 } }));
    const lacking = await cli("check", file, "--run", "--json");
    expect(JSON.parse(lacking.out)).toMatchObject({
      ...{ type: "check", version: 1, origin: "module", ok: true, faults: [] },
      checks: expect.arrayContaining([
        expect.objectContaining({
          outcome: "skipped",
          message: "it needs initial inputs: --prompt TEXT --initial size=VALUE",
        }),
      ]) as unknown,
    });
    const whole = await cli("check", file, "--run", "--prompt", "x", "--config", "c.json", "--seed", "4");
    expect(whole.out).not.toMatch(/^(FAIL|skip)/m);
    expect(whole.exitCode).toBe(EXIT_CODES.ok);
    const wrong = await cli("check", file, "--set", "runtimeOptions.colour=red");
    expect(wrong.out).toContain("FAIL  its configuration is accepted\n      InferenceConfig.runtimeOptions.colour");
    expect(wrong.exitCode).toBe(EXIT_CODES.failure);
  });

  test("a world that gives other frames each time is caught", async () => {
    const file = join(folder, "restless.mjs");
    writeFileSync(
      file,
      `import { defineWorld } from ${JSON.stringify(CORE)};
      let count = 0;
      export default defineWorld({
        id: "restless", video: { width: 8, height: 8, framesPerSecond: 10, deterministic: true }, inputs: {},
        step: ({ frames }) => ({ frames: frames.fill(count++ % 251) }),
      });`,
    );
    const { exitCode, out } = await cli("check", file, "--run");
    expect(out).toContain(
      "FAIL  G3: the same inputs and seed give the same frames\n      expected the same frames, found another frame 0",
    );
    expect(exitCode).toBe(EXIT_CODES.failure);
  });

  test.each<[string, readonly string[], number, string]>([
    ["no world", [], 2, "no world was named"],
    ["an unknown world", ["prbe"], 5, 'did you mean "probe"?'],
    ["a folder without a world", ["./empty"], 5, "holds no world.json"],
    ["a wrong seed", ["probe", "--seed", "x"], 2, "--seed"],
  ])("%s is refused", async (_, args, exitCode, message) => {
    const refused = await cli("check", ...args);
    expect(refused.err).toContain(message);
    expect(refused.exitCode).toBe(exitCode);
  });
});
