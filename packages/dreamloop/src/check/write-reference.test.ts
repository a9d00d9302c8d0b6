import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ProcessClock } from "@dreamloop/node";
import { sha256Hex } from "@dreamloop/onnx/node";
import { toyStepWorld } from "@dreamloop/onnx/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MemoryHost } from "../fixtures/memory-host.ts";
import { EXIT_CODES } from "../program/exit-codes.ts";
import { runCli } from "../program/run-cli.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dreamloop-reference-"));
  mkdirSync(join(folder, "toy"));
  for (const [path, bytes] of Object.entries(toyStepWorld(sha256Hex))) writeFileSync(join(folder, "toy", path), bytes);
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function cli(...args: readonly string[]) {
  const host = new MemoryHost({ args, cwd: folder, clock: new ProcessClock() });
  const exitCode = await runCli(host);
  return { exitCode, out: host.out, err: host.err };
}

interface Manifest {
  files: Record<string, { bytes: number; sha256: string }>;
  referenceFrames?: Record<string, unknown>;
}

const path = (name: string): string => join(folder, "toy", name);
const manifest = (): Manifest => JSON.parse(readFileSync(path("world.json"), "utf8")) as Manifest;

/** Changes the picture's last factor and keeps the manifest up to date, as somebody does who exports anew. */
function repaint(white: number): void {
  const bytes = new Uint8Array(readFileSync(path("step.bin")));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  view.setFloat32(bytes.length - 4, white, true);
  writeFileSync(path("step.bin"), bytes);
  const changed = manifest();
  changed.files["step.bin"] = { bytes: bytes.length, sha256: sha256Hex(bytes) };
  writeFileSync(path("world.json"), JSON.stringify(changed));
}

describe("dreamloop check --write-reference", () => {
  test("F4: what it writes is checked by the next check, and a change of the weights is found", async () => {
    const plain = await cli("check", "toy", "--run");
    expect(plain.out).toContain(
      "skip  its first frames are the reference frames\n      the bundle has no reference frames\n",
    );

    const written = await cli("check", "toy", "--write-reference", "--frames", "3", "--with-environment");
    expect(written.out).toMatch(/^ok {4}its reference frames are written\n {6}3 frames in reference\.rgb, made on /);
    expect(written.exitCode).toBe(EXIT_CODES.ok);
    expect(manifest().referenceFrames).toMatchObject({
      file: "reference.rgb",
      count: 3,
      environment: { engine: "onnxruntime-node" },
    });
    expect(readFileSync(path("reference.rgb")).length).toBe(3 * 6 * 5 * 3);

    const same = await cli("check", "toy", "--run");
    expect(same.out).toContain("ok    its first frames are the reference frames\n      3 frames, bit for bit\n");
    expect(same.out).toContain("      precision: auto chose fp32\n");
    expect(same.exitCode).toBe(EXIT_CODES.ok);

    repaint(254.5);
    const changed = await cli("check", "toy", "--run", "--json");
    expect(changed.exitCode).toBe(EXIT_CODES.failure);
    expect(JSON.parse(changed.out)).toMatchObject({
      ok: false,
      faults: [{ code: "reference_frames", file: "reference.rgb" }],
      checks: [
        ...[{ outcome: "passed" }, { outcome: "passed" }, { outcome: "passed" }],
        { name: "its first frames are the reference frames", outcome: "failed", message: "1 fault" },
      ],
    });
    const run = await cli("run", "toy", "--frames", "1", "--out", "null:");
    expect(run.exitCode).toBe(EXIT_CODES.failure);
    expect(run.err).toMatch(/^error: reference check of world "toy-step": frame 0: /);

    const again = JSON.parse((await cli("check", "toy", "--write-reference", "--run", "--json")).out) as object;
    expect(again).toMatchObject({
      ok: true,
      status: { referenceCheck: { compared: "psnr", psnr: null, frames: 2 }, fallbacks: [{ setting: "precision" }] },
    });
  });

  test("F4: the result of a run tells what came of it", async () => {
    await cli("check", "toy", "--write-reference", "--with-environment");
    const run = await cli("run", "toy", "--frames", "1", "--out", "null:", "--json", "--set", "model.threads=64");
    expect(JSON.parse(run.out)).toMatchObject({
      runtimeFacts: {
        engine: "onnxruntime-node",
        referenceCheck: { compared: "psnr", reason: expect.stringMatching(/threads \d+ there, 64 here/) as string },
        fallbacks: [{ setting: "precision" }, { setting: "threads", asked: "64" }],
      },
    });
  });

  test("says what keeps a bundle from being loaded, and writes nothing", async () => {
    writeFileSync(path("step.bin"), "damaged");
    const before = readFileSync(path("world.json"), "utf8");
    const { exitCode, out } = await cli("check", "toy", "--write-reference");
    expect(exitCode).toBe(EXIT_CODES.failure);
    expect(out).toMatch(/^FAIL {2}its reference frames are written\n {6}mend the faults before it\n {2}step\.bin: /);
    expect(readFileSync(path("world.json"), "utf8")).toBe(before);
  });

  test.each([
    [["toy", "--frames", "2"], /--frames: .*--write-reference/],
    [["toy", "--with-environment"], /--with-environment: .*--write-reference/],
    [
      ["toy", "--write-reference", "--frames", "9"],
      /--frames: expected an integer at least 1 and at most 8, found number 9/,
    ],
    [["toy", "--write-reference", "--frames", "two"], /--frames: .*"two"/],
    [["probe", "--write-reference"], /probe is code; only bundles have reference frames/],
  ])("refuses %j", async (args, message) => {
    const { exitCode, err } = await cli("check", ...args);
    expect(err).toMatch(message);
    expect(exitCode).toBe(EXIT_CODES.usage);
  });
});
