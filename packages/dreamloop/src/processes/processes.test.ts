import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandProcess, dreamloop, conditionHolds } from "../fixtures/command-process.ts";
import { inspectFile } from "../inspect/inspect-file.ts";

const isPosix = process.platform !== "win32";
const SMALL = ["--set", "runtimeOptions.width=64", "--set", "runtimeOptions.height=48"];
/** A run that takes its time, so that it can be stopped in the middle. */
const SLOW = [...SMALL, "--set", "runtimeOptions.stepTimeSeconds=0.01", "--frames", "100000"];

const BIN = join(import.meta.dirname, "../../bin/dreamloop.js");

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dreamloop-processes-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

const at = (name: string): string => join(folder, name);

/** The frame hashes of a trace in order. */
function hashes(name: string): readonly string[] {
  return [...readFileSync(at(name), "utf8").matchAll(/"frameHashes":\[([^\]]*)\]/g)].map(([, list]) => list ?? "");
}

/** Resolves when the trace holds at least so many whole steps. */
function untilSteps(name: string, count: number): Promise<void> {
  return conditionHolds(() => existsSync(at(name)) && hashes(name).length >= count, `${count} steps in ${name}`);
}

function facts(name: string): Promise<Readonly<Record<string, unknown>>> {
  return inspectFile(name, folder).then((inspection) => inspection.facts as Readonly<Record<string, unknown>>);
}

