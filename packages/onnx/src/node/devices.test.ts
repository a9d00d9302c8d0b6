import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inferenceConfig } from "@dreamloop/core";
import { checkConfigSupport } from "@dreamloop/core/internal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toyFlowWorld } from "../testing/index.ts";
import { DeviceLock } from "./device-lock.ts";
import { probeDevices } from "./device-probe.ts";
import { loadBundle, nodeEngine, sha256Hex, writeContents } from "./index.ts";
import { offeredDevices, providersOf, whyDeviceIsMissing } from "./node-devices.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dreamloop-devices-"));
  await writeContents(folder, toyFlowWorld(sha256Hex));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Vulkan drivers that need no graphics card; the first is that of Chromium. */
const SOFTWARE_DRIVERS = [
  "/usr/lib/chromium/vk_swiftshader_icd.json",
  "/usr/lib/chromium-browser/vk_swiftshader_icd.json",
];
const driver = SOFTWARE_DRIVERS.find((file) => existsSync(file));
const hasWebgpu = offeredDevices(process.platform, process.arch).includes("webgpu") && process.platform === "linux";
const why = !hasWebgpu
  ? " (ONNX Runtime offers no webgpu on this system)"
  : driver === undefined
    ? " (no software Vulkan driver here: install chromium)"
    : "";

/** Runs the world for some steps on a device, in a process of its own: native drivers write to the error output, and may end the process. */
const PROGRAM = `
const { loadBundle } = await import(${JSON.stringify(createRequire(import.meta.url).resolve("@dreamloop/onnx/node"))});
const { inferenceConfig, modelInputs } = await import(${JSON.stringify(createRequire(import.meta.url).resolve("@dreamloop/core"))});
const [folder, device] = process.argv.slice(1);
const adapter = await loadBundle(folder);
try {
  const runtime = await adapter.createRuntime(inferenceConfig({ modelId: adapter.modelId, device }), {});
  const session = await runtime.startSession(modelInputs(), { seed: 4 });
  const frames = [];
  for (let step = 0; step < 6; step += 1) {
    const { output } = await session.step(modelInputs({ step: { controls: [step / 6, 0.5] } }), {});
    frames.push(...output.data);
    await session.finalizeStep?.({});
  }
  console.log(JSON.stringify({ frames, facts: runtime.facts(), deterministic: runtime.describe().deterministic }));
} catch (error) {
  console.log(JSON.stringify({ code: error.code, message: error.message }));
}
process.exit(0);
`;

interface Ran {
  readonly frames?: readonly number[];
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly deterministic?: boolean;
  readonly code?: string;
  readonly message?: string;
}

function runOn(device: string, vulkanDriver: string): Ran {
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", PROGRAM, folder, device], {
    encoding: "utf8",
    env: { ...process.env, VK_ICD_FILENAMES: vulkanDriver, VK_DRIVER_FILES: vulkanDriver },
  });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "{}") as Ran;
}

describe("N17: devices of worlds in ONNX", () => {
  test("are what ONNX Runtime offers on the system, and others are refused before anything loads", async () => {
    expect(offeredDevices("linux", "x64")).toEqual(["cpu", "webgpu", "cuda"]);
    expect(offeredDevices("win32", "arm64")).toEqual(["cpu", "webgpu", "dml"]);
    expect(offeredDevices("darwin", "arm64")).toEqual(["cpu", "webgpu", "coreml"]);
    expect(offeredDevices("linux", "riscv64")).toEqual(["cpu"]);
    expect(providersOf("cuda:2")).toEqual([{ name: "cuda", deviceId: 2 }, "cpu"]);
    const adapter = await loadBundle(folder);
    const config = (device: string) => inferenceConfig({ modelId: adapter.modelId, device });
    expect(() => checkConfigSupport(adapter, config("tpu"))).toThrow(/"tpu" is not supported.*supported: cpu/);
    for (const device of nodeEngine().devices) expect(() => checkConfigSupport(adapter, config(device))).not.toThrow();
    expect(adapter.describe?.(config("cpu")).deterministic).toBe(true);
  });

  test("a device whose driver or libraries are missing is refused with the reason and what to do", () => {
    expect(whyDeviceIsMissing("cpu", "Failed to get a WebGPU adapter")).toBeUndefined();
    expect(whyDeviceIsMissing("webgpu", "Failed to get a WebGPU adapter: No supported adapters")).toMatch(
      /needs Vulkan/,
    );
    expect(whyDeviceIsMissing("cuda:1", "Append_Cuda: Failed to load shared library")).toMatch(
      /libraries or the driver of cuda/,
    );
    expect(whyDeviceIsMissing("coreml", "no available backend found. ERR: [coreml] backend not found.")).toMatch(
      /this build/,
    );
    expect(whyDeviceIsMissing("webgpu", "the graph is wrong")).toBeUndefined();
  });

  test.skipIf(!hasWebgpu)("webgpu without a driver ends in one plain error", () => {
    expect(runOn("webgpu", "/nonexistent.json")).toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/^device webgpu: no graphics driver here suffices.*Use device=cpu/) as string,
    });
  });

  test.skipIf(why !== "")(
    `webgpu on a software driver shows the frames of the processor within 1 in 10000${why}`,
    () => {
      const [cpu, gpu] = [runOn("cpu", ""), runOn("webgpu", driver ?? "")];
      expect(gpu.message).toBeUndefined();
      expect(gpu).toMatchObject({ deterministic: false, facts: { providers: ["webgpu", "cpu"], device: "webgpu" } });
      expect(cpu).toMatchObject({ deterministic: true, facts: { providers: ["cpu"] } });
      const differences = (cpu.frames ?? []).map((value, index) => Math.abs(value - (gpu.frames?.[index] ?? NaN)));
      expect(differences.length).toBeGreaterThan(500);
      expect(Math.max(...differences)).toBeLessThan(1e-4);
      expect(new Set(gpu.frames).size).toBeGreaterThan(100);
    },
  );

  test("threads of a process take turns at a device that supports one at a time, and waiting for a lock that never comes free ends with an error", async () => {
    const memory = new SharedArrayBuffer(4);
    const [one, other] = [new DeviceLock("webgpu", memory), new DeviceLock("webgpu", memory)];
    const order: string[] = [];
    let finish: () => void = () => undefined;
    const first = one.hold(async () => {
      order.push("first begins");
      await new Promise<void>((resolve) => (finish = resolve));
      order.push("first ends");
    });
    const second = other.hold(() => void order.push("second"));
    await expect(other.hold(() => undefined, 0.02)).rejects.toMatchObject({ code: "timed_out" });
    finish();
    await Promise.all([first, second]);
    expect(order).toEqual(["first begins", "first ends", "second"]);
    await expect(one.hold(() => Promise.reject(new Error("lost")))).rejects.toThrow("lost");
    await other.hold(() => order.push("third"));
    expect(order.at(-1)).toBe("third");
  });

  test("each device that is offered is tried in a process of its own, and the processor is there", async () => {
    const devices = await probeDevices();
    expect(devices.map(({ device }) => device)).toEqual(nodeEngine().devices);
    expect(devices[0]).toEqual({ device: "cpu", isThere: true });
    for (const { isThere, reason } of devices) expect(reason === undefined).toBe(isThere);
  });
});
