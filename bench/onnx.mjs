import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { inferenceConfig, modelInputs } from "@dreamloop/core";
import { bundleAdapter, openBundle } from "@dreamloop/onnx";
import { contentFiles, nodeEngine, sha256Hex } from "@dreamloop/onnx/node";
import { toyFlowWorld } from "@dreamloop/onnx/testing";
import { midWorld } from "./onnx/mid-world.mjs";

/**
 * How much of a step is the engine's own work, and how a rollout's speed changes with its length:
 * `node bench/onnx.mjs [--steps 300] [--threads 2]`. Build the packages first. The worlds take turns, so that other load on
 * the machine meets all of them.
 */
const { values } = parseArgs({
  options: {
    steps: { type: "string", default: "300" },
    rounds: { type: "string", default: "3" },
    threads: { type: "string", default: "2" },
    out: { type: "string", default: "out/bench/onnx.json" },
  },
});
const steps = Number(values.steps);
const rounds = Number(values.rounds);
const threads = Number(values.threads);

const worlds = { tiny: toyFlowWorld(sha256Hex), mid: midWorld(sha256Hex) };

/** Milliseconds spent within the engine's run calls. */
let engineMs = 0;

/** The Node engine with its run calls timed. */
function timedEngine() {
  const engine = nodeEngine();
  return {
    name: engine.name,
    devices: engine.devices,
    defaultThreads: engine.defaultThreads,
    openGraphs: 0,
    facts: () => engine.facts(),
    /** @type {(typeof engine)["createGraph"]} */
    createGraph: async (source, options) => {
      const graph = await engine.createGraph(source, options);
      return {
        inputs: graph.inputs,
        outputs: graph.outputs,
        close: () => graph.close(),
        run: async (feeds, names) => {
          const start = performance.now();
          const results = await graph.run(feeds, names);
          engineMs += performance.now() - start;
          return results;
        },
      };
    },
  };
}

/** @param {keyof typeof worlds} name */
async function load(name) {
  const { bundle, faults } = await openBundle(contentFiles(worlds[name], name));
  if (bundle === undefined) throw new Error(JSON.stringify(faults));
  const adapter = bundleAdapter({ bundle, engine: timedEngine() });
  const start = performance.now();
  const runtime = await adapter.createRuntime(inferenceConfig({ modelId: adapter.modelId, model: { threads } }), {});
  const loadMs = performance.now() - start;
  const session = await runtime.startSession(modelInputs(), { seed: 1 });
  return {
    name,
    runtime,
    session,
    loadMs,
    samples: /** @type {{ stepMs: number, finalizeMs: number, engineMs: number }[]} */ ([]),
  };
}

const loaded = [await load("tiny"), await load("mid")];
for (let round = 0; round < rounds; round += 1) {
  for (const { session, samples } of loaded) {
    for (let index = 0; index < steps; index += 1) {
      engineMs = 0;
      const start = performance.now();
      await session.step(modelInputs(), {});
      const stepped = performance.now();
      await session.finalizeStep?.({});
      const end = performance.now();
      samples.push({ stepMs: stepped - start, finalizeMs: end - stepped, engineMs });
    }
  }
}

/** @param {readonly number[]} numbers @param {number} share */
function percentile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}

const machine = {
  processor: cpus()[0]?.model,
  cores: cpus().length,
  memoryBytes: totalmem(),
  load: loadavg(),
  node: process.version,
  threads,
};
const rows = loaded.map(({ name, loadMs, samples }) => {
  const warm = samples.slice(20);
  const whole = warm.map(({ stepMs, finalizeMs }) => stepMs + finalizeMs);
  const sum = whole.reduce((total, each) => total + each, 0);
  const inside = warm.reduce((total, each) => total + each.engineMs, 0);
  const early = percentile(whole.slice(0, 80), 0.5);
  const late = percentile(whole.slice(-80), 0.5);
  return {
    world: name,
    "load ms": loadMs,
    "step p50 ms": percentile(
      warm.map(({ stepMs }) => stepMs),
      0.5,
    ),
    "step p95 ms": percentile(
      warm.map(({ stepMs }) => stepMs),
      0.95,
    ),
    "finalize p50 ms": percentile(
      warm.map(({ finalizeMs }) => finalizeMs),
      0.5,
    ),
    "whole p50 ms": percentile(whole, 0.5),
    "whole p99 ms": percentile(whole, 0.99),
    "engine share %": (100 * inside) / sum,
    "overhead ms": (sum - inside) / warm.length,
    "late / early": late / early,
  };
});
console.log(`${machine.processor}, ${machine.cores} cores, load ${machine.load[0]?.toFixed(2)}, Node ${machine.node}`);
console.table(
  rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([key, value]) => [key, typeof value === "number" ? Number(value.toFixed(3)) : value]),
    ),
  ),
);
mkdirSync(new URL(`../${values.out}`, import.meta.url).pathname.replace(/\/[^/]+$/, ""), { recursive: true });
writeFileSync(
  new URL(`../${values.out}`, import.meta.url),
  JSON.stringify({ machine, rows, samples: Object.fromEntries(loaded.map(({ name, samples }) => [name, samples])) }),
);
for (const { runtime } of loaded) await runtime.close();
