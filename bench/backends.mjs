// What a world in Python costs beside its step: the hand-over of an 832×480 frame, the loop with an instant step, and the rate at 20 ms a step beside a
// plain Python loop, run in turns. `--steps N` (default 2,000), `--rounds N` (default 5), `--python PATH`; `--cycles N` starts and kills so many workers and looks for
// what is left; `--json FILE` keeps the raw figures. Linux: both sides read the same monotonic clock.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { inferenceConfig, modelInputs, NullOutputTarget, runBatch } from "@dreamloop/core";
import { summarize } from "@dreamloop/core/internal";
import { findPython, pythonWorld } from "@dreamloop/external";
import { ProcessClock } from "@dreamloop/node";

const { values } = parseArgs({
  options: {
    steps: { type: "string", default: "2000" },
    rounds: { type: "string", default: "5" },
    cycles: { type: "string", default: "0" },
    python: { type: "string" },
    json: { type: "string" },
  },
});
const file = fileURLToPath(new URL("backends_worlds.py", import.meta.url));
const { path: python } = findPython({ file, env: process.env, ...(values.python ? { given: values.python } : {}) });
const steps = Number(values.steps);
const clock = new ProcessClock();
const monotonicSeconds = () => Number(process.hrtime.bigint()) / 1e9;
const WARM_UP = 50;
const STEP_SECONDS = 0.02;
const RATE_STEPS = 100;

const adapterOf = (name, options = {}) => pythonWorld({ file, name, python, ...options });

/** From the end of a step in Python to the moment at which the driver's side holds its frame. */
async function handOver(name, options) {
  const adapter = await adapterOf(name, options);
  const runtime = await adapter.createRuntime(inferenceConfig({ modelId: adapter.modelId }), {});
  const session = await runtime.startSession(modelInputs(), { seed: 1 });
  const times = [];
  for (let index = 0; index < steps + WARM_UP; index += 1) {
    const { output, metadata } = await session.step(modelInputs(), {});
    if (index >= WARM_UP) times.push(monotonicSeconds() - metadata.doneSeconds);
    output.release?.();
  }
  const through = runtime.facts().framesThrough;
  await runtime.close();
  return { world: name, through, seconds: summarize(times), raw: times };
}

/** The time from step to step of the batch loop. */
async function turns(stepLimit, seconds) {
  const adapter = await adapterOf("Instant");
  const times = [];
  let last;
  await runBatch({
    adapter,
    config: { modelId: adapter.modelId, runtimeOptions: { seconds } },
    clock,
    outputs: [new NullOutputTarget()],
    checkFrames: false,
    stepLimit,
    onStep: () => {
      const now = clock.nowSeconds();
      if (last !== undefined) times.push(now - last);
      last = now;
    },
  });
  return times.slice(WARM_UP / 2);
}

/** Plain loop and driver in turns; the rate of the driver as a share of the loop's. */
async function rates() {
  const rounds = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const plain = Number(execFileSync(python, [file, `${STEP_SECONDS}`, `${RATE_STEPS}`], { env: withPackage() }));
    const through = await turns(RATE_STEPS + WARM_UP, STEP_SECONDS);
    const mean = through.reduce((sum, value) => sum + value, 0) / through.length;
    rounds.push({ plainSeconds: plain, driverSeconds: mean, share: plain / mean });
  }
  return rounds;
}

function withPackage() {
  return { ...process.env, PYTHONPATH: fileURLToPath(new URL("../python", import.meta.url)) };
}

/** What this process holds: workers, descriptors, mappings of shared memory, memory. */
function holdings() {
  const children = readdirSync("/proc").filter((name) => {
    try {
      const line = readFileSync(`/proc/${name}/stat`, "latin1");
      return line.slice(line.lastIndexOf(")") + 2).split(" ")[1] === `${process.pid}`;
    } catch {
      return false;
    }
  });
  globalThis.gc?.();
  return {
    children,
    descriptors: readdirSync("/proc/self/fd").length,
    sharedMappings: readFileSync("/proc/self/maps", "latin1")
      .split("\n")
      .filter((line) => line.includes("dreamloop-frames")).length,
    residentBytes: process.memoryUsage().rss,
  };
}

/** Starts and kills workers in the middle of their sessions. */
async function cycles(count) {
  const samples = [];
  for (let cycle = 0; cycle < count; cycle += 1) {
    const adapter = await pythonWorld({ file, name: "Instant", python }, { onLog: () => undefined });
    const runtime = await adapter.createRuntime(inferenceConfig({ modelId: adapter.modelId }), {});
    const session = await runtime.startSession(modelInputs(), { seed: 1 });
    await session.step(modelInputs(), {});
    for (const pid of holdings().children) process.kill(Number(pid), "SIGKILL");
    await runtime.close();
    if (cycle % 50 === 49 || count <= 20 || cycle === count - 1) samples.push({ cycle: cycle + 1, ...holdings() });
  }
  return samples;
}

const microseconds = ({ p50, p99 }) => `p50 ${(p50 * 1e6).toFixed(0)} µs  p99 ${(p99 * 1e6).toFixed(0)} µs`;
const handOvers = [
  await handOver("Instant"),
  await handOver("Copied"),
  await handOver("Copied", { sharedMemory: false }),
];
for (const { world, through, seconds } of handOvers)
  console.log(`hand-over  ${world}, ${through}: ${microseconds(seconds)}`);
const turnSeconds = await turns(steps + WARM_UP, 0);
console.log(`loop with an instant step: ${microseconds(summarize(turnSeconds))}`);
const rounds = await rates();
const shares = rounds.map(({ share }) => share).sort((a, b) => a - b);
const median = shares[Math.floor(shares.length / 2)];
console.log(
  `rate at ${STEP_SECONDS * 1000} ms a step: ${(median * 100).toFixed(1)} % of a plain Python loop (median of ${rounds.length} rounds)`,
);
const left = Number(values.cycles) > 0 ? await cycles(Number(values.cycles)) : [];
for (const { cycle, children, descriptors, sharedMappings, residentBytes } of left) {
  console.log(
    `after ${cycle} killed workers: ${children.length} processes, ${descriptors} descriptors, ${sharedMappings} mappings, ${(residentBytes / 1e6).toFixed(0)} MB`,
  );
}
if (values.json !== undefined) {
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version, load: loadavg() };
  const result = {
    machine,
    python,
    steps,
    handOvers,
    turnSeconds: summarize(turnSeconds),
    turnSamples: turnSeconds,
    rounds,
    cycles: left,
  };
  writeFileSync(values.json, `${JSON.stringify(result, undefined, 2)}\n`);
}
