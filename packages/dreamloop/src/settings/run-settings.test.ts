import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exitCodeOf } from "../program/exit-code-of.ts";
import { EXIT_CODES } from "../program/exit-codes.ts";
import { givenFlags, type ParsedOptions } from "./given-flags.ts";
import { ALL_SETTINGS, RUN_OPTIONS, runSettings, type RunSettings } from "./run-settings.ts";
import { environmentVariable } from "./setting.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "dreamloop-settings-"));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface Given {
  readonly file?: unknown;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: ParsedOptions;
  readonly world?: string;
}

/** Settles the settings from all origins; a file is written first. */
function settle({ file, env = {}, flags = {}, world }: Given): RunSettings {
  const options = { ...flags };
  if (file !== undefined) {
    writeFileSync(join(folder, "given.json"), typeof file === "string" ? file : JSON.stringify(file));
    Object.assign(options, { config: "given.json" });
  }
  return runSettings({ host: { env, cwd: folder }, flags: givenFlags(options, ALL_SETTINGS, world) });
}

/** The message and exit code of what `settle` refuses. */
function refusal(given: Given): { readonly message: string; readonly exitCode: number } {
  try {
    settle(given);
  } catch (error) {
    return { message: (error as Error).message, exitCode: exitCodeOf(error) };
  }
  throw new Error("nothing was refused");
}

/** Every setting with one value as a file, as a variable and as flags, and where it ends up. */
const CASES: readonly {
  readonly path: string;
  readonly file: unknown;
  readonly env: string;
  readonly flag: unknown;
  readonly inForce: (settings: RunSettings) => unknown;
  readonly values: readonly [unknown, unknown, unknown];
}[] = [
  { path: "world", file: "a", env: "b", flag: "c", inForce: (s) => s.world, values: ["a", "b", "c"] },
  { path: "seed", file: 1, env: "2", flag: "3", inForce: (s) => s.seed, values: [1, 2, 3] },
  { path: "prompt", file: "a", env: "b", flag: "c", inForce: (s) => s.initial.prompt, values: ["a", "b", "c"] },
  {
    path: "initial",
    file: { speed: 1 },
    env: '{"speed":2}',
    flag: ["speed=3"],
    inForce: (s) => s.initial.speed,
    values: [1, 2, 3],
  },
  {
    path: "images",
    file: { first_frame: "a.png" },
    env: '{"first_frame":"b.png"}',
    flag: ["first_frame=c.png"],
    inForce: (s) => s.images?.first_frame,
    values: ["a.png", "b.png", "c.png"],
  },
  {
    path: "memory",
    file: 1_000_000,
    env: "2MB",
    flag: "3 GiB",
    inForce: (s) => s.inference.runtimeOptions?.memoryBytes,
    values: [1_000_000, 2_000_000, 3 * 1024 ** 3],
  },
  { path: "candidate", file: 1, env: "2", flag: "0", inForce: (s) => s.candidate, values: [1, 2, 0] },
  {
    path: "inference",
    file: { model: { threads: 1 } },
    env: '{"model":{"threads":2}}',
    flag: ["model.threads=3"],
    inForce: (s) => s.inference.model,
    values: [{ threads: 1 }, { threads: 2 }, { threads: 3 }],
  },
  { path: "python", file: "a", env: "b", flag: "c", inForce: (s) => s.python, values: ["a", "b", "c"] },
  { path: "watch", file: false, env: "1", flag: true, inForce: (s) => s.watch, values: [false, true, true] },
  { path: "run.frames", file: 10, env: "20", flag: "30", inForce: (s) => s.frames, values: [10, 20, 30] },
  { path: "run.seconds", file: 1, env: "2.5", flag: "3", inForce: (s) => s.seconds, values: [1, 2.5, 3] },
  { path: "run.trace", file: "a", env: "b", flag: "c", inForce: (s) => s.trace, values: ["a", "b", "c"] },
  { path: "run.script", file: "a", env: "b", flag: "c", inForce: (s) => s.script, values: ["a", "b", "c"] },
  {
    path: "run.out",
    file: ["a.mp4"],
    env: '["b.mp4","b/"]',
    flag: ["c.mp4"],
    inForce: (s) => s.out,
    values: [["a.mp4"], ["b.mp4", "b/"], ["c.mp4"]],
  },
  {
    path: "run.encoder",
    file: "auto",
    env: "webcodecs",
    flag: "ffmpeg",
    inForce: (s) => s.encoder,
    values: ["auto", "webcodecs", "ffmpeg"],
  },
  { path: "run.record", file: "a", env: "b", flag: "c", inForce: (s) => s.record, values: ["a", "b", "c"] },
  { path: "run.stats", file: "a", env: "b", flag: "c", inForce: (s) => s.stats, values: ["a", "b", "c"] },
  { path: "run.profile", file: "a", env: "b", flag: "c", inForce: (s) => s.profile, values: ["a", "b", "c"] },
];

