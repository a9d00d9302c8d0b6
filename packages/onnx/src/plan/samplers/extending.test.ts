import { readFileSync } from "node:fs";
import { transform } from "esbuild";
import { expect, test } from "vitest";
import { bundleAdapter } from "../../adapter/bundle-adapter.ts";
import { checkBundleFiles } from "../../adapter/check-bundle.ts";
import { contentFiles, nodeEngine, sha256Hex } from "../../node/index.ts";
import { toyFlowWorld, type BundleContents } from "../../testing/index.ts";
import { openBundle } from "../open-bundle.ts";
import type { Sampler } from "./sampler.ts";
import { inferenceConfig } from "@dreamloop/core";

const page = readFileSync(new URL("../../../../../docs/extending/sampler.md", import.meta.url), "utf8");

/** The sampler of the page, read from it. */
async function samplerOfThePage(): Promise<Sampler> {
  const [, source = ""] = /<!-- example: sampler -->\s+```ts\n(.*?)\n```/s.exec(page) ?? [];
  const sampler = source.replace(/^import .*$/m, "").replace(/^const adapter = .*$/m, "");
  const { code } = await transform(sampler, { loader: "ts", format: "esm" });
  const loaded = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    readonly boundedFlow: Sampler;
  };
  return loaded.boundedFlow;
}

/** The toy world with the page's sampler in place of its own. */
function withSampler(settings: Record<string, unknown>): BundleContents {
  const contents = toyFlowWorld(sha256Hex);
  const text = new TextDecoder().decode(contents["world.json"]);
  const manifest = JSON.parse(text) as { pipeline: Record<string, Record<string, unknown>[]> };
  for (const items of Object.values(manifest.pipeline)) {
    for (const item of items) if (item.type === "sample") Object.assign(item, { sampler: "bounded_flow", settings });
  }
  return { ...contents, "world.json": new TextEncoder().encode(JSON.stringify(manifest)) };
}

test("the sampler of docs/extending/sampler.md is checked, refuses what its rules refuse, and runs", async () => {
  const boundedFlow = await samplerOfThePage();
  const samplers = { bounded_flow: boundedFlow };
  const files = contentFiles(withSampler({ bound: 2 }));
  const engine = nodeEngine();
  expect((await checkBundleFiles(files, { level: "run", engine, samplers })).faults).toEqual([]);
  const unknown = await checkBundleFiles(files, { level: "structure" });
  expect(unknown.faults[0]).toMatchObject({ code: "sampler", found: '"bounded_flow"' });
  const { faults } = await checkBundleFiles(contentFiles(withSampler({ bound: 0 })), { level: "structure", samplers });
  expect(faults[0]).toMatchObject({ code: "sampler", expected: "a number from 0.1 to 100", found: "0" });
  const { bundle } = await openBundle(files);
  if (bundle === undefined) throw new Error("no bundle");
  const adapter = bundleAdapter({ bundle, engine, samplers });
  const runtime = await adapter.createRuntime(inferenceConfig({ modelId: adapter.modelId }), {});
  expect(runtime.facts().samplers).toEqual({ bounded_flow: "1", flow_matching: "1" });
  await runtime.close();
});
