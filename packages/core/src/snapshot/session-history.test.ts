import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputTracker } from "../inputs/input-tracker.ts";
import { userInputs } from "../inputs/user-inputs.ts";
import { timeWindow } from "../foundation/time/time-window.ts";
import { DreamloopError } from "../foundation/dreamloop-error.ts";
import type { MomentPosition } from "./driver-history.ts";
import { SessionHistory } from "./session-history.ts";
import type { SessionState } from "./session-state.ts";

const hasher = {
  digest: (parts: readonly Uint8Array[]) => createHash("sha256").update(Buffer.concat(parts)).digest("hex"),
};

/** A session whose whole state is the list of step numbers that led to it. */
class Toy {
  readonly history: SessionHistory;
  way: readonly number[] = [];
  position: MomentPosition = { generation: 0, stepIndex: 0 };
  readonly ways = new Map<string, readonly number[]>();
  steps = 0;

  constructor(budgetBytes: number, spacingSeconds: number) {
    this.history = new SessionHistory({ hasher, budgetBytes, spacingSeconds });
  }

  start(): Promise<void> {
    this.#note();
    return this.history.begin({ ...this.#boundary(), frameSeconds: 0.1 });
  }

  async step(): Promise<void> {
    const number = this.steps;
    this.steps += 1;
    this.way = [...this.way, number];
    this.position = { ...this.position, stepIndex: this.position.stepIndex + 1 };
    this.#note();
    const window = timeWindow({ startSeconds: number / 10, endSeconds: (number + 1) / 10 });
    const inputs = userInputs({ metadata: { number } });
    await this.history.add({ type: "step", window, inputs }, this.#boundary(), 1);
  }

  async rewind(to: MomentPosition): Promise<void> {
    this.way = await this.wayTo(to);
    this.position = { generation: this.history.facts.generations.at(-1)!.generation + 1, stepIndex: to.stepIndex };
    this.#note();
    await this.history.rewound(to, this.#boundary());
  }

  /** What a restore and its lead would come to. */
  async wayTo(to: MomentPosition): Promise<readonly number[]> {
    const { rollout, lead } = await this.history.stateAt(to);
    const { way } = rollout.session.data as { readonly way: readonly number[] };
    const numbers = lead.map((entry) => (entry.type === "step" ? (entry.inputs.metadata.number as number) : -1));
    return [...way, ...numbers];
  }

  #note(): void {
    this.ways.set(`${this.position.generation}:${this.position.stepIndex}`, this.way);
  }

  #boundary(): Parameters<SessionHistory["add"]>[1] {
    const { position, way } = this;
    const state: SessionState = {
      rollout: {
        ...position,
        stepNumber: 0,
        seed: 0,
        initial: {},
        canonicalizerState: {},
        mappingState: null,
        session: { version: "toy", data: { way, ballast: new Uint8Array(3000).fill(way.length) } },
      },
      driver: { held: new InputTracker().save(), sessionSeconds: 0, timelineFrames: 0 },
      lead: [],
    };
    return { position, seed: 0, sessionSeconds: 0, takeState: () => Promise.resolve(state) };
  }
}

describe("a history", () => {
  const deeds = fc.array(
    fc.oneof(
      fc.nat(25).map((steps) => ({ steps })),
      fc.nat(1000).map((place) => ({ place })),
    ),
    {
      maxLength: 30,
    },
  );

  test("O9: within any budget, every moment that it lists is reached exactly, and the budget is kept (property)", async () => {
    await fc.assert(
      fc.asyncProperty(
        deeds,
        fc.constantFrom(30_000, 100_000, 10_000_000),
        fc.constantFrom(0.1, 0.7, 3),
        async (sequence, budgetBytes, spacing) => {
          const toy = new Toy(budgetBytes, spacing);
          await toy.start();
          for (const deed of sequence) {
            if ("steps" in deed) for (let step = 0; step < deed.steps; step += 1) await toy.step();
            else {
              const moments = momentsOf(toy);
              const target = moments[deed.place % moments.length];
              if (target !== undefined) await toy.rewind(target);
            }
            const { usedBytes, snapshotCount } = toy.history.facts;
            if (snapshotCount > 1) expect(usedBytes).toBeLessThanOrEqual(budgetBytes);
          }
          const moments = momentsOf(toy);
          expect(moments).toContainEqual(toy.position);
          for (const moment of moments) {
            expect(await toy.wayTo(moment)).toEqual(toy.ways.get(`${moment.generation}:${moment.stepIndex}`));
          }
          toy.history.close();
          expect(toy.history.facts.usedBytes).toBe(0);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("thins older snapshots first, and lets go of the oldest moments at last", async () => {
    const toy = new Toy(60_000, 0.1);
    await toy.start();
    for (let step = 0; step < 400; step += 1) await toy.step();
    const [branch] = toy.history.facts.generations;
    expect(branch?.endStepIndex).toBe(400);
    expect(branch?.keptFromStepIndex).toBeGreaterThanOrEqual(0);
    await expect(toy.history.stateAt({ generation: 5, stepIndex: 0 })).rejects.toMatchObject({ code: "not_found" });
  });

  test("a world without snapshots runs on, and says why it cannot go back", async () => {
    const history = new SessionHistory({ hasher });
    const takeState = (): Promise<SessionState> =>
      Promise.reject(new DreamloopError("unavailable", "no snapshots here"));
    const boundary = { position: { generation: 0, stepIndex: 0 }, seed: 0, sessionSeconds: 0, takeState };
    await history.begin({ ...boundary, frameSeconds: 0.1 });
    expect(history.facts).toMatchObject({ available: false, reason: "no snapshots here", usedBytes: 0 });
    await expect(history.stateAt(boundary.position)).rejects.toMatchObject({ code: "unavailable" });
  });
});

function momentsOf({ history }: Toy): readonly MomentPosition[] {
  return history.facts.generations.flatMap(({ generation, keptFromStepIndex, endStepIndex }) =>
    Array.from({ length: Math.max(0, endStepIndex - keptFromStepIndex + 1) }, (_, index) => ({
      generation,
      stepIndex: keptFromStepIndex + index,
    })).filter((moment) => history.has(moment)),
  );
}
