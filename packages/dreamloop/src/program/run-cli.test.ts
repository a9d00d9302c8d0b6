import { DreamloopError, ERROR_CODES, type ErrorCode } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { MemoryHost } from "../fixtures/memory-host.ts";
import { Terminal } from "../terminal/terminal.ts";
import { exitCodeOf, settling } from "./exit-code-of.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { Interruption } from "./interruption.ts";
import { runCli } from "./run-cli.ts";
import { packageVersion } from "./version.ts";

/** Runs the command line in memory. */
async function cli(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const host = new MemoryHost({ args, env });
  const exitCode = await runCli(host);
  return { exitCode, out: host.out, err: host.err, host };
}

describe("parsing", () => {
  test("--version prints the package's version", async () => {
    expect(await cli(["--version"])).toMatchObject({ exitCode: EXIT_CODES.ok, out: `${packageVersion()}\n`, err: "" });
  });

  test.each([["--help"], ["-h"], ["help"]])("%s prints help with examples to standard output", async (...args) => {
    const { exitCode, out, err } = await cli(args);
    expect(exitCode).toBe(EXIT_CODES.ok);
    expect(err).toBe("");
    expect(out).toContain("Examples:");
    for (const name of ["worlds", "run", "replay", "check", "inspect"])
      expect(out).toMatch(new RegExp(`^  ${name} `, "m"));
  });

  test("the name alone prints a short start, and that is no fault", async () => {
    const { exitCode, out, err } = await cli([]);
    expect(exitCode).toBe(EXIT_CODES.ok);
    expect(out).toContain(`Dreamloop ${packageVersion()}`);
    expect(out).toMatch(/^ +dreamloop play /m);
    expect(out).toContain("dreamloop --help");
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(err).toBe("");
  });

  test.each(["worlds", "run", "replay", "check", "convert", "inspect"])("%s has help with examples", async (name) => {
    const { exitCode, out } = await cli([name, "--help"]);
    expect(exitCode).toBe(EXIT_CODES.ok);
    expect(out).toContain(`$ dreamloop ${name}`);
  });

  test.each([
    [["rnu"], "unknown command 'rnu'. Did you mean run? See dreamloop --help"],
    [["--frames"], "unknown option '--frames'. See dreamloop --help"],
    [["run", "probe", "--frame", "3"], "unknown option '--frame'. Did you mean --frames? See dreamloop run --help"],
    [["run", "probe", "--sed=3"], "unknown option '--sed=3'. Did you mean --seed? See dreamloop run --help"],
    [["replay", "a.trace", "--lvel", "x"], "unknown option '--lvel'. Did you mean --level?"],
    [["worlds", "--jsn"], "unknown option '--jsn'. Did you mean --json?"],
    [["run", "probe", "--seed"], "option '--seed <n>' argument missing"],
    [
      ["run", "probe", "extra"],
      "too many arguments for 'run'. Expected 1 argument but got 2. See dreamloop run --help",
    ],
    [["replay"], "missing required argument 'file'. See dreamloop replay --help"],
  ])("L1: %j is refused with the nearest match", async (args, message) => {
    const { exitCode, out, err } = await cli(args);
    expect(exitCode).toBe(EXIT_CODES.usage);
    expect(out).toBe("");
    expect(err).toContain(`error: ${message}`);
    expect(err).not.toContain("    at ");
  });

  test("with --json a refusal is a document", async () => {
    const { exitCode, out } = await cli(["run", "probe", "--json", "--frame", "3"]);
    expect(exitCode).toBe(EXIT_CODES.usage);
    expect(JSON.parse(out)).toMatchObject({
      type: "error",
      version: 1,
      error: { code: "invalid_value", message: expect.stringContaining("--frame") as string },
      exitCode: 2,
    });
  });

  test("a run leaves no listeners behind", async () => {
    const { host } = await cli(["worlds"]);
    expect(host.stopListeners).toBe(0);
    expect(host.uncaughtListeners).toBe(0);
    expect(host.stdout.listenerCount("error")).toBe(0);
    expect(host.stderr.listenerCount("error")).toBe(0);
  });
});