describe("the way of the first page", () => {
  test("G3: run with a video and a trace, then replay: every frame is the same, also through images", async () => {
    const args = ["run", "probe", ...SMALL, "--frames", "40", "--seed", "7"];
    const run = dreamloop([...args, "--out", "a.mp4", "--record", "a.trace"], folder);
    expect(run.stderr).toBe("");
    expect(run.status).toBe(0);
    expect(run.stdout).toMatch(/^40 frames, 1\.3 s of probe, in .* frames\/s\)\nwrote a\.mp4: .*\nwrote a\.trace: /);
    expect(await facts("a.mp4")).toMatchObject({ codec: "avc", width: 64, height: 48, frameCount: 40 });
    const replay = dreamloop(["replay", "a.trace", "--out", "frames/"], folder);
    expect(replay.stdout).toMatch(/^equal: 40 steps, 40 frames compared\nwrote frames\/: image\/png, 40 frames/);
    expect(replay.status).toBe(0);
    expect(readdirSync(at("frames"))).toHaveLength(40);
    dreamloop([...args, "--out", "images/", "--record", "b.trace"], folder);
    expect(hashes("b.trace")).toEqual(hashes("a.trace"));
  });

  test("G3: two processes at the same time give the same hashes", async () => {
    const args = ["run", "probe", ...SMALL, "--frames", "60", "--seed", "7", "--out", "null:", "--record"];
    const processes = ["a", "b"].map((name) => new CommandProcess([...args, `${name}.trace`], folder));
    const ends = await Promise.all(processes.map((process) => process.end));
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(hashes("a.trace")).toHaveLength(60);
    expect(hashes("b.trace")).toEqual(hashes("a.trace"));
  });

  test("G5: a replay names the first differing step, and refuses another version", () => {
    dreamloop(["run", "probe", ...SMALL, "--frames", "5", "--out", "null:", "--record", "a.trace"], folder);
    const lines = readFileSync(at("a.trace"), "utf8").split("\n");
    const bent = lines.map((line) => line.replace(/("stepNumber":3,.*"frameHashes":\[")[0-9a-f]{4}/, "$1dead"));
    writeFileSync(at("bent.trace"), bent.join("\n"));
    const differs = dreamloop(["replay", "bent.trace"], folder);
    expect(differs.status).toBe(3);
    expect(differs.stderr).toMatch(/^error: step 3 \(step 3 of generation 0\), frame 0: expected the hash dead/);
    const document = dreamloop(["replay", "bent.trace", "--json"], folder);
    expect(document.status).toBe(3);
    expect(JSON.parse(document.stdout)).toMatchObject({
      ...{ type: "replay", version: 1, outcome: "differs", recordedSteps: 5 },
      firstDifference: { stepNumber: 3, frameIndex: 0, what: "frames" },
    });
    const all = dreamloop(["replay", "bent.trace", "--keep-going"], folder);
    expect(all.status).toBe(3);
    expect(all.stdout).toBe("differs: 1 step of 5, the first is step 3 (frames)\n");

    writeFileSync(at("old.trace"), lines.join("\n").replace('"adapter:probe":"1"', '"adapter:probe":"0"'));
    const refused = dreamloop(["replay", "old.trace"], folder);
    expect(refused.status).toBe(4);
    expect(refused.stderr).toContain('adapter:probe: the trace was recorded with "0"');
    expect(dreamloop(["replay", "old.trace", "--allow-mismatch"], folder).status).toBe(0);
  });
});

describe.skipIf(!isPosix)("a run that is stopped", () => {
  test.each(["SIGINT", "SIGTERM"] as const)(
    "%s to the whole group completes video, trace and statistics",
    async (signal) => {
      const files = ["--out", "a.mp4", "--record", "a.trace", "--stats", "s.json", "--profile", "p.json"];
      const command = new CommandProcess(["run", "probe", ...SLOW, ...files], folder);
      await untilSteps("a.trace", 20);
      command.signal(signal, "group");
      const { exitCode, out, err } = await command.end;
      expect(exitCode).toBe(signal === "SIGINT" ? 130 : 143);
      expect(err).toBe("stopping: completing the files; once more to exit at once\n");
      expect(out).toMatch(/^\d+ frames, .*, stopped early\nwrote a\.mp4/);
      const steps = hashes("a.trace").length;
      expect(steps).toBeGreaterThanOrEqual(20);
      expect(await facts("a.mp4")).toMatchObject({ codec: "avc", frameCount: steps });
      expect(await facts("a.trace")).toMatchObject({ complete: true, outcome: "cancelled", stepCount: steps });
      expect(await facts("s.json")).toMatchObject({ end: { outcome: "cancelled", stepCount: steps } });
      expect(readdirSync(folder).sort()).toEqual(["a.mp4", "a.trace", "p.json", "s.json"]);
      expect(dreamloop(["replay", "a.trace"], folder).stdout).toContain(`equal: ${steps} steps`);
    },
  );

  test("a world that never gives up the thread can be stopped", async () => {
    const instant = ["--set", "runtimeOptions.instant=true", "--frames", "100000000", "--out", "null:"];
    const command = new CommandProcess(["run", "probe", ...SMALL, ...instant, "--record", "a.trace"], folder);
    await untilSteps("a.trace", 20);
    command.signal("SIGINT");
    expect((await command.end).exitCode).toBe(130);
    expect(await facts("a.trace")).toMatchObject({ complete: true, outcome: "cancelled" });
  });

  test("a load can be stopped", async () => {
    const slow = ["--set", "runtimeOptions.loadTimeSeconds=600", "--out", "null:", "--record", "a.trace"];
    const command = new CommandProcess(["run", "probe", ...SMALL, ...slow], folder);
    await conditionHolds(() => existsSync(at("a.trace")), "the trace's file");
    command.signal("SIGINT");
    const { exitCode, err } = await command.end;
    expect(exitCode).toBe(130);
    expect(err).not.toContain("error");
  });

  test("kill -9 in the middle leaves a trace that replays up to its last whole step", async () => {
    const command = new CommandProcess(["run", "probe", ...SLOW, "--out", "null:", "--record", "a.trace"], folder);
    await untilSteps("a.trace", 20);
    command.signal("SIGKILL");
    expect((await command.end).exitCode).toBeNull();
    const steps = (await facts("a.trace")).stepCount as number;
    expect(steps).toBeGreaterThanOrEqual(20);
    const replay = dreamloop(["replay", "a.trace"], folder);
    expect(replay.status).toBe(0);
    expect(replay.stdout).toContain(`equal: ${steps} steps, ${steps} frames compared`);
    expect(replay.stderr).toContain("a.trace was cut off; replaying up to its last whole step");
  });
});

describe("streams", () => {
  test("--out - writes frames and nothing else to standard output, messages go to standard error", () => {
    const args = ["run", "probe", ...SMALL, "--frames", "5", "--seed", "7"];
    const { status, stdout, stderr } = dreamloop([...args, "--out", "-", "--record", "a.trace"], folder);
    expect(status).toBe(0);
    expect(stdout.startsWith("YUV4MPEG2 W64 H48 F30:1 ")).toBe(true);
    expect(stdout.split("FRAME\n")).toHaveLength(6);
    expect(stderr).toMatch(/^5 frames, .*\nwrote a\.trace/);
    const file = dreamloop([...args, "--out", "b.y4m"], folder);
    expect(file.status).toBe(0);
    expect(readFileSync(at("b.y4m"), "utf8")).toBe(stdout);
  });

  /** Runs the command in a shell with a reader that leaves after a few bytes. */
  function leavingReader(args: string): string {
    const line = `{ "$0" "$1" ${args}; echo "code $?" >&2; } | head -c 20 >/dev/null`;
    return spawnSync("sh", ["-c", line, process.execPath, BIN], { cwd: folder, encoding: "utf8" }).stderr;
  }

  test.skipIf(!existsSync("/dev/full"))("a full disk behind standard output is no reader that went away", () => {
    const line = '"$0" "$1" worlds >/dev/full; echo "code $?" >&2';
    const { stderr } = spawnSync("sh", ["-c", line, process.execPath, BIN], { cwd: folder, encoding: "utf8" });
    expect(stderr).toBe("error: could not write to standard output (ENOSPC); choose another place for it\ncode 1\n");
  });

  test.skipIf(!isPosix)("a reader of frames that goes away is an error with its own words", async () => {
    const said = leavingReader(`run probe ${SMALL.join(" ")} --frames 3000 --out - --record a.trace`);
    expect(said).toMatch(/error: pipe target: .*reader of the pipe has gone/);
    expect(said).toMatch(/code 141\n$/);
    expect(await facts("a.trace")).toMatchObject({ complete: true, outcome: "failed" });
  });

  test.skipIf(!isPosix)("a reader of text that goes away ends the command without a word", () => {
    const worlds = Array.from({ length: 100 }, (_, index) => ({
      id: `w${index}`,
      title: "x".repeat(190),
      module: "w.mjs",
    }));
    for (let index = 0; index < 20; index += 1) {
      const place = at(`node_modules/pack${index}`);
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, "package.json"), JSON.stringify({ name: `pack${index}`, dreamloop: { worlds } }));
      writeFileSync(join(place, "w.mjs"), "");
    }
    expect(leavingReader("worlds --json")).toBe("code 141\n");
  });

  test("in a pipe there are no escape sequences", () => {
    const { stdout, stderr } = dreamloop(["check", "probe"], folder);
    expect(stdout).toContain("ok    its adapter loads\n");
    expect(stdout + stderr).not.toContain("\u001b");
  });

  test("L3: no command reads standard input, on which nobody writes and which nobody closes", async () => {
    for (const [exitCode, ...args] of [
      [0, "worlds"],
      [0, "run", "probe", ...SMALL, "--frames", "2", "--out", "a.mp4"],
      [2, "run", "probe", ...SMALL, "--frames", "2", "--out", "a.mp4"],
      [0, "run", "probe", ...SMALL, "--frames", "2", "--out", "a.mp4", "--force"],
      [0, "check", "probe"],
      [0, "inspect", "a.mp4"],
      [5, "replay", "none.trace"],
      [0],
    ] as const) {
      expect((await new CommandProcess(args, folder).end).exitCode, args.join(" ")).toBe(exitCode);
    }
  });
});

describe("worlds from elsewhere", () => {
  const comet = join(import.meta.dirname, "../../../../examples/tiny-world/tiny-world.mjs");

  test("a module is given by its path", async () => {
    const { status, stdout } = dreamloop(
      ["run", comet, "--frames", "6", "--prompt", "gold", "--record", "c.trace"],
      folder,
    );
    expect(status).toBe(0);
    expect(stdout).toMatch(/^6 frames, 0\.3 s of comet/);
    expect(dreamloop(["replay", "c.trace", "--world", comet], folder).stdout).toContain("equal: 6 steps");
    const lost = dreamloop(["replay", "c.trace"], folder);
    expect(lost.status).toBe(5);
    expect(lost.stderr).toContain(
      'the trace is of the world "comet", which is neither bundled nor installed; name it with --world',
    );
    expect(dreamloop(["check", comet, "--run"], folder).stdout).toMatch(/\n.*tiny-world\.mjs is sound\n$/);
  });

  test("a package that declares worlds is listed without being loaded, and found by its ids and its name", () => {
    const place = at("node_modules/my-worlds");
    mkdirSync(place, { recursive: true });
    const worlds = [{ id: "comet", title: "My comet", module: "./comet.mjs" }];
    writeFileSync(
      join(place, "package.json"),
      JSON.stringify({ name: "my-worlds", version: "1.2.3", dreamloop: { worlds } }),
    );
    writeFileSync(join(place, "comet.mjs"), 'throw new Error("loaded");');
    const list = dreamloop(["worlds", "--json"], folder);
    expect(list.status).toBe(0);
    expect(JSON.parse(list.stdout)).toMatchObject({
      worlds: expect.arrayContaining([
        { id: "comet", title: "My comet", origin: "package", kind: "module", package: "my-worlds@1.2.3" },
      ]) as unknown,
    });
    expect(dreamloop(["run", "comet", "--frames", "1"], folder).stderr).toContain(
      "the module cannot be loaded: loaded",
    );
    writeFileSync(join(place, "comet.mjs"), `export { default } from ${JSON.stringify(comet)};`);
    for (const name of ["comet", "my-worlds", "my-worlds#comet"]) {
      const run = dreamloop(["run", name, "--frames", "2", "--out", "null:"], folder);
      expect(run.stdout).toMatch(/^2 frames/);
    }
    dreamloop(["run", "my-worlds", "--frames", "3", "--record", "c.trace"], folder);
    expect(dreamloop(["replay", "c.trace"], folder).stdout).toContain("equal: 3 steps");
  });

  test("H4: a world that was written against another copy of the core runs", () => {
    const copy = at("copy");
    mkdirSync(copy);
    const core = join(import.meta.dirname, "../../../core/dist");
    spawnSync(process.execPath, [
      "-e",
      "require('fs').cpSync(process.argv[1], process.argv[2], {recursive: true})",
      core,
      join(copy, "core"),
    ]);
    writeFileSync(join(copy, "package.json"), '{"type": "module"}');
    const text = readFileSync(comet, "utf8").replace("@dreamloop/core", "./core/index.js");
    writeFileSync(join(copy, "world.mjs"), text);
    const run = dreamloop(["check", "./copy/world.mjs", "--run"], folder);
    expect(run.stdout).toContain("./copy/world.mjs is sound");
  });
});

test("a run that fails leaves what was written valid, and says what went wrong once", async () => {
  const failing = [...SMALL, "--set", "runtimeOptions.failAtStep=7", "--frames", "20"];
  const { status, stdout, stderr } = dreamloop(
    ["run", "probe", ...failing, "--out", "a.mp4", "--record", "a.trace", "--stats", "s.json"],
    folder,
  );
  expect(status).toBe(1);
  expect(stdout).toBe("");
  expect(stderr.match(/^error: /gm)).toHaveLength(1);
  expect(stderr).not.toContain("    at ");
  expect(await facts("a.mp4")).toMatchObject({ frameCount: 7 });
  expect(await facts("a.trace")).toMatchObject({ complete: true, outcome: "failed", stepCount: 7 });
  expect(await facts("s.json")).toMatchObject({ end: { outcome: "failed", stepCount: 7 } });
  expect(statSync(at("a.mp4")).size).toBeGreaterThan(0);
});

describe.runIf(isPosix)("worlds that never return", () => {
  const world = (step: string): string =>
    `import { writeFileSync } from "node:fs";
import { defineWorld } from ${JSON.stringify(import.meta.resolve("dreamloop"))};
export default defineWorld({ id: "stuck", video: { width: 8, height: 8, framesPerSecond: 10 }, step: ({ frames, stepIndex }) => {
  if (stepIndex === 1) { writeFileSync("stuck", ""); ${step} }
  return { frames };
} });
`;

  test.each([
    ["holds its thread", "for (;;);"],
    ["never answers", "return new Promise(() => undefined);"],
  ])("R7: the second stop signal ends a run whose step %s", async (_what, step) => {
    writeFileSync(at("stuck.mjs"), world(step));
    const run = new CommandProcess(
      ["run", "./stuck.mjs", "--frames", "5", "--out", "null:", "--record", "a.trace"],
      folder,
    );
    try {
      await conditionHolds(() => existsSync(at("stuck")), "the step is under way");
      run.signal("SIGINT");
      run.signal("SIGTERM");
      const { endedBy } = await run.end;
      expect(endedBy).toMatch(/^SIG(INT|TERM)$/);
    } finally {
      run.kill();
    }
  });

  test("R2: the first stop signal ends a run whose step never answers, and its files are complete", async () => {
    writeFileSync(at("stuck.mjs"), world("return new Promise(() => undefined);"));
    const run = new CommandProcess(
      ["run", "./stuck.mjs", "--frames", "5", "--out", "a.mp4", "--record", "a.trace"],
      folder,
    );
    try {
      await conditionHolds(() => existsSync(at("stuck")), "the step is under way");
      run.signal("SIGINT");
      expect(await run.end).toMatchObject({ exitCode: 130, err: expect.stringContaining("stopping") as string });
      expect(await facts("a.mp4")).toMatchObject({ frameCount: 1 });
    } finally {
      run.kill();
    }
  });

  test("R1: a run whose step never answers ends with an error after resourceHints.stepSeconds", async () => {
    writeFileSync(at("stuck.mjs"), world("return new Promise(() => undefined);"));
    const hints = ["--set", "resourceHints.stepSeconds=0.5"];
    const { status, stderr } = dreamloop(["run", "./stuck.mjs", "--frames", "5", "--out", "a.mp4", ...hints], folder);
    expect(stderr).toMatch(/^error: step 1 did not answer within 0\.5 s; raise resourceHints\.stepSeconds/);
    expect(status).toBe(1);
    expect(await facts("a.mp4")).toMatchObject({ frameCount: 1 });
  });
});
