import type { GenerationFacts } from "@dreamloop/core/internal";
import { expect, test } from "vitest";
import { branchPath, momentOnPath } from "./branch-path.ts";

const facts = (change: Partial<GenerationFacts> & Pick<GenerationFacts, "generation">): GenerationFacts => ({
  origin: "start",
  firstStepIndex: 0,
  endStepIndex: 100,
  keptFromStepIndex: 0,
  seed: 0,
  startSeconds: 0,
  endSeconds: 5,
  ...change,
});

const tree = [
  facts({ generation: 0, keptFromStepIndex: 20 }),
  facts({
    generation: 1,
    origin: "rewind",
    from: { generation: 0, stepIndex: 60 },
    firstStepIndex: 60,
    keptFromStepIndex: 60,
    endStepIndex: 90,
  }),
  facts({
    generation: 2,
    origin: "rewind",
    from: { generation: 1, stepIndex: 70 },
    firstStepIndex: 70,
    keptFromStepIndex: 70,
    endStepIndex: 80,
  }),
  facts({ generation: 3, origin: "reset", from: { generation: 2, stepIndex: 80 }, endStepIndex: 10 }),
];

test("O6: a step on the timeline is the moment of the branch that leads to now", () => {
  const path = branchPath(tree, { generation: 2, stepIndex: 78 });
  expect(path.map(({ generation, endStepIndex }) => [generation, endStepIndex])).toEqual([
    [0, 60],
    [1, 70],
    [2, 78],
  ]);
  expect(momentOnPath(path, 75)).toEqual({ generation: 2, stepIndex: 75 });
  expect(momentOnPath(path, 70)).toEqual({ generation: 2, stepIndex: 70 });
  expect(momentOnPath(path, 69)).toEqual({ generation: 1, stepIndex: 69 });
  expect(momentOnPath(path, 30)).toEqual({ generation: 0, stepIndex: 30 });
  // What is no longer kept and what is still to come lead to the nearest moment.
  expect(momentOnPath(path, 5)).toEqual({ generation: 0, stepIndex: 20 });
  expect(momentOnPath(path, 500)).toEqual({ generation: 2, stepIndex: 78 });
});

test("a reset begins a branch of its own, and an unknown generation leads nowhere", () => {
  expect(branchPath(tree, { generation: 3, stepIndex: 4 })).toHaveLength(1);
  expect(branchPath(tree, { generation: 9, stepIndex: 4 })).toEqual([]);
  expect(momentOnPath([], 4)).toBeUndefined();
});
