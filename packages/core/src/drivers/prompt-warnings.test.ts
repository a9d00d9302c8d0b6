import { describe, expect, test } from "vitest";
import type { StepResult } from "../model/step-result.ts";
import { PromptWarnings } from "./prompt-warnings.ts";
import type { RunWarning } from "./run-warnings.ts";

/** A step whose world reports this. */
function step(prompts: unknown, stepIndex = 7): StepResult {
  return { stepIndex, metadata: { prompts } } as unknown as StepResult;
}

function toldOf(...steps: readonly StepResult[]): readonly RunWarning[] {
  const told: RunWarning[] = [];
  const warnings = new PromptWarnings((warning) => told.push(warning));
  steps.forEach((each, index) => warnings.take(each, index));
  return told;
}

const words = (knownWords: readonly string[], unknownWords: readonly string[], more: object = {}) => ({
  prompt: { knownWords, unknownWords, cutWords: [], applied: true, ...more },
});

describe("words of prompts", () => {
  test("are told when the world does not know them or has no room for them, with those that count", () => {
    expect(toldOf(step(words(["a", "day", "day"], ["zebra", "purple"], { cutWords: ["rain"] })))).toEqual([
      {
        kind: "prompt_words",
        stepNumber: 0,
        message: 'the world does not know "zebra", "purple"; there was no room for "rain"; it goes by "day"',
        details: {
          input: "prompt",
          knownWords: ["a", "day", "day"],
          unknownWords: ["zebra", "purple"],
          cutWords: ["rain"],
          applied: true,
        },
      },
    ]);
  });

  test("of a prompt that did not take effect come with the words that nothing changes", () => {
    const [warning] = toldOf(step(words([], ["dragon", "banana"], { applied: false })));
    expect(warning?.message).toBe('the world does not know "dragon", "banana"; nothing changes');
  });

  test("of another input than the prompt come with its name, and without a claim that the world did not make", () => {
    const [warning] = toldOf(step({ style: { unknownWords: ["zebra"] } }));
    expect(warning?.message).toBe('style: the world does not know "zebra"; no word of the prompt is known');
    expect(warning?.details).not.toHaveProperty("applied");
  });

  test("are named up to a bound, however many and long they are", () => {
    const many = Array.from({ length: 30 }, (_, index) => `${"w".repeat(60)}${index}`);
    const message = toldOf(step(words([], many)))[0]?.message ?? "";
    expect(message).toContain("and 22 more");
    expect(message.length).toBeLessThan(500);
  });

  test("are not told when all of them arrived, or nothing was said of them", () => {
    expect(toldOf(step(words(["day"], [])), step(undefined), step("odd"), step({ prompt: 4 }))).toEqual([]);
  });

  test("are told once for each prompt: not again when a reset starts with it, but again when it is set again", () => {
    const zebra = words(["day"], ["zebra"]);
    expect(toldOf(step(zebra, 0), step(undefined, 1), step(zebra, 0))).toHaveLength(1);
    expect(toldOf(step(zebra, 0), step(zebra, 5))).toHaveLength(2);
    expect(toldOf(step(zebra, 0), step(words(["day"], []), 3), step(zebra, 0))).toHaveLength(2);
  });
});