describe("exit codes", () => {
  test.each<[ErrorCode, number]>([
    [ERROR_CODES.replayDiffers, 3],
    [ERROR_CODES.replayRefused, 4],
    [ERROR_CODES.notFound, 5],
    [ERROR_CODES.outputFailed, 1],
    [ERROR_CODES.invalidValue, 1],
    [ERROR_CODES.bundleInvalid, 1],
  ])("%s in the middle of a run ends with %d", (code, exitCode) => {
    expect(exitCodeOf(new DreamloopError(code, "message"))).toBe(exitCode);
  });

  test("the same refusal before a run is the caller's", () => {
    const refuse = (code: ErrorCode) => () =>
      settling(() => {
        throw new DreamloopError(code, "message");
      });
    for (const [code, exitCode] of [
      [ERROR_CODES.invalidValue, 2],
      [ERROR_CODES.unsupportedConfig, 2],
      [ERROR_CODES.missingInput, 2],
      [ERROR_CODES.notFound, 5],
      [ERROR_CODES.internal, 1],
    ] as const) {
      let thrown: unknown;
      try {
        refuse(code)();
      } catch (error) {
        thrown = error;
      }
      expect(exitCodeOf(thrown), code).toBe(exitCode);
    }
  });

  test("anything else is a failure", () => {
    for (const thrown of [new Error("x"), "x", undefined, null]) expect(exitCodeOf(thrown)).toBe(1);
  });
});

describe("errors", () => {
  test("what Dreamloop reports is its message alone", () => {
    const host = new MemoryHost();
    new Terminal(host).error(new DreamloopError(ERROR_CODES.notFound, "no such world"), 5);
    expect(host.err).toBe("error: no such world\n");
  });

  test("DREAMLOOP_DEBUG=1 adds the stacks of the error and its causes", () => {
    const host = new MemoryHost({ env: { DREAMLOOP_DEBUG: "1" } });
    const error = new DreamloopError(ERROR_CODES.loadFailed, "outer", { cause: new Error("inner") });
    new Terminal(host).error(error, 1);
    expect(host.err).toContain("error: outer\n");
    expect(host.err).toContain("caused by Error: inner");
    expect(host.err).toContain("run-cli.test.ts");
  });

  test("anything else is an internal error with its stack", () => {
    const host = new MemoryHost();
    new Terminal(host).error(new TypeError("x is not a function"), 1);
    expect(host.err).toContain("internal error: x is not a function. Please report this");
    expect(host.err).toContain("run-cli.test.ts");
  });
});

describe("stop signals", () => {
  test("the first aborts, the second ends the process at once, and afterwards nobody listens", () => {
    const host = new MemoryHost();
    const seen: string[] = [];
    const interruption = new Interruption(host, (signal) => seen.push(signal));
    expect(interruption.signal.aborted).toBe(false);
    expect(interruption.exitCode).toBeUndefined();
    host.stop("SIGTERM");
    expect(interruption.signal.aborted).toBe(true);
    expect(interruption.exitCode).toBe(143);
    expect(host.exitedWith).toBeUndefined();
    host.stop("SIGINT");
    expect(host.exitedWith).toBe(130);
    expect(seen).toEqual(["SIGTERM"]);
    interruption.close();
    expect(host.stopListeners).toBe(0);
  });
});

describe("an error that nothing caught", () => {
  test("ends work that heeds the signal, and is kept once", () => {
    const host = new MemoryHost();
    const interruption = new Interruption(host, () => undefined);
    interruption.fail(new Error("first"));
    interruption.fail(new Error("second"));
    expect(interruption.signal.aborted).toBe(true);
    expect(interruption.failure).toEqual({ error: new Error("first") });
    expect(interruption.exitCode).toBeUndefined();
    interruption.close();
  });
});
