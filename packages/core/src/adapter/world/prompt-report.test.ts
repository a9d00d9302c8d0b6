import { FakeClock } from "@dreamloop/testing";
import { describe, expect, test } from "vitest";
import { runBatch } from "../../drivers/batch-driver.ts";
import type { RunWarning } from "../../drivers/run-warnings.ts";
import { eventListSource } from "../../inputs/event-list-source.ts";
import type { Mapping } from "../../foundation/validate/reader.ts";
import { defineWorld } from "./define-world.ts";
import { input } from "./input.ts";

const WORDS = { promptVocabulary: ["snow", "heavy rain"], promptSuggestions: ["a snowy night"] };

/** What is told of a world of two frames a second whose prompt is set at the start and again after one second. */
async function told(
  options: { readonly words?: object; readonly metadata?: Mapping; readonly start?: string },
  later?: string,
): Promise<readonly RunWarning[]> {
  const warnings: RunWarning[] = [];
  const adapter = defineWorld({
    id: "wordy",
    video: { width: 2, height: 1, framesPerSecond: 2 },
    inputs: { initial: { prompt: input.text({ default: "a clear day", live: true }) } },
    ...(options.words ?? WORDS),
    step: ({ frames }) => ({ frames, ...(options.metadata === undefined ? {} : { metadata: options.metadata }) }),
  });
  const event = { timestampSeconds: 1.1, eventType: "prompt_set", payload: { prompt: later ?? "" } };
  await runBatch({
    adapter,
    config: { modelId: adapter.modelId },
    clock: new FakeClock(),
    source: eventListSource({ events: later === undefined ? [] : [event], endSeconds: 2 }),
    onWarning: (warning) => warnings.push(warning),
    ...(options.start === undefined ? {} : { initialInputs: { initial: { prompt: options.start } } }),
  });
  return warnings.filter(({ kind }) => kind === "prompt_words");
}

describe("a world in code that names its words", () => {
  test("tells which words of a prompt it does not know, at the start and while it runs", async () => {
    const warnings = await told({ start: "a purple snow" }, "Heavy rain, rain and a snowy dragon");
    expect(warnings.map(({ message, stepNumber }) => [stepNumber, message])).toEqual([
      [0, 'the world does not know "purple"; it goes by "snow"'],
      [2, 'the world does not know "rain", "and", "dragon"; it goes by "heavy rain", "snowy"'],
    ]);
  });

  test("says nothing of its default, of words that it offers, and of an empty prompt", async () => {
    expect(await told({}, "a snowy night")).toEqual([]);
    expect(await told({ start: "heavy   rain!" }, "")).toEqual([]);
  });

  test("that takes free text says nothing, and what a world reports by itself counts", async () => {
    expect(await told({ words: {} }, "dragon")).toEqual([]);
    const own = { prompts: { prompt: { knownWords: [], unknownWords: [], cutWords: [] } } };
    expect(await told({ start: "dragon", metadata: own })).toEqual([]);
  });
});
