/**
 * Writes the picture that lists of worlds show of the probe world, a frame of it: `npx tsx scripts/make-probe-poster.ts`. To be run
 * again when what the probe paints changes.
 */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { eventListSource, runBatch, type StepResult } from "@dreamloop/core";
import { FakeClock } from "@dreamloop/testing";
import { probeWorld } from "@dreamloop/worlds/probe";
import sharp from "sharp";

const SIZE = { width: 640, height: 360 };
const STEPS = 96;

const events = [
  { timestampSeconds: 0, eventType: "prompt_set", payload: { prompt: "hello" } },
  { timestampSeconds: 0.1, eventType: "key_down", payload: { code: "KeyW", key: "w" } },
  { timestampSeconds: 1.4, eventType: "key_down", payload: { code: "KeyA", key: "a" } },
  { timestampSeconds: 2.2, eventType: "key_up", payload: { code: "KeyA", key: "a" } },
  { timestampSeconds: 2.4, eventType: "key_down", payload: { code: "KeyD", key: "d" } },
];

let last: StepResult | undefined;
await runBatch({
  adapter: probeWorld,
  config: { modelId: probeWorld.modelId, runtimeOptions: { ...SIZE, framesPerSecond: 30, framesPerStep: 1 } },
  clock: new FakeClock(),
  source: eventListSource({ events }),
  outputs: [{ open: () => undefined, write: (result) => void (last = result), close: () => [] }],
  stepLimit: STEPS,
  seed: 7,
});
if (last?.output === undefined) throw new Error("the probe gave no frame");
const folder = new URL("../packages/dreamloop/assets/", import.meta.url);
mkdirSync(folder, { recursive: true });
await sharp(Buffer.from(last.output.data as Uint8Array), { raw: { ...SIZE, channels: 3 } })
  .webp({ quality: 88 })
  .toFile(fileURLToPath(new URL("probe.webp", folder)));
