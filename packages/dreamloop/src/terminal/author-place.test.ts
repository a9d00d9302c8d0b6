import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { loadAdapter, ProcessClock, WorldHost } from "@dreamloop/node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { dreamloop } from "../fixtures/command-process.ts";
import { MemoryHost } from "../fixtures/memory-host.ts";
import { THROWING_WORLD } from "../fixtures/throwing-world.ts";
import { EXIT_CODES } from "../program/exit-codes.ts";
import { runCli } from "../program/run-cli.ts";
import { authorPlace } from "./author-place.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dreamloop author "));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

const at = (name: string): string => join(folder, name);

async function cli(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const host = new MemoryHost({ args, env, cwd: folder, clock: new ProcessClock() });
  const exitCode = await runCli(host);
  return { exitCode, out: host.out, err: host.err };
}

describe("an error of the world's own code", () => {
  test("is shown with its place, and with the whole stack on request", async () => {
    writeFileSync(at("throwing.mjs"), THROWING_WORLD);
    const args = ["run", "./throwing.mjs", "--frames", "5", "--out", "null:"];
    const { exitCode, err } = await cli(args);
    expect(exitCode).toBe(EXIT_CODES.failure);
    expect(err).toContain(`kaboom\n  at ${at("throwing.mjs")}:11:28 (DREAMLOOP_DEBUG=1 shows the whole stack)\n`);
    expect(err).not.toContain("    at ");
    expect((await cli(args, { DREAMLOOP_DEBUG: "1" })).err).toMatch(
      /RangeError: kaboom\n {4}at explode \(.*:11:28\)\n/,
    );
    const check = await cli(["check", "./throwing.mjs", "--run"]);
    expect(check.out).toContain(`kaboom (${at("throwing.mjs")}:11:28)\n`);
  });

  test.each([
    ["the module itself", "world.mjs", "export default 1;\nconst x = ;\n", 2],
    ["a module that it imports", "part.mjs", "\n\nlet let = 1;\n", 3],
  ])("a syntax error of %s is shown with file and line", (_, name, text, line) => {
    writeFileSync(at("world.mjs"), 'import "./part.mjs";\nexport default {};\n');
    writeFileSync(at("part.mjs"), "");
    writeFileSync(at(name), text);
    const { stderr } = dreamloop(["run", "./world.mjs", "--frames", "1", "--out", "null:"], folder);
    expect(stderr).toContain(`  at ${at(name)}:${line} (`);
  });

  test("keeps its place on its way out of the thread of a served world", async () => {
    writeFileSync(at("throwing.mjs"), THROWING_WORLD);
    const host = await WorldHost.load({ reference: { module: at("throwing.mjs") } });
    const failure: unknown = await host.startSession().done.catch((error: unknown) => error);
    await host.close();
    expect(failure).toMatchObject({ code: "step_failed", message: expect.stringContaining("kaboom") as string });
    expect(authorPlace(failure)).toBe(`${at("throwing.mjs")}:11:28`);

    writeFileSync(at("broken.mjs"), "export default (;\n");
    const load: unknown = await WorldHost.load({ reference: { module: at("broken.mjs") } }).catch((e: unknown) => e);
    expect(authorPlace(load)).toBe(`${at("broken.mjs")}:1`);
  });
});

test("what Dreamloop refuses has no place in anybody's code", async () => {
  expect(authorPlace(new DreamloopError(ERROR_CODES.internal, "ours"))).toBeUndefined();
  const missing: unknown = await loadAdapter({ module: at("none.mjs"), exportName: "default" }).catch(
    (e: unknown) => e,
  );
  expect(authorPlace(missing)).toBeUndefined();
  expect(authorPlace("thrown text")).toBeUndefined();
});
