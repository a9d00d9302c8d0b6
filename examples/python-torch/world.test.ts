import { fileURLToPath } from "node:url";
import { eventListSource, runBatch, type ModelAdapter, type OutputTarget } from "@dreamloop/core";
import { loadBundle } from "@dreamloop/onnx/node";
import { FakeClock } from "@dreamloop/testing";
import { driveDomain } from "@dreamloop/worlds/drive";
import { expect, test } from "vitest";
import driveInTorch from "./world.mjs";

const python = process.env["DREAMLOOP_TORCH_PYTHON"];

/** The most that a colour value may differ, of 255, between PyTorch and ONNX Runtime. */
const TOLERANCE = 2;

/** The frames of a short drive as 8-bit values. */
async function drive(adapter: ModelAdapter): Promise<readonly (readonly number[])[]> {
  const frames: number[][] = [];
  const target: OutputTarget = {
    open: async () => undefined,
    write: async ({ output }) => {
      if (output === undefined) return;
      const { data, layout, width, height } = output;
      const pixels = width * height;
      const value = (index: number): number => {
        const stored = data[layout === "thwc" ? index : (index % 3) * pixels + Math.floor(index / 3)] ?? 0;
        return data instanceof Float32Array ? Math.floor(Math.min(1, Math.max(0, stored)) * 255 + 0.5) : stored;
      };
      frames.push(Array.from({ length: pixels * 3 }, (_, index) => value(index)));
    },
    close: async () => [],
  };
  const press = { timestampSeconds: 0, eventType: "key_down", payload: { code: "KeyW" } } as const;
  const source = eventListSource({ events: [press], endSeconds: 0.2 });
  await runBatch({ adapter, clock: new FakeClock(), source, outputs: [target], seed: 5 });
  return frames;
}

test.skipIf(python === undefined)(
  "N1: the drive world in PyTorch gives the frames of ONNX Runtime within 2 of 255",
  async () => {
    const folder = fileURLToPath(new URL("../../worlds/drive", import.meta.url));
    const onnx = await drive(await loadBundle(folder, { domains: { [driveDomain.id]: driveDomain } }));
    const torch = await drive(await driveInTorch(python));
    expect(torch).toHaveLength(4);
    const largest = torch.map((frame, index) =>
      frame.reduce((most, value, at) => Math.max(most, Math.abs(value - (onnx[index]?.[at] ?? -999))), 0),
    );
    expect(Math.max(...largest)).toBeLessThanOrEqual(TOLERANCE);
  },
  120_000,
);
