// What the loop itself costs: the probe world with an instant step, 640×360, null output. Prints `p50 … µs  p99 … µs` per step beside the
// cost of one copy of the frame. The frame check and the hash are off in the first run and reported as stages of their own in the second.
// `--steps N` (default 100,000) and `--json FILE` keep the raw figures.
import { writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { InMemoryMetricsRecorder, NullOutputTarget, runBatch } from "@dreamloop/core";
import { Instruments, RunStatistics, summarize } from "@dreamloop/core/internal";
import { ProcessClock, sha256FrameHasher } from "@dreamloop/node";
import { probeWorld } from "@dreamloop/worlds/probe";

const { values } = parseArgs({ options: { steps: { type: "string", default: "100000" }, json: { type: "string" } } });
const steps = Number(values.steps);
const clock = new ProcessClock();
const config = { modelId: "probe", runtimeOptions: { width: 640, height: 360, instant: true } };
const microseconds = (seconds) => (seconds * 1e6).toFixed(1);

/** Runs the loop and gives the time of each turn, from step to step, and the memory along the way. */
async function measure(stepLimit, options = {}) {
  const turns = new Float64Array(stepLimit);
  const memory = [];
  let last = clock.nowSeconds();
  await runBatch({
    adapter: probeWorld,
    config,
    clock,
    outputs: [new NullOutputTarget()],
    checkFrames: false,
    stepLimit,
    onStep: ({ stepCount }) => {
      const now = clock.nowSeconds();
      turns[stepCount - 1] = now - last;
      if (stepCount % 10_000 === 0) {
        globalThis.gc?.();
        memory.push({ stepCount, heapBytes: process.memoryUsage().heapUsed, rssBytes: process.memoryUsage().rss });
      }
      last = clock.nowSeconds();
    },
    ...options,
  });
  return { turns: [...turns], memory };
}

/** One copy of the frame, for scale. */
function copyCost() {
  const from = new Uint8Array(640 * 360 * 3);
  const to = new Uint8Array(from.length);
  const times = [];
  for (let index = 0; index < 2000; index += 1) {
    const start = clock.nowSeconds();
    to.set(from);
    times.push(clock.nowSeconds() - start);
  }
  return summarize(times.slice(200));
}

/** What instruments cost with nothing attached, beside a plain call. */
function instrumentsCost() {
  const work = (value) => value + 1;
  const wrapped = Instruments.none.wrap("work", work);
  const time = (call) => {
    const start = clock.nowSeconds();
    let sum = 0;
    for (let index = 0; index < 5_000_000; index += 1) sum = call(sum);
    return ((clock.nowSeconds() - start) / 5_000_000) * 1e9;
  };
  const span = (value) => {
    const open = Instruments.none.span("work");
    open[Symbol.dispose]?.();
    return work(value);
  };
  // The least of several rounds: what is measured is the code, not what else the machine does.
  const least = (call) => Math.min(...Array.from({ length: 5 }, () => time(call)));
  return { plainNanoseconds: least(work), wrappedNanoseconds: least(wrapped), spanNanoseconds: least(span) };
}

await measure(Math.min(steps, 5000));
const bare = await measure(steps);
const statistics = new RunStatistics();
await measure(Math.min(steps, 3000), {
  checkFrames: true,
  frameHasher: sha256FrameHasher,
  stages: statistics,
  observers: [statistics],
  metrics: new InMemoryMetricsRecorder(),
});
const report = statistics.report({ environment: {}, configHash: "" });
const early = summarize(bare.turns.slice(1000, Math.min(11_000, steps)));
const late = summarize(bare.turns.slice(-10_000));
const whole = summarize(bare.turns.slice(1000));
const copy = copyCost();
const instruments = instrumentsCost();
const [first, final] = [bare.memory[1] ?? bare.memory[0], bare.memory.at(-1)];
const slope =
  first === undefined || first === final
    ? 0
    : (final.heapBytes - first.heapBytes) / (final.stepCount - first.stepCount);

console.log(`loop, ${steps} steps, probe world 640×360, instant step, null output, check and hash off`);
console.log(
  `p50 ${microseconds(whole.p50)} µs  p99 ${microseconds(whole.p99)} µs  (one copy of the frame: p50 ${microseconds(copy.p50)} µs)`,
);
console.log(
  `first 10,000: p50 ${microseconds(early.p50)} µs; last 10,000: p50 ${microseconds(late.p50)} µs; ratio ${(late.p50 / early.p50).toFixed(2)}`,
);
console.log(`heap slope ${slope.toFixed(2)} bytes per step`);
for (const [stage, figures] of Object.entries(report.stages)) {
  console.log(
    `stage ${stage.padEnd(13)} p50 ${microseconds(figures.p50).padStart(8)} µs  p99 ${microseconds(figures.p99).padStart(8)} µs`,
  );
}
console.log(
  `instruments with nothing attached: plain call ${instruments.plainNanoseconds.toFixed(2)} ns, wrapped ${instruments.wrappedNanoseconds.toFixed(2)} ns, with a span ${instruments.spanNanoseconds.toFixed(2)} ns`,
);
if (values.json !== undefined) {
  const cpu = cpus();
  writeFileSync(
    values.json,
    `${JSON.stringify({ benchmark: "loop", steps, machine: { processor: cpu[0]?.model, cores: cpu.length, node: process.version, platform: process.platform, load: loadavg()[0] }, turnSeconds: whole, firstTenThousand: early, lastTenThousand: late, copySeconds: copy, heapBytesPerStep: slope, memory: bare.memory, stages: report.stages, instruments, samplesSeconds: bare.turns.slice(-5000) })}\n`,
  );
}