/** `run.out` with 3 becomes `{run: {out: 3}}`. */
function nested(path: string, value: unknown): unknown {
  return path.split(".").reduceRight((inner, key) => ({ [key]: inner }), value);
}

function flagName(path: string): string {
  const setting = ALL_SETTINGS.find((each) => each.path === path);
  return (setting?.flag ?? "").replace(/^--/, "");
}

function flagsOf({ path, flag }: (typeof CASES)[number]): Pick<Given, "flags" | "world"> {
  return path === "world" ? { world: flag as string } : { flags: { [flagName(path)]: flag } };
}

describe("effective settings", () => {
  test.each(CASES)("L2: $path comes from file < environment < flags", (each) => {
    const { path, file, env, inForce, values } = each;
    const variable = environmentVariable({ path });
    expect(inForce(settle({ file: nested(path, file) }))).toEqual(values[0]);
    expect(inForce(settle({ file: nested(path, file), env: { [variable]: env } }))).toEqual(values[1]);
    expect(inForce(settle({ env: { [variable]: env } }))).toEqual(values[1]);
    const all = { file: nested(path, file), env: { [variable]: env }, ...flagsOf(each) };
    expect(inForce(settle(all))).toEqual(values[2]);
    expect(inForce(settle(flagsOf(each)))).toEqual(values[2]);
  });

  test("L2: recordInputs comes from file < environment < flags", () => {
    const file = { run: { record: "a", recordInputs: false } };
    expect(settle({ file }).recordInputs).toBe(false);
    expect(settle({ file, env: { DREAMLOOP_RUN_RECORD_INPUTS: "true" } }).recordInputs).toBe(true);
    const env = { DREAMLOOP_RUN_RECORD_INPUTS: "0" };
    expect(settle({ file, env }).recordInputs).toBe(false);
    expect(settle({ file, env, flags: { recordInputs: true } }).recordInputs).toBe(true);
  });

  test("every setting has a case here", () => {
    const covered = [...CASES.map(({ path }) => path), "run.recordInputs"];
    expect(RUN_OPTIONS.map(({ path }) => path).sort()).toEqual(covered.sort());
  });

  test("without anything the defaults hold", () => {
    expect(settle({})).toEqual({
      seed: 0,
      initial: {},
      candidate: 0,
      inference: {},
      out: [],
      encoder: "auto",
      recordInputs: false,
    });
  });

  test("L2: mappings of all origins are joined key by key", () => {
    const settings = settle({
      file: { inference: { device: "cpu", runtimeOptions: { width: 1, height: 2 } }, initial: { a: 1, b: 1 } },
      env: { DREAMLOOP_INFERENCE: '{"runtimeOptions":{"height":3}}', DREAMLOOP_INITIAL: '{"b":2}' },
      flags: { set: ["runtimeOptions.rate=4", 'runtimeOptions.name="7"'], prompt: "fog" },
    });
    expect(settings.inference).toEqual({
      device: "cpu",
      runtimeOptions: { width: 1, height: 3, rate: 4, name: "7" },
    });
    expect(settings.initial).toEqual({ a: 1, b: 2, prompt: "fog" });
  });

  test("a prompt gives way to a stronger origin, by whichever of its two names", () => {
    expect(settle({ file: { prompt: "a" }, flags: { initial: ["prompt=b"] } }).initial).toEqual({ prompt: "b" });
    expect(settle({ file: { initial: { prompt: "a" } }, flags: { prompt: "b" } }).initial).toEqual({ prompt: "b" });
  });

  test("of frames and seconds, and of trace and script, the stronger origin's counts", () => {
    const settings = settle({
      file: { run: { frames: 10, trace: "a.trace" } },
      flags: { seconds: "2", script: "b.script" },
    });
    expect(settings).toMatchObject({ seconds: 2, script: "b.script" });
    expect(settings.frames).toBeUndefined();
    expect(settings.trace).toBeUndefined();
  });

  test("--set takes JSON where it is JSON, and text otherwise", () => {
    const set = ["a=1", "b=true", "c=null", "d=[1,2]", 'e={"f":1}', "g=cpu", 'h="1"', "i=x=y", "j="];
    expect(settle({ flags: { set } }).inference).toEqual({
      ...{ a: 1, b: true, c: null, d: [1, 2], e: { f: 1 }, g: "cpu", h: "1", i: "x=y", j: "" },
    });
  });

  test("DREAMLOOP_CONFIG names the file where no flag does", () => {
    writeFileSync(join(folder, "env.json"), '{"seed": 5}');
    const env = { DREAMLOOP_CONFIG: "env.json" };
    expect(settle({ env }).seed).toBe(5);
    expect(settle({ env, file: { seed: 6 } }).seed).toBe(6);
  });
});

