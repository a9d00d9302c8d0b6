import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { toyFlowWorld, toyStepWorld, type BundleContents } from "@dreamloop/onnx/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { dreamloop } from "../fixtures/command-process.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dreamloop-bundles-"));
  writeBundle("step", toyStepWorld(sha256));
  writeBundle("flow", toyFlowWorld(sha256));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function writeBundle(name: string, contents: BundleContents): void {
  for (const [path, bytes] of Object.entries(contents)) {
    const full = join(folder, name, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, bytes);
  }
}

function manifest(name: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(join(folder, name, "world.json"), "utf8")) as Readonly<Record<string, unknown>>;
}

describe("a bundle", () => {
  test.each(["step", "flow"])("H1: %s is checked in three phases, runs and replays", (name) => {
    const check = dreamloop(["check", `./${name}`, "--run"], folder);
    expect(check.stderr).toBe("");
    expect(check.stdout).toContain("ok    manifest, paths, sizes, graph inputs and outputs\n");
    expect(check.stdout).toContain("ok    the hash of every file\n");
    expect(check.stdout).toContain("ok    every graph loads, and a step runs\n");
    expect(check.stdout).toContain("ok    G3: the same inputs and seed give the same frames\n");
    expect(check.stdout).toMatch(new RegExp(`\\./${name} is sound\n$`));
    expect(check.status).toBe(0);
    // The folder's name is enough where no world or package is called so.
    const run = dreamloop(["run", name, "--frames", "9", "--out", "a.y4m", "--record", "a.trace"], folder);
    expect(run.stderr).toBe("");
    expect(run.stdout).toMatch(/^9 frames, /);
    const { id } = manifest(name);
    const lost = dreamloop(["replay", "a.trace"], folder);
    expect(lost.stderr).toContain(`the trace is of the world ${JSON.stringify(id)}`);
    expect(lost.status).toBe(5);
    expect(dreamloop(["replay", "a.trace", "--world", name], folder).stdout).toMatch(/^equal: \d+ steps, \d+ frames/);
  });

  test("N12: in a pool of workers shows the frames that it shows alone, and each goes on from a moment of the other", () => {
    const alone = ["run", "flow", "--frames", "9", "--out", "null:", "--snapshot-every", "5"];
    const pooled = [...alone, "--set", "resourceHints.workers=2"];
    const hashesIn = (name: string): readonly string[] =>
      readFileSync(join(folder, name), "utf8").match(/"frameHashes":\[[^\]]*\]/g) ?? [];
    for (const [args, name] of [
      [alone, "alone.trace"],
      [pooled, "pooled.trace"],
    ] as const) {
      expect(dreamloop([...args, "--record", name], folder)).toMatchObject({ status: 0, stderr: "" });
    }
    expect(hashesIn("pooled.trace").length).toBeGreaterThan(3);
    expect(hashesIn("pooled.trace")).toEqual(hashesIn("alone.trace"));
    expect(dreamloop(["replay", "pooled.trace", "--world", "flow"], folder).stdout).toMatch(/^equal/);
    const moments = readdirSync(folder).filter((name) => name.endsWith(".dream"));
    const [ofAlone = "", ofPooled = ""] = ["alone", "pooled"].map((name) =>
      moments.find((each) => each.startsWith(name)),
    );
    const rest = (moment: string, ...more: readonly string[]) =>
      dreamloop(
        [
          "run",
          "flow",
          "--from",
          moment,
          "--frames",
          "4",
          "--out",
          "null:",
          "--record",
          "rest.trace",
          "--force",
          ...more,
        ],
        folder,
      );
    expect(rest(ofPooled, "--set", "backend=local", "--set", "resourceHints={}")).toMatchObject({ status: 0 });
    const continued = hashesIn("rest.trace");
    expect(rest(ofAlone, "--set", "backend=local-distributed", "--set", "resourceHints.workers=2")).toMatchObject({
      status: 0,
    });
    expect(hashesIn("rest.trace")).toEqual(continued);
  });

  test("N17: check and worlds say what bundles can run on here", () => {
    const { devices } = JSON.parse(dreamloop(["check", "step", "--json"], folder).stdout) as {
      readonly devices: readonly object[];
    };
    expect(devices[0]).toEqual({ device: "cpu", isThere: true });
    const list = dreamloop(["worlds", "--devices"], folder).stdout;
    expect(list).toMatch(/^device cpu: is here$/m);
    expect(list.match(/^device /gm)).toHaveLength(devices.length);
  });

  // The software driver of Chromium; without it there is no webgpu to try.
  const driver = "/usr/lib/chromium/vk_swiftshader_icd.json";
  const isMissing = process.platform !== "linux" || process.arch !== "x64" || !existsSync(driver);

  test.skipIf(isMissing)(
    `N17: three threads on webgpu do not end the process${isMissing ? " (no software driver here)" : ""}`,
    () => {
      const args = [
        "run",
        "flow",
        "--frames",
        "9",
        "--out",
        "null:",
        "--set",
        "device=webgpu",
        "--set",
        "resourceHints.workers=3",
      ];
      const run = dreamloop(args, folder, { VK_ICD_FILENAMES: driver, VK_DRIVER_FILES: driver });
      expect(run.stdout).toMatch(/^9 frames/);
      expect(run.status).toBe(0);
    },
  );

  test("is named by a package, listed with size and rate, and found by its id", () => {
    const place = join(folder, "node_modules/toys");
    mkdirSync(place, { recursive: true });
    const { id, video } = manifest("step");
    writeBundle("node_modules/toys/step", toyStepWorld(sha256));
    const worlds = [{ id, title: "A toy", bundle: "./step" }];
    writeFileSync(join(place, "package.json"), JSON.stringify({ name: "toys", dreamloop: { worlds } }));
    const list = JSON.parse(dreamloop(["worlds", "--json"], folder).stdout) as { readonly worlds: readonly object[] };
    const { width, height, framesPerSecond } = video as Readonly<Record<string, number>>;
    expect(list.worlds).toContainEqual(
      expect.objectContaining({ id, title: "A toy", kind: "bundle", package: "toys", width, height, framesPerSecond }),
    );
    const run = dreamloop(["run", id as string, "--frames", "4", "--out", "null:", "--record", "a.trace"], folder);
    expect(run.status).toBe(0);
    expect(dreamloop(["replay", "a.trace"], folder).stdout).toMatch(/^equal/);
  });

  test("H1: that is damaged is refused with file, expected, found and mend", () => {
    const path = join(folder, "flow", "world.json");
    const whole = readFileSync(path, "utf8");
    writeFileSync(path, whole.replace('"licence"', '"license"'));
    const manifestFault = dreamloop(["check", "flow", "--json"], folder);
    expect(manifestFault.status).toBe(1);
    expect(JSON.parse(manifestFault.stdout)).toMatchObject({
      ...{ type: "check", version: 1, world: "flow", origin: "bundle", ok: false },
      faults: expect.arrayContaining([
        expect.objectContaining({ code: "unknown_key", file: "world.json", mend: expect.any(String) as string }),
      ]) as unknown,
      checks: [{ outcome: "failed" }, { outcome: "skipped" }],
    });
    const run = dreamloop(["run", "flow", "--frames", "1"], folder);
    expect(run.status).toBe(1);
    expect(run.stderr).toMatch(/^error: world bundle .* has \d+ faults?:/);

    writeFileSync(path, whole);
    const [data = ""] = Object.keys(manifest("flow").files as object).filter((file) => file.endsWith(".bin"));
    const bytes = readFileSync(join(folder, "flow", data));
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    writeFileSync(join(folder, "flow", data), bytes);
    const hashFault = dreamloop(["check", "flow", "--run"], folder);
    expect(hashFault.status).toBe(1);
    expect(hashFault.stdout).toContain("FAIL  the hash of every file\n      1 fault\n");
    expect(hashFault.stdout).toMatch(new RegExp(`${data}: .*: expected [0-9a-f]{64}, found [0-9a-f]{64}`));
    expect(hashFault.stdout).toContain("skip  every graph loads, and a step runs\n");
  });

  test("M7: is data: code in its folder is never run, and a pickle is no graph", () => {
    const marker = join(folder, "ran");
    const code = `require("node:fs").writeFileSync(${JSON.stringify(marker)}, "")`;
    // A pickle that creates the marker when it is loaded.
    const pickle = `cposix\nsystem\n(S'touch ${marker}'\ntR.`;
    const traps: Readonly<Record<string, string>> = {
      "index.js": code,
      "index.cjs": code,
      "package.json": JSON.stringify({
        main: "index.cjs",
        dreamloop: { worlds: [{ id: "trap", module: "./index.cjs" }] },
      }),
      "world.js": code,
      "world.pkl": pickle,
    };
    const path = join(folder, "step", "world.json");
    const sound = JSON.parse(readFileSync(path, "utf8")) as { files: object; graphs: Record<string, { file: string }> };
    const entries = Object.entries(traps).map(([name, text]) => {
      const bytes = Buffer.from(text);
      writeFileSync(join(folder, "step", name), bytes);
      return [name, { bytes: bytes.length, sha256: sha256(bytes) }] as const;
    });
    const files = { ...sound.files, ...Object.fromEntries(entries) };
    writeFileSync(path, JSON.stringify({ ...sound, files }));
    const check = dreamloop(["check", "./step", "--run"], folder);
    expect(check.stdout).toMatch(/is sound\n$/);
    expect(dreamloop(["run", "./step", "--frames", "2", "--out", "null:"], folder).status).toBe(0);
    expect(existsSync(marker)).toBe(false);

    const graphs = Object.entries(sound.graphs).map(
      ([name, graph]) => [name, { ...graph, file: "world.pkl" }] as const,
    );
    writeFileSync(path, JSON.stringify({ ...sound, files, graphs: Object.fromEntries(graphs) }));
    const refused = dreamloop(["run", "./step", "--frames", "2"], folder);
    expect(refused.stderr).toContain("world.pkl");
    expect(refused.stderr).toContain("(graph_unreadable)");
    expect(refused.status).toBe(1);
    expect(existsSync(marker)).toBe(false);
    // The traps are sound: run by hand, they spring.
    execFileSync(process.execPath, [join(folder, "step", "index.cjs")]);
    expect(existsSync(marker)).toBe(true);
  });

  test("says what it is", () => {
    const { stdout, status } = dreamloop(["inspect", "flow"], folder);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^flow: bundle\n {2}world +/);
    expect(stdout).toContain("none in manifest and graphs");
  });
});
