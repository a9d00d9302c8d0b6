import { FAILURE_POINTS, FailurePlan, FakeClock, fakeWorld, type FailurePoint } from "@dreamloop/testing";
import { describe, expect, it } from "vitest";
import {
  eventListSource,
  planRun,
  runBatch,
  timeWindow,
  type ModelAdapter,
  type RunObserver,
  type UserInputEventInput,
} from "../index.ts";
import { freshInputState } from "./run-plan.ts";
import { frameHashInput } from "../model/frame-pixels.ts";
import { InputTracker } from "../inputs/input-tracker.ts";
import { Rollout } from "./rollout.ts";
import { splitControl } from "../inputs/split-control.ts";
import type { StepOutcome } from "./rollout-types.ts";

const EVENTS: readonly UserInputEventInput[] = [
  { timestampSeconds: 0.2, eventType: "key_down", payload: { code: "KeyE" } },
  { timestampSeconds: 0.9, eventType: "key_up", payload: { code: "KeyE" } },
  { timestampSeconds: 1.1, eventType: "prompt_set", payload: { prompt: "rain" } },
  { timestampSeconds: 1.7, eventType: "key_down", payload: { code: "KeyE" } },
];

/** Drives a rollout by hand, so that a step can be tried again. */
class Bench {
  readonly rollout: Rollout;
  readonly #source = eventListSource({ events: EVENTS });
  readonly #tracker = new InputTracker();
  #end = 0;

  private constructor(rollout: Rollout) {
    this.rollout = rollout;
  }

  static async start(adapter: ModelAdapter, seed = 3): Promise<Bench> {
    const plan = planRun({
      adapter,
      seed,
      sourceSchema: eventListSource({ events: EVENTS }).schema,
      initialInputs: { initial: { prompt: "sun" } },
    });
    const runtime = await adapter.createRuntime(plan.config, {});
    return new Bench(await Rollout.start(plan, runtime, freshInputState(plan, plan.requestedInputs, plan.seed)));
  }

