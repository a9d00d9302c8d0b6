import { createHash } from "node:crypto";
import { FakeClock } from "@dreamloop/testing";
import { createProbeWorld } from "@dreamloop/worlds/probe";
import { expect, test } from "vitest";
import { randomStream, readTrace, replayTrace, startRealtime, TraceEncoder } from "../index.ts";
import { SessionHistory } from "../snapshot/session-history.ts";

const DEEDS = 1000;
const BUDGET_BYTES = 4 * 1024 ** 2;

const hasher = {
  digest: (parts: readonly Uint8Array[]) => createHash("sha256").update(Buffer.concat(parts)).digest("hex"),
};

test("O6, O8, O9: a thousand rewinds and forks at random moments keep the budget, replay equal and leave nothing behind", async () => {
  const clock = new FakeClock({ startSeconds: 10 });
  const history = new SessionHistory({ hasher, clock, spacingSeconds: 0.5, budgetBytes: BUDGET_BYTES });
  const lines: string[] = [];
  const run = startRealtime({
    adapter: createProbeWorld(),
    clock,
    config: { modelId: "probe", runtimeOptions: { width: 48, height: 32, framesPerSecond: 10, instant: true } },
    history,
    seed: 11,
    frameHasher: hasher,
    observers: [new TraceEncoder({ sink: { write: (text) => void lines.push(text) }, hasher })],
  });
  await clock.advance(0.1);
  await run.started;
  const random = randomStream({ seed: 4, step: 0, stream: "deeds" });
  const settle = async <T>(asked: Promise<T>): Promise<T> => {
    let isSettled = false;
    const settled = (): void => void (isSettled = true);
    asked.then(settled, settled);
    for (let turn = 0; turn < 1000 && !isSettled; turn += 1) await clock.advance(0.1);
    return asked;
  };
  for (let deed = 0; deed < DEEDS; deed += 1) {
    await clock.advance(random.nextUniform() * 0.8);
    const { generations, usedBytes } = history.facts;
    expect(usedBytes).toBeLessThanOrEqual(BUDGET_BYTES);
    const kept = generations.filter(({ keptFromStepIndex, endStepIndex }) => keptFromStepIndex <= endStepIndex);
    const chosen = kept[Math.floor(random.nextUniform() * kept.length)];
    if (chosen === undefined) throw new Error("nothing is kept");
    const { generation, keptFromStepIndex, endStepIndex } = chosen;
    const at = {
      generation,
      stepIndex: keptFromStepIndex + Math.floor(random.nextUniform() * (endStepIndex - keptFromStepIndex + 1)),
    };
    if (!history.has(at)) continue;
    if (random.nextUniform() < 0.5) await settle(run.rewind(at));
    else expect((await settle(run.fork(at))).state.rollout).toBeDefined();
  }
  const closing = run.close();
  await clock.advance(1);
  await closing;
  expect(history.facts.usedBytes).toBe(0);
  const trace = await readTrace([new TextEncoder().encode(lines.join(""))]);
  const report = await replayTrace({ trace, adapter: createProbeWorld(), frameHasher: hasher, clock: new FakeClock() });
  expect(report).toMatchObject({ equal: true, stepCount: trace.steps.length });
});
