import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dreamloop } from "../fixtures/command-process.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const PYTHON = process.env["DREAMLOOP_NUMPY_PYTHON"] ?? "";
const suite = PYTHON === "" ? describe.skip : describe;

/** Every colour is up to 3 of 255 above what the seed says, by numbers that nothing repeats. */
const NOISY = `
import os

import numpy as np
from dreamloop import Video, World


class Noisy(World):
    video = Video(16, 8, fps=10, deterministic=False)
    controls = {"drive": "driver_command"}

    def step(self, ctx):
        noise = np.frombuffer(os.urandom(384), np.uint8).reshape(8, 16, 3) % 4
        ctx.frames[...] = ctx.random("base").integer(200) + noise
        return ctx.frames
`;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "dreamloop-python-"));
  writeFileSync(join(folder, "noisy.py"), NOISY);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

suite("worlds in Python at the command line", () => {
  test("N1: a world that promises no equal frames is compared with a measured tolerance, which the output says", () => {
    const run = ["run", "noisy.py", "--python", PYTHON, "--frames", "12", "--out", "null:", "--record", "a.trace"];
    expect(dreamloop(run, folder)).toMatchObject({ status: 0 });
    const replay = ["replay", "a.trace", "--world", "noisy.py", "--python", PYTHON];
    const plain = dreamloop(replay, folder);
    expect(plain.stderr).toMatch(/the trace does not promise exactness .*, and no tolerance has been measured/);
    const measured = dreamloop([...replay, "--measure"], folder);
    expect(measured.stderr).toMatch(
      /frames of 3 runs on this machine are at most 3 of 255 apart, [\d.]+ on average \(12 frames of each\); added to a\.trace/,
    );
    expect(measured.stderr).toMatch(/its measured tolerance is a difference of at most 3 of 255/);
    expect(dreamloop(["inspect", "a.trace"], folder).stdout).toMatch(/tolerance +at most 3 of 255/);
    expect([plain.status, measured.status]).toEqual([3, 3]);
  });

  test("the PyTorch example says what to install when PyTorch is missing", () => {
    // What lies in such a folder is no file of the author's.
    const hidden = join(folder, "site-packages");
    mkdirSync(hidden);
    writeFileSync(join(hidden, "torch.py"), `raise ModuleNotFoundError("No module named 'torch'", name="torch")\n`);
    const world = join(ROOT, "examples/python-torch/world.py");
    for (const command of [
      ["run", "--frames", "1", "--out", "null:"],
      ["play", "--no-open", "--port", "0", "--preload", world],
    ]) {
      const [name = "", ...rest] = command;
      const { status, stderr } = dreamloop([name, world, "--python", PYTHON, ...rest], folder, { PYTHONPATH: hidden });
      expect(stderr).toMatch(
        /world\.py:7: ModuleNotFoundError: No module named 'torch'; install it with \S+ -m pip install torch/,
      );
      expect(status).not.toBe(0);
    }
  });
});

/** An interpreter that can build a package without a network; absent where none here has setuptools and wheel. */
const BUILDER = [PYTHON, "/usr/bin/python3"].find(
  (python) => python !== "" && spawnSync(python, ["-c", "import setuptools, wheel, pip, numpy"]).status === 0,
);

describe.skipIf(BUILDER === undefined)(
  `the Python package${BUILDER === undefined ? " (no interpreter here has setuptools, wheel and pip)" : ""}`,
  () => {
    test("N1: builds without a network, installs, is typed, and gives editors what worlds import", () => {
      const python = BUILDER ?? "";
      const [source, built, target] = [join(folder, "source"), join(folder, "built"), join(folder, "target")];
      cpSync(join(ROOT, "python"), source, {
        recursive: true,
        filter: (path) => !/__pycache__|egg-info|[\\/]build$/.test(path),
      });
      const pip = (...args: readonly string[]) =>
        spawnSync(python, ["-m", "pip", "--disable-pip-version-check", "-q", ...args], {
          encoding: "utf8",
          cwd: folder,
        });
      const wheel = pip("wheel", source, "--no-deps", "--no-build-isolation", "--no-index", "-w", built);
      expect(wheel).toMatchObject({ status: 0 });
      const [name = ""] = readdirSync(built);
      expect(name).toMatch(/^dreamloop-[\d.]+-py3-none-any\.whl$/);
      expect(pip("install", "--no-deps", "--no-index", "--target", target, join(built, name))).toMatchObject({
        status: 0,
      });
      expect(readFileSync(join(target, "dreamloop/py.typed"), "utf8")).toBe("");
      const program =
        "import dreamloop; print(dreamloop.__file__, issubclass(dreamloop.World, object), dreamloop.Video(8, 8, 10).fps)";
      const { stdout } = spawnSync(python, ["-c", program], {
        encoding: "utf8",
        cwd: folder,
        env: { PYTHONPATH: target },
      });
      expect(stdout).toMatch(/target\/dreamloop\/__init__\.py True 10\.0/);
    });
  },
);
