import type { RunWarning, StepRecord } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { promptWarnings } from "./prompt-warnings.ts";

/** What is told of a step whose world reports this. */
function told(metadata: Readonly<Record<string, unknown>>): readonly RunWarning[] {
  const warnings: RunWarning[] = [];
  const observer = promptWarnings((warning) => warnings.push(warning));
  void observer.stepCommitted?.({ stepNumber: 7, result: { metadata } } as unknown as StepRecord);
  return warnings;
}

const report = (unknownWords: readonly string[], cutWords: readonly string[], applied = true) => ({
  prompts: { prompt: { knownWords: ["day"], unknownWords, cutWords, applied } },
});

describe("words of prompts", () => {
  test("are told when the world does not know them or has no room for them", () => {
    expect(told(report(["zebra", "purple"], ["rain"]))).toEqual([
      {
        kind: "prompt_words",
        stepNumber: 7,
        message: 'prompt: the world does not know "zebra", "purple"; there was no room for "rain"',
      },
    ]);
    expect(told(report(["zebra"], [], false))[0]?.message).toBe(
      'prompt: the world does not know "zebra"; nothing of it took effect',
    );
  });

  test("are not told when all of them arrived, or nothing was said of them", () => {
    expect(told(report([], []))).toEqual([]);
    expect(told({})).toEqual([]);
    expect(told({ prompts: "odd" })).toEqual([]);
  });
});
