import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ProcessClock } from "@dreamloop/node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandProcess } from "../fixtures/command-process.ts";
import { MemoryHost } from "../fixtures/memory-host.ts";
import { EXIT_CODES } from "../program/exit-codes.ts";
import { runCli } from "../program/run-cli.ts";

/** A world whose timer throws once it runs, in line 8. */
const TIMER_WORLD = `import { defineWorld } from ${JSON.stringify(import.meta.resolve("@dreamloop/core"))};
let isSet = false;
export default defineWorld({
  id: "timer",
  video: { width: 16, height: 16, framesPerSecond: 20 },
  start: () => ({ count: 0 }),
  step: async ({ state, frames }) => {
    if (!isSet) setTimeout(() => { throw new Error("late"); }, 0);
    isSet = true;
    await new Promise((resolve) => setImmediate(resolve));
    return { frames: frames.fill(9), state: { count: state.count + 1 } };
  },
});
`;

/** A picture of the probe world that costs little. */
const SMALL = ["--set", "runtimeOptions.width=64", "--set", "runtimeOptions.height=48"];

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dreamloop-commands-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

const at = (name: string): string => join(folder, name);

/** Runs the command line in memory, in the test's folder. */
async function cli(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const host = new MemoryHost({ args, env, cwd: folder, clock: new ProcessClock() });
  const exitCode = await runCli(host);
  return { exitCode, out: host.out, err: host.err };
}

/** Runs it with `--json` and parses the document. */
async function json(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { exitCode, out, err } = await cli([...args, "--json"], env);
  return { exitCode, err, document: JSON.parse(out) as Readonly<Record<string, unknown>> };
}

/** The first line of a trace. */
function header(name: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(at(name), "utf8").split("\n", 1)[0] ?? "") as Readonly<Record<string, unknown>>;
}

/** The frame hashes of a trace in order. */
function hashes(name: string): readonly string[] {
  return [...readFileSync(at(name), "utf8").matchAll(/"frameHashes":\[([^\]]*)\]/g)].map(([, list]) => list ?? "");
}

