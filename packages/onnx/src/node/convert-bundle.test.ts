import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inferenceConfig } from "@dreamloop/core";
import { checkConfigSupport } from "@dreamloop/core/internal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toyFlowWorld } from "../testing/index.ts";
import {
  checkBundle,
  convertBundle,
  loadBundle,
  nodeEngine,
  sha256Hex,
  writeContents,
  writeReference,
} from "./index.ts";

let root: string;
let whole: string;
let half: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "dreamloop-convert-"));
  whole = join(root, "whole");
  half = join(root, "half");
  await writeContents(whole, toyFlowWorld(sha256Hex));
  await writeReference(whole, { withEnvironment: true });
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe("N18: a bundle with weights in 16 bits", () => {
  test("is smaller, sound, shows nearly the same frames, says how far they are apart, and passes its reference frames", async () => {
    const converted = await convertBundle(whole, half);
    expect(converted.comparedFrames).toBe(2);
    expect(converted.largestDifference).toBeLessThanOrEqual(2);
    expect(converted.bytesAfter).toBeLessThan(converted.bytesBefore);
    expect((await stat(join(half, "decode.bin"))).size).toBeLessThan(
      (await stat(join(whole, "decode.bin"))).size * 0.6,
    );
    const manifest = JSON.parse(await readFile(join(half, "world.json"), "utf8")) as Record<string, unknown>;
    expect(manifest).toMatchObject({ weights: "fp16", referenceFrames: { count: 2 } });
    expect(manifest.referenceFrames).not.toHaveProperty("environment");
    const report = await checkBundle(half, { level: "run" });
    expect(report.faults).toEqual([]);
    expect(report.status?.referenceCheck).toMatchObject({ compared: "psnr" });
    const adapter = await loadBundle(half);
    const runtime = await adapter.createRuntime(inferenceConfig({ modelId: adapter.modelId }), {});
    expect(runtime.facts?.()).toMatchObject({ precision: "fp32", weights: "fp16" });
    await runtime.close();
    await expect(convertBundle(whole, half)).rejects.toMatchObject({ code: "output_failed" });
    await expect(convertBundle(half, join(root, "again"))).rejects.toThrow(/stored in 16 bits already/);
  });

  test("fp16 takes effect where the weights and the device allow it, and is refused with the reason elsewhere", async () => {
    const config = { precision: "fp16", modelId: "toy-flow" } as const;
    const [fromWhole, fromHalf] = [await loadBundle(whole), await loadBundle(half)];
    expect(() => checkConfigSupport(fromWhole, inferenceConfig(config))).toThrow(
      /stored in 32 bits; dreamloop convert/,
    );
    expect(() => checkConfigSupport(fromHalf, inferenceConfig(config))).toThrow(
      /cpu computes in fp32.*leave precision out/,
    );
    const other = nodeEngine().halfPrecisionDevices?.[0];
    if (other === undefined) return;
    expect(() => checkConfigSupport(fromHalf, inferenceConfig({ ...config, device: other }))).not.toThrow();
    expect(() => checkConfigSupport(fromWhole, inferenceConfig({ ...config, device: other }))).toThrow(
      /stored in 32 bits/,
    );
  });
});
