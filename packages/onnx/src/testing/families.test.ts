import {
  eventListSource,
  readTrace,
  replayTrace,
  runBatch,
  TraceEncoder,
  type ModelAdapter,
  type UserInputEventInput,
} from "@dreamloop/core";
import { FakeClock } from "@dreamloop/testing";
import { describe, expect, test } from "vitest";
import { bundleAdapter } from "../adapter/bundle-adapter.ts";
import { checkBundleFiles } from "../adapter/check-bundle.ts";
import type { BundleContents, Digest } from "../manifest/memory-files.ts";
import { contentFiles, nodeEngine, sha256Hex } from "../node/index.ts";
import { openBundle } from "../plan/open-bundle.ts";
import { toyDiffusionWorld, toyForcingWorld } from "./index.ts";

const engine = nodeEngine();
const frameHasher = { digest: (parts: readonly Uint8Array[]): string => sha256Hex(Buffer.concat(parts)) };
const HELD: readonly UserInputEventInput[] = [
  { timestampSeconds: 0.1, eventType: "key_down", payload: { code: "KeyW" } },
  { timestampSeconds: 0.15, eventType: "key_down", payload: { code: "KeyA" } },
];

async function adapterOf(contents: BundleContents): Promise<ModelAdapter> {
  const { bundle, faults } = await openBundle(contentFiles(contents));
  if (bundle === undefined) throw new Error(JSON.stringify(faults));
  return bundleAdapter({ bundle, engine });
}

async function record(adapter: ModelAdapter, events: readonly UserInputEventInput[]) {
  let text = "";
  const encoder = new TraceEncoder({ sink: { write: (more) => void (text += more) }, hasher: frameHasher });
  const source = eventListSource({ events });
  await runBatch({ adapter, source, clock: new FakeClock(), frameHasher, seed: 3, stepLimit: 8, observers: [encoder] });
  return readTrace([new TextEncoder().encode(text)]);
}

describe("worlds of published families, without a helper graph", () => {
  test.each<[string, (digest: Digest) => BundleContents]>([
    ["DIAMOND: EDM on pixels with a stack of past pictures", toyDiffusionWorld],
    ["Oasis: diffusion forcing with a level for each frame", toyForcingWorld],
  ])("G3, H1: %s passes the check, runs, listens, and replays equal", async (_, make) => {
    const contents = make(sha256Hex);
    const report = await checkBundleFiles(contentFiles(contents), { level: "run", engine });
    expect(report).toMatchObject({ level: "run", faults: [] });
    const adapter = await adapterOf(contents);
    const trace = await record(adapter, HELD);
    const replayed = await replayTrace({ trace, adapter, frameHasher, clock: new FakeClock() });
    expect(replayed).toMatchObject({ equal: true });
    const idle = await record(adapter, []);
    const hashes = ({ steps }: typeof trace): string => JSON.stringify(steps.map(({ frameHashes }) => frameHashes));
    expect(hashes(idle)).not.toBe(hashes(trace));
  });
});