describe("worlds", () => {
  test("lists the bundled worlds with size and rate", async () => {
    const { exitCode, document } = await json(["worlds"]);
    expect(exitCode).toBe(EXIT_CODES.ok);
    expect(document).toMatchObject({ type: "worlds", version: 1, problems: [] });
    expect(document.worlds).toContainEqual(
      expect.objectContaining({ id: "probe", origin: "bundled", kind: "module", width: 640, framesPerSecond: 30 }),
    );
    const { out } = await cli(["worlds"]);
    expect(out).toMatch(/^WORLD +KIND +SIZE +RATE +FROM\n/);
    expect(out).toMatch(/^probe +module +640×360 +30 frames\/s +bundled\n {2}Probe: /m);
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});

test("an error of a world's timer ends the run, names the world and where it was thrown, and completes the files", async () => {
  writeFileSync(at("timer.mjs"), TIMER_WORLD);
  const run = await new CommandProcess(["run", "./timer.mjs", "--seconds", "1000", "--record", "t.trace"], folder).end;
  expect(run.exitCode).toBe(EXIT_CODES.failure);
  expect(run.err).toContain(
    "error: ./timer.mjs: an error in a timer, callback or promise of the world that nothing caught: late",
  );
  expect(run.err).toContain("timer.mjs:8:");
  expect(run.err.match(/late/g)).toHaveLength(1);
  expect(hashes("t.trace").length).toBeGreaterThan(0);
});

describe("run", () => {
  test("the command that it prints for the trace replays it, for a world given by its path too", async () => {
    const name = "my world.mjs";
    const module = pathToFileURL(createRequire(import.meta.url).resolve("@dreamloop/worlds/probe")).href;
    writeFileSync(at(name), `export { probeWorld as default } from ${JSON.stringify(module)};\n`);
    for (const world of [`./${name}`, "probe"]) {
      const { out } = await cli(["run", world, ...SMALL, "--frames", "2", "--record", "a $1.trace", "--force"]);
      const [, printed = ""] = /: the trace; dreamloop (.*)$/m.exec(out) ?? [];
      expect(printed).toBe(world === "probe" ? "replay 'a $1.trace'" : `replay 'a $1.trace' --world "${world}"`);
      // As a shell takes the words apart.
      const words = [...printed.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((match) => match.slice(1).join(""));
      expect((await cli(words)).out).toMatch(/^equal: /);
    }
  });

  test("L1: seed, prompt, initial, set, candidate, frames and record reach the run", async () => {
    const set = ["--set", 'model=[{},{"framesPerStep":4}]', "--set", "precision=fp32"];
    const args = ["run", "probe", ...SMALL, ...set, "--candidate", "1", "--seed", "9", "--frames", "10"];
    const { exitCode, document } = await json([
      ...args,
      "--prompt",
      "rain",
      "--record",
      at("a.trace"),
      "--out",
      "null:",
    ]);
    expect(exitCode).toBe(EXIT_CODES.ok);
    expect(document).toMatchObject({
      ...{ type: "run", version: 1, world: "probe", worldId: "probe", outcome: "completed", seed: 9 },
      ...{ width: 64, height: 48, frameCount: 10, stepCount: 3, warnings: {}, artifacts: [], trace: at("a.trace") },
    });
    expect(header("a.trace")).toMatchObject({
      ...{ seed: 9, candidateIndex: 1, description: { width: 64, framesPerStep: 4 } },
      config: { precision: "fp32", runtimeOptions: { width: 64, height: 48 } },
    });
    expect(JSON.stringify(header("a.trace").requestedInputs)).toContain("rain");
    await cli(["run", "probe", ...SMALL, "--initial", "prompt=fog", "--frames", "1", "--record", at("b.trace")]);
    expect(JSON.stringify(header("b.trace").requestedInputs)).toContain("fog");
  });

  test("L1: seconds, script and trace decide about length and events", async () => {
    writeFileSync(at("a.script"), 'at 0.1 s press KeyW\nat 0.2 s prompt "snow"\nend 0.5 s\n');
    const seconds = await json(["run", "probe", ...SMALL, "--seconds", "0.4", "--out", "null:"]);
    expect(seconds.document).toMatchObject({ frameCount: 12 });
    const script = await json(["run", "probe", ...SMALL, "--script", "a.script", "--record", at("a.trace")]);
    expect(script.document).toMatchObject({ frameCount: 15, sessionSeconds: 0.5 });
    const trace = await json(["run", "probe", ...SMALL, "--trace", "a.trace", "--record", at("b.trace")]);
    expect(trace.document).toMatchObject({ frameCount: 15 });
    expect(hashes("b.trace")).toEqual(hashes("a.trace"));
    expect(new Set(hashes("a.trace")).size).toBeGreaterThan(10);
    const cut = await json(["run", "probe", ...SMALL, "--script", "a.script", "--frames", "20", "--out", "null:"]);
    expect(cut.document).toMatchObject({ frameCount: 20 });
  });

  test("L1: out, encoder, stats and profile write their files", async () => {
    const out = ["--out", `${at("frames")}/`, "--out", at("a.y4m"), "--out", `bench:${at("bench")}`];
    const files = ["--stats", "s.json", "--profile", "p.json"];
    const { document } = await json([
      "run",
      "probe",
      ...SMALL,
      "--frames",
      "6",
      "--encoder",
      "webcodecs",
      ...out,
      ...files,
    ]);
    expect(document.config).toMatchObject({ run: { encoder: "webcodecs" } });
    expect((document.artifacts as { kind: string }[]).map(({ kind }) => kind)).toEqual([
      ...["image/png", "video/x-yuv4mpeg", "application/x-dreamloop-benchmark"],
    ]);
    expect(readdirSync(at("frames"))).toHaveLength(6);
    const stats = JSON.parse(readFileSync(at("s.json"), "utf8")) as Record<string, unknown>;
    expect(stats).toMatchObject({
      ...{ artifactType: "dreamloop.run_statistics", width: 64, height: 48, end: { frameCount: 6 } },
      environment: { cpuModel: expect.any(String) as string },
    });
    expect(stats.configHash).toMatch(/^[0-9a-f]{64}$/);
    expect(stats.samples).toHaveLength(6);
    const profile = JSON.parse(readFileSync(at("p.json"), "utf8")) as { traceEvents: unknown[] };
    expect(profile.traceEvents.length).toBeGreaterThan(6);
    expect(readdirSync(folder).filter((name) => name.includes(".part-"))).toEqual([]);
  });

  test("L1: an encoder that is not there is named, and nothing is left behind", async () => {
    const env = { PATH: folder };
    const before = process.env.PATH;
    process.env.PATH = folder;
    try {
      const args = ["run", "probe", ...SMALL, "--frames", "1", "--encoder", "ffmpeg", "--out", at("a.mp4")];
      const { exitCode, err } = await cli(args, env);
      expect(exitCode).toBe(EXIT_CODES.failure);
      expect(err).toMatch(/^error: .*ffmpeg/m);
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      process.env.PATH = before;
    }
  });

  test("L1: record-inputs keeps payloads, so that the model can be replayed without its mapping", async () => {
    const args = ["run", "probe", ...SMALL, "--frames", "4", "--record", at("a.trace")];
    await cli([...args, "--record-inputs"]);
    expect(existsSync(at("a.trace.inputs"))).toBe(true);
    expect(await json(["replay", at("a.trace"), "--level", "model-inputs"])).toMatchObject({
      exitCode: EXIT_CODES.ok,
      document: { outcome: "equal", level: "model-inputs" },
    });
  });

  test("L2: what --print-config prints is a configuration file that gives the same run", async () => {
    const args = ["run", "probe", ...SMALL, "--seed", "3", "--frames", "5", "--prompt", "ice", "--out", "null:"];
    const printed = await cli([...args, "--print-config"], { DREAMLOOP_INFERENCE: '{"model":{"framesPerStep":2}}' });
    expect(printed.exitCode).toBe(EXIT_CODES.ok);
    writeFileSync(at("c.json"), printed.out);
    const again = await cli(["run", "--config", "c.json", "--print-config"]);
    expect(again.out).toBe(printed.out);
    await cli(["run", "--config", "c.json", "--record", at("a.trace")]);
    await cli([...args, "--record", at("b.trace")], { DREAMLOOP_INFERENCE: '{"model":{"framesPerStep":2}}' });
    expect(hashes("a.trace")).toEqual(hashes("b.trace"));
    expect(header("a.trace").config).toEqual(header("b.trace").config);
  });

  test("without a length it renders ten seconds, without --out a video named after the world, and says so", async () => {
    const { out, err } = await cli(["run", "probe", "--print-config"]);
    expect(JSON.parse(out)).toMatchObject({ run: { seconds: 10, out: ["probe.mp4"] } });
    expect(err).toBe("");
    writeFileSync(at("probe.mp4"), "");
    expect(JSON.parse((await cli(["run", "probe", "--print-config"])).out)).toMatchObject({
      run: { out: ["probe-2.mp4"] },
    });
    const quiet = await cli(["run", "probe", ...SMALL, "--frames", "1", "--stats", "s.json"]);
    expect(quiet.err).toBe("keeping no frames; choose where they go with --out\n");
  });

  test.each([
    ["--record", "a.trace"],
    ["--stats", "s.json"],
    ["--profile", "p.json"],
    ["--out", "v.mp4"],
    ["--out", "frames/"],
    ["--out", "frames/*.png"],
    ["--out", "bench:measured"],
  ])("L3: %s %s is not replaced unasked, at a terminal after a question, and always with --force", async (...given) => {
    const placed = [
      "run",
      "probe",
      ...SMALL,
      "--frames",
      "2",
      given[0],
      given[1].replace(/^(bench:)?/, `$1${folder}/`),
    ];
    expect((await cli(placed)).exitCode).toBe(EXIT_CODES.ok);
    const before = readdirSync(folder, { recursive: true });
    const refused = await cli(placed);
    expect(refused.exitCode).toBe(EXIT_CODES.usage);
    expect(refused.err).toContain(`${given[0]}: `);
    expect(refused.err).toContain("exists and would be replaced; choose another name, or add --force");
    expect(readdirSync(folder, { recursive: true })).toEqual(before);
    for (const [answer, exitCode] of [
      [false, EXIT_CODES.usage],
      [true, EXIT_CODES.ok],
    ] as const) {
      const host = new MemoryHost({ args: placed, cwd: folder, clock: new ProcessClock(), answers: [answer] });
      expect(await runCli(host)).toBe(exitCode);
      expect(host.questions).toEqual([expect.stringMatching(/ exists\. Replace\?$/)]);
    }
    expect((await cli([...placed, "--force"])).exitCode).toBe(EXIT_CODES.ok);
  });

  test("a file that is no trace is not replaced by one, even with --force", async () => {
    const args = ["run", "probe", ...SMALL, "--frames", "2", "--record", at("a.trace"), "--force"];
    writeFileSync(at("a.trace"), "my diary");
    const refused = await cli(args);
    expect(refused.exitCode).toBe(EXIT_CODES.failure);
    expect(refused.err).toContain("exists and is no trace, so it is not replaced");
    expect(readFileSync(at("a.trace"), "utf8")).toBe("my diary");
  });

  test("quiet says the result alone", async () => {
    const { out, err } = await cli(["run", "probe", ...SMALL, "--frames", "2", "--quiet", "--record", at("a.trace")]);
    expect(err).toBe("");
    expect(out).toMatch(/^2 frames, 67 ms of probe, in .*\nwrote .*a\.trace: the trace; dreamloop replay .*\n$/);
  });

  test.each<[string, readonly string[], number, string]>([
    ["no world", [], 2, "no world was named; dreamloop worlds lists them"],
    ["an unknown world", ["prob"], 5, 'did you mean "probe"?'],
    ["a path that is not there", ["./none.mjs"], 5, "./none.mjs: there is no such file or folder"],
    ["a file that is no module", ["./notes.md"], 2, "expected a module"],
    ["a folder without a world", ["./empty"], 5, "the folder holds no world.json"],
    ["a module without a world", ["./nothing.mjs"], 1, "is no world"],
    ["a module that throws", ["./throws.mjs"], 1, "the module cannot be loaded: on purpose"],
    ["an unknown runtime option", ["probe", "--set", "runtimeOptions.widht=3"], 2, 'did you mean "width"?'],
    ["a value out of range", ["probe", "--set", "runtimeOptions.width=0"], 2, "width: expected an integer at least 1"],
    ["an unknown field of the configuration", ["probe", "--set", "modle.threads=2"], 2, 'did you mean "model"?'],
    [
      "a choice that the world does not support",
      ["probe", "--set", "model.threads=2"],
      2,
      "error: --set model.threads:",
    ],
    ["another model's id", ["probe", "--set", "modelId=drive"], 2, "error: --set modelId:"],
    ["a candidate that is not there", ["probe", "--candidate", "1"], 2, "error: --candidate:"],
    ["an initial input that the world lacks", ["probe", "--initial", "promt=x"], 2, "Did you mean prompt?"],
    ["a prompt of the wrong kind", ["probe", "--initial", "prompt=3"], 2, "prompt"],
    [
      "a script that is not there",
      ["probe", "--script", "none.script"],
      5,
      "--script: none.script: there is no such file",
    ],
    ["a script with a fault", ["probe", "--script", "bad.script"], 1, "bad.script: script line 2, column 1"],
    ["a script that is a folder", ["probe", "--script", "empty"], 2, "--script: empty is no file"],
    ["a trace that is not there", ["probe", "--trace", "none.trace"], 5, "none.trace"],
    ["a trace that is none", ["probe", "--trace", "bad.script"], 1, "trace line 1"],
    ["an unknown form of output", ["probe", "--out", "a.mp5"], 2, "Did you mean .mp4?"],
    ["the same output twice", ["probe", "--out", "a.mp4", "--out", "./a.mp4"], 2, "both name ./a.mp4"],
    ["one file for two things", ["probe", "--stats", "a.json", "--profile", "a.json"], 2, "--stats and --profile"],
    [
      "reading and writing one trace",
      ["probe", "--trace", "t.trace", "--record", "t.trace"],
      2,
      "--record and --trace",
    ],
    ["a place that is a folder", ["probe", "--stats", "empty"], 1, "--stats: could not prepare empty"],
    ["a folder that is a file", ["probe", "--profile", "notes.md/p.json"], 1, "--profile: could not prepare"],
  ])("%s is refused", async (_, args, exitCode, message) => {
    writeFileSync(at("notes.md"), "notes");
    writeFileSync(at("bad.script"), "at 1 s press KeyW\nwhen 2 s press KeyA\n");
    writeFileSync(at("nothing.mjs"), "export default {};");
    writeFileSync(at("throws.mjs"), 'throw new Error("on purpose");');
    await cli(["run", "probe", ...SMALL, "--frames", "1", "--record", at("t.trace")]);
    const { mkdirSync } = await import("node:fs");
    mkdirSync(at("empty"));
    const before = readdirSync(folder);
    const refused = await cli(["run", ...args, ...(args.includes("--script") ? [] : ["--frames", "2"])]);
    expect(refused.err).toContain(message);
    expect(refused.err).toMatch(/^error: /m);
    expect(refused.err).not.toContain("    at ");
    expect(refused.exitCode).toBe(exitCode);
    expect(refused.out).toBe("");
    expect(readdirSync(folder)).toEqual(before);
  });

  test("--out - is refused on a terminal and beside --json", async () => {
    const host = new MemoryHost({ args: ["run", "probe", "--out", "-"], terminal: true, env: { NO_COLOR: "1" } });
    expect(await runCli(host)).toBe(EXIT_CODES.usage);
    expect(host.err).toContain("--out -: standard output is a terminal");
    expect((await cli(["run", "probe", "--out", "-", "--json"])).err).toContain("--json and --out -");
  });
});
