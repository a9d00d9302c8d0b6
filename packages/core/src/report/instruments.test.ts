import { FakeClock } from "@dreamloop/testing";
import { describe, expect, it } from "vitest";
import { InMemoryMetricsRecorder } from "../index.ts";
import { ChromeTrace } from "./chrome-trace.ts";
import { Instruments, timed, type Instrumented, type SpanRecord } from "./instruments.ts";
import { RateEstimator } from "./rate-estimator.ts";

class Decoder implements Instrumented {
  readonly instruments: Instruments;
  readonly #clock: FakeClock;
  constructor(instruments: Instruments, clock: FakeClock) {
    this.instruments = instruments;
    this.#clock = clock;
  }

  @timed()
  async decode(bytes: number): Promise<number> {
    await this.#clock.sleepUntil(this.#clock.nowSeconds() + 0.5);
    return bytes * 2;
  }

  @timed("check")
  check(): string {
    throw new Error("broken");
  }
}

function setUp(): {
  clock: FakeClock;
  recorder: InMemoryMetricsRecorder;
  spans: SpanRecord[];
  instruments: Instruments;
} {
  const clock = new FakeClock();
  const recorder = new InMemoryMetricsRecorder();
  const spans: SpanRecord[] = [];
  const instruments = new Instruments({ clock, recorder, spans: { span: (record) => void spans.push(record) } });
  return { clock, recorder, spans, instruments };
}

describe("instruments", () => {
  it("measure a block with `using`, nesting", async () => {
    const { clock, spans, instruments } = setUp();
    {
      using _outer = instruments.span("outer");
      await clock.advance(1);
      {
        using _inner = instruments.span("inner", { stepIndex: 4 });
        await clock.advance(0.25);
      }
    }
    expect(spans).toEqual([
      { name: "inner", startSeconds: 1, endSeconds: 1.25, depth: 1, parent: "outer" },
      { name: "outer", startSeconds: 0, endSeconds: 1.25, depth: 0 },
    ]);
  });

  it("measure decorated methods until their promise settles, and calls that throw", async () => {
    const { clock, recorder, instruments } = setUp();
    const decoder = new Decoder(instruments, clock);
    const decoding = decoder.decode(21);
    await clock.advance(1);
    expect(await decoding).toBe(42);
    expect(() => decoder.check()).toThrow("broken");
    expect(recorder.samples.map(({ name, value, category }) => [name, value, category])).toEqual([
      ["decode", 0.5, "timing"],
      ["check", 0, "timing"],
    ]);
  });

  it("measure wrapped functions", () => {
    const { recorder, instruments } = setUp();
    expect(instruments.wrap("add", (a: number, b: number) => a + b)(1, 2)).toBe(3);
    expect(recorder.samples.map(({ name }) => name)).toEqual(["add"]);
  });

  it("return the very same function and one shared span when nothing is attached", () => {
    const work = (): number => 1;
    expect(Instruments.none.wrap("work", work)).toBe(work);
    expect(Instruments.none.span("a")).toBe(Instruments.none.span("b"));
    expect(new Instruments({ clock: new FakeClock() }).attached).toBe(false);
  });
});

describe("the profile", () => {
  it("is a Trace Event file with complete events in microseconds", () => {
    const trace = new ChromeTrace();
    trace.stage("model", 3, 10, 10.5);
    trace.span({ name: "decode", startSeconds: 10.1, endSeconds: 10.2, depth: 0 });
    const { traceEvents } = trace.toFile();
    expect(traceEvents[0]).toEqual({
      name: "loop.model",
      cat: "loop",
      ph: "X",
      ts: 0,
      dur: 500_000,
      pid: 1,
      tid: 1,
      args: { stepNumber: 3 },
    });
    expect(traceEvents[1]).toMatchObject({ name: "decode", tid: 2 });
    expect(traceEvents[1]?.ts).toBeCloseTo(100_000, 3);
  });
});

describe("the rate estimate", () => {
  it("B2: ignores a pause of 5 s; the first ten intervals after it are within 10 percent of steady", () => {
    const estimator = new RateEstimator();
    let now = 0;
    for (let index = 0; index < 60; index += 1) estimator.note(4, (now += 4 / 30));
    expect(estimator.framesPerSecond).toBeCloseTo(30, 6);
    now += 5;
    for (let index = 0; index < 10; index += 1) {
      estimator.note(4, (now += 4 / 30));
      expect(Math.abs((estimator.framesPerSecond ?? 0) - 30)).toBeLessThan(3);
    }
  });

  it("knows no rate before the second step", () => {
    const estimator = new RateEstimator();
    estimator.note(1, 0);
    expect(estimator.framesPerSecond).toBeUndefined();
  });
});