  /** One step; a failed attempt is made again with the same inputs. */
  async step(failures = 0): Promise<{ readonly pixels: readonly number[]; readonly outcome: StepOutcome }> {
    const window = timeWindow({ startSeconds: this.#end, endSeconds: this.#end + 0.5 });
    const { inputs } = splitControl(this.#source.read(window), this.#tracker);
    this.#end = window.endSeconds;
    for (let attempt = 0; ; attempt += 1) {
      const request = this.rollout.nextRequest();
      if (request === undefined) throw new Error("the rollout is complete");
      try {
        const outcome = await this.rollout.step(request, inputs, window);
        const pixels = Array.from(outcome.result.output?.data ?? []);
        await this.rollout.commit();
        return { pixels, outcome };
      } catch (error) {
        if (attempt >= failures) throw error;
      }
    }
  }
}

async function pixelsOf(bench: Bench, steps: number, failures = 0): Promise<readonly (readonly number[])[]> {
  const all: (readonly number[])[] = [];
  for (let index = 0; index < steps; index += 1) all.push((await bench.step(failures)).pixels);
  return all;
}

describe("a step is a transaction", () => {
  const points: readonly FailurePoint[] = [
    FAILURE_POINTS.mapStepInputs,
    FAILURE_POINTS.step,
    FAILURE_POINTS.finalizeStep,
  ];
  it.each(points)("F2: after a failure at %s the next output equals the run without the failure", async (at) => {
    const plain = await pixelsOf(await Bench.start(fakeWorld({ stepCount: 6, finalizes: true }).adapter), 6);
    for (let call = 0; call < 6; call += 1) {
      const world = fakeWorld({ stepCount: 6, finalizes: true, failures: new FailurePlan([{ at, call }]) });
      expect(await pixelsOf(await Bench.start(world.adapter), 6, 1)).toEqual(plain);
    }
  });

  it("F2: a frame that fails the check leaves the state as it was", async () => {
    const world = fakeWorld({ format: "rgbf32", stepCount: 4, finalizes: true, nanAtStep: 2 });
    const bench = await Bench.start(world.adapter);
    await pixelsOf(bench, 2);
    const before = await bench.rollout.snapshot();
    await expect(bench.step()).rejects.toMatchObject({ code: "bad_frame" });
    expect(await bench.rollout.snapshot()).toEqual(before);
  });

  it("commits an update with its step, and a reset keeps it", async () => {
    const bench = await Bench.start(fakeWorld({ stepCount: Infinity, finalizes: true }).adapter);
    await pixelsOf(bench, 2);
    expect(bench.rollout.requestedInputs.initial.prompt).toBe("sun");
    await pixelsOf(bench, 1);
    expect(bench.rollout.requestedInputs.initial.prompt).toBe("rain");
    await bench.rollout.reset();
    expect(bench.rollout).toMatchObject({ generation: 1, stepIndex: 0, seed: 3 });
    const { outcome } = await bench.step();
    expect(outcome.result.metadata.prompt).toBe("rain");
  });

  it("refuses an update that only a start may change, and leaves the state as it was", async () => {
    const world = fakeWorld({
      stepCount: Infinity,
      modelInputSchema: {
        initialFields: [{ name: "prompt", required: false, updatePolicy: "session_start" }],
        stepFields: [{ name: "action", required: false }],
      },
    });
    const bench = await Bench.start(world.adapter);
    await pixelsOf(bench, 2);
    await expect(bench.step()).rejects.toMatchObject({ code: "update_refused" });
    expect(bench.rollout.stepIndex).toBe(2);
  });

  it("refuses a second step before the first is committed", async () => {
    const bench = await Bench.start(fakeWorld({ stepCount: 3, finalizes: true }).adapter);
    const request = bench.rollout.nextRequest();
    if (request === undefined) throw new Error("no request");
    const inputs = eventListSource({ events: [] }).read(timeWindow({ startSeconds: 0, endSeconds: 1 }));
    const window = timeWindow({ startSeconds: 0, endSeconds: 0.5 });
    await bench.rollout.step(request, inputs, window);
    await expect(bench.rollout.step(request, inputs, window)).rejects.toMatchObject({ code: "invalid_state" });
  });
});

describe("state belongs to the session", () => {
  it("F3: two interleaved sessions give what they give alone", async () => {
    const world = fakeWorld({ stepCount: 6, maxSessions: 2 });
    const alone = [
      await pixelsOf(await Bench.start(world.adapter, 1), 5),
      await pixelsOf(await Bench.start(world.adapter, 2), 5),
    ];
    const [first, second] = [await Bench.start(world.adapter, 1), await Bench.start(world.adapter, 2)];
    const together: [(readonly number[])[], (readonly number[])[]] = [[], []];
    for (let index = 0; index < 5; index += 1) {
      together[0].push((await first.step()).pixels);
      together[1].push((await second.step()).pixels);
    }
    expect(together).toEqual(alone);
  });

  it("continues from a snapshot with the same frames", async () => {
    const bench = await Bench.start(fakeWorld({ stepCount: 6 }).adapter);
    await pixelsOf(bench, 2);
    const snapshot = structuredClone(await bench.rollout.snapshot());
    const ahead = (await bench.step()).pixels;
    await bench.rollout.restore(snapshot);
    const request = bench.rollout.nextRequest();
    expect(request?.stepIndex).toBe(2);
    const other = await Bench.start(fakeWorld({ stepCount: 6 }).adapter);
    await pixelsOf(other, 2);
    await other.rollout.restore(snapshot);
    expect((await other.step()).pixels).toEqual(ahead);
  });

  it("J1: N interleaved batch runs of one runtime give the hashes of N separate ones", async () => {
    const hashes = async (
      adapter: ModelAdapter,
      seed: number,
      runtime?: Awaited<ReturnType<ModelAdapter["createRuntime"]>>,
    ): Promise<string[]> => {
      const seen: string[] = [];
      const observer: RunObserver = {
        stepCommitted: ({ result }) => {
          if (result.output !== undefined)
            seen.push(
              frameHashInput(result.output, 0)
                .map((part) => Array.from(part).join())
                .join("|"),
            );
        },
      };
      await runBatch({
        adapter,
        clock: new FakeClock(),
        seed,
        observers: [observer],
        stepLimit: 4,
        ...(runtime === undefined ? {} : { runtime }),
      });
      return seen;
    };
    const world = fakeWorld({ stepCount: Infinity, maxSessions: 3 });
    const separate = [await hashes(world.adapter, 1), await hashes(world.adapter, 2), await hashes(world.adapter, 3)];
    const plan = planRun({ adapter: world.adapter });
    const runtime = await world.adapter.createRuntime(plan.config, {});
    const together = await Promise.all([1, 2, 3].map((seed) => hashes(world.adapter, seed, runtime)));
    expect(together).toEqual(separate);
    expect(new Set(separate.map(String)).size).toBe(3);
  });
});
