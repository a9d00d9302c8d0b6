import { FakeClock, fakeWorld, RecordingTarget } from "@dreamloop/testing";
import { describe, expect, it } from "vitest";
import { runBatch, startRealtime } from "../index.ts";
import { RunStatistics } from "./run-statistics.ts";
import { summarize } from "./distribution.ts";
import type { RunStatisticsReport } from "./statistics-report.ts";

const FACTS = { environment: { cpu: "fake" }, configHash: "abc" };

async function batch(options: {
  readonly stepSeconds: number;
  readonly writeSeconds?: number;
  readonly loadSeconds?: number;
  readonly steps?: number;
}): Promise<RunStatisticsReport> {
  const clock = new FakeClock();
  const world = fakeWorld({
    stepCount: Infinity,
    clock,
    stepSeconds: options.stepSeconds,
    loadSeconds: options.loadSeconds ?? 0,
  });
  const statistics = new RunStatistics();
  const target = new RecordingTarget({ clock, writeSeconds: options.writeSeconds ?? 0 });
  const run = runBatch({
    adapter: world.adapter,
    clock,
    stepLimit: options.steps ?? 12,
    outputs: [target],
    observers: [statistics],
    stages: statistics,
    metrics: statistics,
  });
  await clock.advance(1000);
  await run;
  const report = statistics.report(FACTS);
  if (report === undefined) throw new Error("no report");
  return report;
}

describe("run statistics", () => {
  it("K1: the reported step time is within 2 percent of a model with a known sleep", async () => {
    const report = await batch({ stepSeconds: 0.04 });
    expect(report.modelSeconds?.p50).toBeGreaterThan(0.04 * 0.98);
    expect(report.modelSeconds?.p50).toBeLessThan(0.04 * 1.02);
    expect(report.generatedFramesPerSecond).toBeCloseTo(25, 1);
  });

  it("K2: set-up, first step, window filling and steady state are separate, and steady state begins by a declared rule", async () => {
    const report = await batch({ stepSeconds: 0.1, loadSeconds: 3 });
    expect(report.phases.loadSeconds).toBeCloseTo(3, 6);
    expect(report.phases.firstStepSeconds).toBeCloseTo(0.1, 6);
    expect(report.phases.windowFilling).toMatchObject({ stepCount: 1 });
    expect(report.phases.steady).toMatchObject({ firstStep: 2, stepCount: 10, frameCount: 10, rule: "after 2 steps" });
    expect(report.phases.steady.seconds).toBeCloseTo(1, 6);
  });

  it("K4: carries hardware, versions, configuration hash and the raw samples that its tables come from", async () => {
    const report = await batch({ stepSeconds: 0.02 });
    expect(report).toMatchObject({
      schemaVersion: 1,
      artifactType: "dreamloop.run_statistics",
      configHash: "abc",
      environment: { cpu: "fake" },
      width: 2,
      height: 2,
      samplesTruncated: false,
    });
    expect(report.samples).toHaveLength(12);
    const turns = report.samples.slice(report.phases.steady.firstStep).map(({ turnSeconds }) => turnSeconds);
    expect(report.turnSeconds).toEqual(summarize(turns));
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  it("K5: overhead is the turn minus the model", async () => {
    const report = await batch({ stepSeconds: 0.03, writeSeconds: 0.01 });
    expect(report.turnSeconds?.p50).toBeCloseTo(0.04, 6);
    expect(report.overheadSeconds?.p50).toBeCloseTo(0.01, 6);
    expect(report.stages.write?.p50).toBeCloseTo(0.01, 6);
  });

  it("K3: a live session reports misses, underruns, stall, control to frame, lead and drops by reason", async () => {
    const clock = new FakeClock();
    const world = fakeWorld({ framesPerSecond: 10, stepCount: Infinity, clock, stepSeconds: 0.02 });
    const statistics = new RunStatistics();
    const run = startRealtime({
      adapter: world.adapter,
      clock,
      observers: [statistics],
      stages: statistics,
      metrics: statistics,
    });
    await clock.settle();
    for (let index = 0; index < 20; index += 1) {
      run.push([
        {
          timestampSeconds: clock.nowSeconds(),
          eventType: index % 2 === 0 ? "key_down" : "key_up",
          payload: { code: "KeyE" },
        },
      ]);
      await clock.advance(0.13);
    }
    const status = run.status();
    const closing = run.close();
    await clock.advance(1);
    await closing;
    const report = statistics.report({
      ...FACTS,
      realtime: { status, drops: { replaced: 0, overdue: 2, generation: 0 } },
    });
    expect(report?.realtime).toMatchObject({
      deadlineMissRate: 0,
      underrunCount: 0,
      stallSeconds: 0,
      drops: { reset: 0, overdue: 2 },
    });
    expect(report?.realtime?.controlToFrameSeconds?.count).toBe(20);
    expect(report?.realtime?.controlToFrameSeconds?.p95).toBeLessThan(0.2 + 0.1 + 1e-6);
    expect(report?.realtime?.leadFrames?.max).toBeLessThanOrEqual(2 + 1e-6);
  });

  it("gives nothing for a run that never started", () => {
    expect(new RunStatistics().report(FACTS)).toBeUndefined();
  });
});

describe("summarize", () => {
  it("interpolates between order statistics", () => {
    expect(summarize([4, 1, 3, 2])).toEqual({
      count: 4,
      mean: 2.5,
      min: 1,
      p50: 2.5,
      p95: 3.8499999999999996,
      p99: 3.9699999999999998,
      max: 4,
    });
    expect(summarize([7])).toMatchObject({ p50: 7, p99: 7, max: 7 });
    expect(summarize([])).toBeUndefined();
  });
});
