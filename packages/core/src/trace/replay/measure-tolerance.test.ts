import { createHash } from "node:crypto";
import { changedWorld, changeResults, FakeClock, fakeWorld } from "@dreamloop/testing";
import { describe, expect, test } from "vitest";
import { runBatch } from "../../drivers/batch-driver.ts";
import type { ModelAdapter } from "../../adapter/model-adapter.ts";
import { toleranceText } from "../format/write-records.ts";
import { readTrace, type Trace } from "../read-trace.ts";
import { TraceEncoder } from "../trace-encoder.ts";
import { measureTolerance } from "./measure-tolerance.ts";

const hasher = {
  digest: (parts: readonly Uint8Array[]) => createHash("sha256").update(Buffer.concat(parts)).digest("hex"),
};

async function record(adapter: ModelAdapter): Promise<{ readonly text: string; readonly trace: Trace }> {
  let text = "";
  const observers = [new TraceEncoder({ sink: { write: (more) => void (text += more) }, hasher })];
  await runBatch({ adapter, clock: new FakeClock(), frameHasher: hasher, stepLimit: 6, observers });
  return { text, trace: await readTrace([new TextEncoder().encode(text)]) };
}

/** A world whose first value of each frame is 0, 3 or 6 more, one after the other run: twelve values a frame. */
function unsteadyWorld(): ModelAdapter {
  const { adapter } = fakeWorld({ stepCount: Infinity });
  let run = 0;
  return changedWorld(adapter, {
    session: (session) => {
      const offset = 3 * (run % 3);
      run += 1;
      const change = changeResults((result) => {
        const data = result.output?.data as Uint8Array;
        data[0] = ((data[0] ?? 0) & 127) + offset;
        return result;
      });
      return change(session);
    },
  });
}

const options = { frameHasher: hasher, clock: new FakeClock() };

describe("measureTolerance", () => {
  test("G4: gives how far runs on this machine are apart, and a trace takes it up", async () => {
    const adapter = unsteadyWorld();
    const { text, trace } = await record(adapter);
    // That was run 0, so the first of these has an offset of 3 and those that are compared have 6 and 0.
    const tolerance = await measureTolerance({
      ...options,
      trace,
      adapter,
      stepLimit: 4,
      environment: { cpuModel: "A" },
    });
    expect(tolerance).toEqual({
      comparedRuns: 2,
      stepCount: 4,
      frameCount: 4,
      maxDifference: 3,
      meanDifference: 3 / 12,
      minPsnrDecibels: 10 * Math.log10((255 * 255 * 12) / 9),
      environment: { cpuModel: "A" },
    });
    const longer = await readTrace([new TextEncoder().encode(text + toleranceText(tolerance))]);
    expect(longer.tolerance).toEqual(tolerance);
  });

  test("a world that is exact has none", async () => {
    const { adapter } = fakeWorld({ stepCount: Infinity });
    const { trace } = await record(adapter);
    const tolerance = await measureTolerance({ ...options, trace, adapter, comparedRuns: 1 });
    expect(tolerance).toMatchObject({ comparedRuns: 1, stepCount: 6, maxDifference: 0, meanDifference: 0 });
    expect(tolerance).not.toHaveProperty("minPsnrDecibels");
  });

  test("memory is bounded", async () => {
    const { adapter } = fakeWorld({ stepCount: Infinity });
    const { trace } = await record(adapter);
    const measured = measureTolerance({ ...options, trace, adapter, maxBytes: 30 });
    await expect(measured).rejects.toMatchObject({ code: "limit_exceeded", message: /measure fewer steps/ });
    await expect(measureTolerance({ ...options, trace, adapter, stepLimit: 0 })).rejects.toThrow(/stepLimit/);
  });
});