describe("what is refused", () => {
  test.each<[string, Given, string]>([
    ["a flag that is no number", { flags: { frames: "many" } }, "--frames: expected an integer at least 1"],
    ["a flag out of range", { flags: { seed: "-1" } }, "--seed: expected an integer at least 0, found number -1"],
    ["a fraction of a frame", { flags: { frames: "1.5" } }, "--frames: expected an integer"],
    ["no seconds at all", { flags: { seconds: "0" } }, "--seconds: expected a finite number above 0"],
    ["a candidate that is no number", { flags: { candidate: "first" } }, "--candidate: expected an integer"],
    ["a blank path", { flags: { record: " " } }, "--record: expected a string that is not blank"],
    ["a blank output", { flags: { out: ["a.mp4", ""] } }, "--out[1]: expected a string that is not blank"],
    [
      "--set without a value",
      { flags: { set: ["model.threads"] } },
      '--set: expected name=value, found "model.threads"',
    ],
    ["--set without a name", { flags: { set: ["=1"] } }, '--set: expected name=value, found "=1"'],
    ["--set with an empty part", { flags: { set: ["model..threads=1"] } }, "path: expected names joined by dots"],
    ["--initial without a value", { flags: { initial: ["speed"] } }, "--initial: expected name=value"],
    ["a variable of the wrong type", { env: { DREAMLOOP_SEED: "x" } }, "DREAMLOOP_SEED: expected an integer"],
    ["a variable that nobody knows", { env: { DREAMLOOP_SEDE: "1" } }, "Did you mean DREAMLOOP_SEED?"],
    [
      "a mapping that is text",
      { env: { DREAMLOOP_INFERENCE: "threads=2" } },
      "DREAMLOOP_INFERENCE: expected a mapping",
    ],
    ["a covered value", { env: { DREAMLOOP_SEED: "x" }, flags: { seed: "1" } }, "DREAMLOOP_SEED: expected an integer"],
    ["a file's value", { file: { run: { frames: "10" } } }, "given.json: run.frames: expected an integer"],
    ["a file's unknown key", { file: { sede: 1 } }, 'did you mean "seed"?'],
    ["a section's unknown key", { file: { run: { frame: 1 } } }, 'did you mean "frames"?'],
    ["a section that is no mapping", { file: { run: 3 } }, "given.json: run: expected a mapping"],
    ["a file that is a list", { file: [] }, "given.json: expected a mapping"],
    ["a file that is no JSON", { file: "{seed: 1}" }, "given.json: not valid JSON"],
    [
      "a huge file",
      { file: `"${"x".repeat(1_000_001)}"` },
      "--config: given.json has 1000003 bytes, at most 1000000 are read",
    ],
    [
      "frames and seconds",
      { flags: { frames: "1", seconds: "1" } },
      "--frames and --seconds: both say how long the run is",
    ],
    ["trace and script", { flags: { trace: "a", script: "b" } }, "--trace and --script: a run plays one of them"],
    [
      "both in a file",
      { file: { run: { frames: 1, seconds: 1 } } },
      "given.json: run.frames and given.json: run.seconds",
    ],
    [
      "inputs without a trace",
      { flags: { recordInputs: true } },
      "--record-inputs: there is no trace to put them beside",
    ],
    [
      "one member of a list of candidates",
      { file: { inference: { model: [{}, {}] } }, flags: { set: ["model.threads=2"] } },
      'model.threads: expected a mapping at "model", found a list of 2',
    ],
  ])("%s", (_, given, message) => {
    const refused = refusal(given);
    expect(refused.message).toContain(message);
    expect(refused.exitCode).toBe(EXIT_CODES.usage);
  });

  test("a configuration file that does not exist", () => {
    expect(refusal({ flags: { config: "none.json" } })).toEqual({
      message: "--config: none.json: there is no such file",
      exitCode: EXIT_CODES.notFound,
    });
    expect(refusal({ flags: { config: "." } }).message).toBe("--config: . is no file; name a text file");
  });
});

test("variables of the tests and of debugging are left alone", () => {
  const env = { DREAMLOOP_DEBUG: "1", DREAMLOOP_CHROMIUM: "x", DREAMLOOP_FFMPEG: "x", DREAMLOOP_TEST_MISSING: "" };
  expect(settle({ env }).seed).toBe(0);
});
