import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stepResult } from "@dreamloop/core";
import { afterEach, describe, expect, it } from "vitest";
import { fullDisk } from "../test-support/failing-file-system.ts";
import { described, writeMovingFrames, rgbResult } from "../test-support/results.ts";
import { temporaryFolders } from "../test-support/temporary-folder.ts";
import { BenchmarkOutputTarget } from "./benchmark-output-target.ts";
import { measurementEnvironment } from "./environment.ts";

const folder = temporaryFolders(afterEach);
const readLines = (path: string) =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((row) => row !== "")
    .map((row) => JSON.parse(row) as Record<string, unknown>);

describe("BenchmarkOutputTarget", () => {
  it("K4: writes machine, versions, configuration with its hash, and raw samples", async () => {
    const path = join(folder(), "bench");
    let seconds = 100;
    const config = { modelId: "probe", options: { width: 2 } };
    const target = new BenchmarkOutputTarget({ path, config, clock: { nowSeconds: () => seconds } });
    await target.open(described(2, 1));
    const metrics = [{ name: "step", value: 0.02, unit: "s", stepIndex: 0, category: "timing" as const }];
    seconds += 0.5;
    await target.write(stepResult({ ...rgbResult({ width: 2, height: 1 }, Uint8Array.of(1, 2, 3, 4, 5, 6)), metrics }));
    seconds += 1.5;
    await target.write(stepResult({ stepIndex: 1, generation: 2 }));
    const [artifact] = await target.close({ droppedFrames: 3 });
    expect(readdirSync(path)).toEqual(["manifest.json", "metrics.ndjson", "steps.ndjson"]);
    const manifest = JSON.parse(readFileSync(join(path, "manifest.json"), "utf8")) as Record<string, unknown>;
    expect(manifest).toMatchObject({
      format: "dreamloop-benchmark",
      version: 1,
      config,
      configHash: createHash("sha256").update(JSON.stringify(config)).digest("hex"),
      environment: measurementEnvironment(),
      session: { worldId: "test", width: 2, height: 1, framesPerSecond: 30 },
      frameCount: 1,
      droppedFrames: 3,
      durationSeconds: 2,
      receivedFramesPerSecond: 0.5,
    });
    const hash = createHash("sha256").update(Buffer.from("0200000001000000", "hex")).update("rgb8");
    const frameHashes = [hash.update(Uint8Array.of(1, 2, 3, 4, 5, 6)).digest("hex")];
    expect(readLines(join(path, "steps.ndjson"))).toEqual([
      { stepIndex: 0, generation: 0, frameCount: 1, arrivalSeconds: 0.5, frameHashes },
      { stepIndex: 1, generation: 2, frameCount: 0, arrivalSeconds: 2 },
    ]);
    expect(readLines(join(path, "metrics.ndjson"))).toMatchObject([{ ...metrics[0], generation: 0 }]);
    expect(artifact.metadata).toMatchObject({ frameCount: 1, durationSeconds: 2 });
  });

  it("names a processor and versions of this machine", () => {
    const environment = measurementEnvironment();
    expect(environment.versions.node).toBe(process.versions.node);
    expect(environment.logicalCores).toBeGreaterThan(0);
    expect(environment.memoryBytes).toBeGreaterThan(1e6);
  });

  it("leaves hashes out on request", async () => {
    const path = folder();
    await writeMovingFrames(new BenchmarkOutputTarget({ path, hashFrames: false }), { width: 2, height: 1, frames: 1 });
    expect(readLines(join(path, "steps.ndjson"))[0]).not.toHaveProperty("frameHashes");
  });

  it("replaces an earlier measurement and refuses a manifest of something else", async () => {
    const path = folder();
    const target = new BenchmarkOutputTarget({ path });
    for (const frames of [3, 1]) await writeMovingFrames(target, { width: 2, height: 1, frames });
    expect(readLines(join(path, "steps.ndjson"))).toHaveLength(1);
    writeFileSync(join(path, "manifest.json"), '{ "name": "an app" }');
    await expect(target.open(described(2, 1))).rejects.toThrow("is not the manifest of a measurement");
    expect(readdirSync(path)).toEqual(["manifest.json", "metrics.ndjson", "steps.ndjson"]);
  });

  it("leaves no manifest when the disk fills up", async () => {
    const path = folder();
    const target = new BenchmarkOutputTarget({ path, fileSystem: fullDisk(300) });
    const failed = writeMovingFrames(target, { width: 2, height: 1, frames: 20 });
    await expect(failed).rejects.toThrow(/steps\.ndjson \(ENOSPC\)/);
    await target.close();
    expect(existsSync(join(path, "manifest.json"))).toBe(false);
    expect(readdirSync(path)).toEqual([]);
  });

  it("refuses a configuration that is no plain JSON", () => {
    expect(() => new BenchmarkOutputTarget({ path: "x", config: { a: new Date() as unknown as string } })).toThrow(
      /BenchmarkOutputTarget\.config\.a/,
    );
  });
});
