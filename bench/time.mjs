// What going back in time costs: for the probe, the drive world and a world with a cache of 64 MB, the time to take, pack, write, open and restore a
// snapshot and its sizes; what two snapshots share; seeks to moments of the last minute with the default history; and the time of a step with a
// history beside one without, interleaved. `--steps N` (default 1200) for the runs, `--worlds a,b`, and `--json FILE` keeps the raw figures.
import { writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { defineWorld, encodeMoment, openMoment, runBatch } from "@dreamloop/core";
import { SessionHistory, summarize } from "@dreamloop/core/internal";
import { momentTools, ProcessClock, sha256FrameHasher } from "@dreamloop/node";
import { loadBundle } from "@dreamloop/onnx/node";
import { driveDomain } from "@dreamloop/worlds/drive";
import { probeWorld } from "@dreamloop/worlds/probe";

const { values } = parseArgs({
  options: {
    steps: { type: "string", default: "1200" },
    worlds: { type: "string", default: "probe,drive,cache" },
    json: { type: "string" },
  },
});
// Fewer would leave no step outside of what is measured at the end of a run.
const steps = Math.max(60, Number(values.steps));
const clock = new ProcessClock();
const SEEKS = 20;
const ROUNDS = 3;
const ENTRY_FLOATS = 65_536;
const ENTRIES = 256;
/** The world that is measured, its configuration and its steps a second. */
let current;
let runConfig;
let rate = 1;

/** A world whose state is a rolling cache of 64 MB: one entry of 256 KiB is new with every step. */
const cacheWorld = defineWorld({
  id: "cache",
  video: { width: 64, height: 36, framesPerSecond: 20 },
  start: () => ({ cache: new Float32Array(ENTRY_FLOATS * ENTRIES), next: 0 }),
  step: ({ state }) => {
    const cache = state.cache.slice();
    const at = (state.next % ENTRIES) * ENTRY_FLOATS;
    for (let index = 0; index < ENTRY_FLOATS; index += 1)
      cache[at + index] = ((index + 1) * (state.next + 7919) * 2_654_435) % 65_521;
    const frames = new Uint8Array(64 * 36 * 3).fill(cache[at] ?? 0);
    return { frames, state: { cache, next: state.next + 1 } };
  },
});

const WORLDS = {
  probe: async () => probeWorld,
  drive: () =>
    loadBundle(new URL("../worlds/drive", import.meta.url).pathname, { domains: { [driveDomain.id]: driveDomain } }),
  cache: async () => cacheWorld,
};

const result = {
  machine: { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version, load: loadavg() },
  steps,
  worlds: {},
};
for (const name of values.worlds.split(",")) {
  const adapter = await WORLDS[name]();
  const figures = await measure(adapter);
  result.worlds[name] = figures;
  const { take, write, open, sizes, seek, step } = figures;
  const ms = (summary) => `${(summary.p50 * 1000).toFixed(2)} ms (p99 ${(summary.p99 * 1000).toFixed(2)})`;
  console.log(`${name}: snapshot ${ms(take)}, moment written ${ms(write)}, opened ${ms(open)}`);
  console.log(
    `  state ${sizes.stateBytes} bytes, moment ${sizes.fileBytes} bytes, of the next step's chunks ${(sizes.sharedShare * 100).toFixed(0)} % shared`,
  );
  console.log(`  seek ${ms(seek)}, longest ${(seek.max * 1000).toFixed(0)} ms`);
  console.log(
    `  step ${ms(step.without)} without, ${ms(step.with)} with a history: mean ${((step.meanShare - 1) * 100).toFixed(1)} % more`,
  );
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(result)}\n`);

async function measure(adapter) {
  const turns = { without: [], with: [] };
  let last;
  const sums = { without: 0, with: 0 };
  // Interleaved, so that what else the machine does falls on both.
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const which of ["without", "with"]) {
      last = await run(adapter, which === "with", Math.ceil(steps / ROUNDS), (seconds) => {
        turns[which].push(seconds);
        sums[which] += seconds;
      });
    }
  }
  return {
    ...last,
    step: { without: summarize(turns.without), with: summarize(turns.with), meanShare: sums.with / sums.without },
  };
}

/** Restores moments all over the last minute, each with what leads to it, into a session of its own. */
async function seekAll(history, { position }, times) {
  const { endStepIndex, keptFromStepIndex } = history.facts.generations.at(-1);
  const first = Math.max(keptFromStepIndex, endStepIndex - Math.round(60 * rate));
  const runtime = await current.createRuntime(runConfig, {});
  for (let index = 0; index < SEEKS; index += 1) {
    const stepIndex = Math.round(first + ((endStepIndex - first) * index) / SEEKS);
    const mark = clock.nowSeconds();
    const state = await history.stateAt({ generation: position.generation, stepIndex });
    await runBatch({ adapter: current, runtime, clock, checkFrames: false, stepLimit: 0, from: { state } });
    times.push(clock.nowSeconds() - mark);
  }
  await runtime.close();
}

/** One run; with a history, its snapshots and seeks are measured at its end. */
async function run(adapter, withHistory, stepLimit, onTurn) {
  const history = new SessionHistory({ hasher: sha256FrameHasher, clock });
  current = adapter;
  const figures = { take: [], write: [], open: [], seek: [] };
  let sizes;
  let previous;
  let before;
  let count = 0;
  const watched = {
    ...forward(history),
    add: async (entry, boundary, frameCount) => {
      await history.add(entry, boundary, frameCount);
      count += 1;
      if (count < stepLimit - 5) return;
      let mark = clock.nowSeconds();
      const state = await boundary.takeState();
      figures.take.push(clock.nowSeconds() - mark);
      mark = clock.nowSeconds();
      const file = await encodeMoment({ state, binding }, momentTools);
      figures.write.push(clock.nowSeconds() - mark);
      mark = clock.nowSeconds();
      const moment = await openMoment(file, momentTools);
      await moment.state();
      figures.open.push(clock.nowSeconds() - mark);
      const chunks = new Set(addresses(file));
      const shared = [...chunks].filter((address) => previous?.has(address) === true).length;
      sizes = {
        stateBytes: moment.sizes.stateBytes,
        fileBytes: file.byteLength,
        sharedShare: shared / Math.max(1, chunks.size),
      };
      previous = chunks;
      if (count === stepLimit) await seekAll(history, boundary, figures.seek);
    },
  };
  let binding;
  await runBatch({
    adapter,
    clock,
    checkFrames: false,
    stepLimit,
    ...(withHistory ? { history: watched } : {}),
    observers: [
      {
        runStarted: ({ config, description, versions, runtimeFacts }) => {
          rate = description.framesPerSecond / description.framesPerStep;
          runConfig = config;
          binding = { modelId: config.modelId, description, config, versions, runtimeFacts };
        },
      },
    ],
    onStep: ({ stepCount }) => {
      const now = clock.nowSeconds();
      // What is measured at the end is no part of the step.
      if (before !== undefined && stepCount < stepLimit - 6) onTurn(now - before);
      before = now;
    },
  });
  if (!withHistory) return undefined;
  return {
    take: summarize(figures.take),
    write: summarize(figures.write),
    open: summarize(figures.open),
    seek: summarize(figures.seek),
    sizes,
  };
}

/** A history's methods as an object of their own, so that one of them can be watched. */
function forward(history) {
  return {
    begin: (start) => history.begin(start),
    add: (...given) => history.add(...given),
    rewound: (...given) => history.rewound(...given),
    has: (target) => history.has(target),
    stateAt: (target) => history.stateAt(target),
    close: () => history.close(),
  };
}

/** Addresses of the chunks of a moment file, from its header. */
function addresses(file) {
  const headerBytes = new DataView(file.buffer, file.byteOffset).getUint32(12, true);
  return JSON.parse(new TextDecoder().decode(file.subarray(48, 48 + headerBytes))).chunks.map(({ address }) => address);
}
