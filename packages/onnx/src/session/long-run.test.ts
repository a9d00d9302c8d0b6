import { inferenceConfig, modelInputs, type InferenceSession } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { bundleAdapter } from "../adapter/bundle-adapter.ts";
import { openBundle } from "../plan/open-bundle.ts";
import { contentFiles, nodeEngine, sha256Hex } from "../node/index.ts";
import { toyFlowWorld } from "../testing/index.ts";

interface Content {
  readonly states: Readonly<Record<string, { readonly content?: { readonly data: { readonly length: number } } }>>;
}

async function cacheElements(session: InferenceSession): Promise<number | undefined> {
  return ((await session.snapshot?.())?.data as Content).states.memory?.content?.data.length;
}

describe("long rollouts", () => {
  test("I1, I2: over 1,000 steps the native handles and the cache stay as they are, and every frame is finite", async () => {
    const engine = nodeEngine();
    const { bundle } = await openBundle(contentFiles(toyFlowWorld(sha256Hex)));
    if (bundle === undefined) throw new Error("no bundle");
    const adapter = bundleAdapter({ bundle, engine });
    const runtime = await adapter.createRuntime(
      inferenceConfig({ modelId: adapter.modelId, model: { threads: 1 } }),
      {},
    );
    const session = await runtime.startSession(modelInputs(), { seed: 1 });
    const handles = engine.openGraphs;
    const elements = await cacheElements(session);
    let finite = true;
    for (let index = 0; index < 1000; index += 1) {
      const { output } = await session.step(modelInputs(), {});
      finite &&= (output?.data as Float32Array).every(Number.isFinite);
      await session.finalizeStep?.({});
    }
    expect(finite).toBe(true);
    expect(engine.openGraphs).toBe(handles);
    expect(await cacheElements(session)).toBe(elements);
    await runtime.close();
    expect(engine.openGraphs).toBe(0);
  });
});
