import { isSmallWord } from "../adapter/world/prompt-report.ts";
import type { StepResult } from "../model/step-result.ts";
import { isPlainObject } from "../foundation/validate/reader.ts";
import type { RunWarning } from "./run-warnings.ts";

/** The kind of the warning about words of a prompt that a world could not take. */
const PROMPT_WORDS = "prompt_words";

/** Words that are named at most; the rest is counted. */
const MAX_NAMED_WORDS = 8;
/** Letters of a word that are shown at most. */
const MAX_WORD_LETTERS = 40;

/** What became of a prompt, as far as a world says. */
interface PromptWords {
  readonly knownWords: readonly string[];
  readonly unknownWords: readonly string[];
  readonly cutWords: readonly string[];
  readonly applied: boolean | undefined;
}

/** Tells of words in prompts that a world could not take, as `metadata.prompts` of a step reports them: once for each prompt. */
export class PromptWarnings {
  readonly #warn: (warning: RunWarning) => void;
  readonly #told = new Map<string, string | undefined>();

  /** `warn` hears of every warning. */
  constructor(warn: (warning: RunWarning) => void) {
    this.#warn = warn;
  }

  /** Takes the result of a committed step. */
  take(result: StepResult, stepNumber: number): void {
    const { prompts } = result.metadata;
    if (!isPlainObject(prompts)) return;
    for (const [input, report] of Object.entries(prompts)) {
      if (!isPlainObject(report)) continue;
      const words = readWords(report);
      const explained = explain(words);
      const message = explained === undefined || input === "prompt" ? explained : `${input}: ${explained}`;
      // A reset starts with the prompt that was there before, which is no news.
      const isNews = result.stepIndex > 0 || this.#told.get(input) !== message;
      this.#told.set(input, message);
      if (message === undefined || !isNews) continue;
      const { knownWords, unknownWords, cutWords, applied } = words;
      const details = { input, knownWords, unknownWords, cutWords, ...(applied === undefined ? {} : { applied }) };
      this.#warn({ kind: PROMPT_WORDS, message, stepNumber, details });
    }
  }
}

function readWords(report: Readonly<Record<string, unknown>>): PromptWords {
  const { knownWords, unknownWords, cutWords, applied } = report;
  return {
    knownWords: strings(knownWords),
    unknownWords: strings(unknownWords),
    cutWords: strings(cutWords),
    applied: typeof applied === "boolean" ? applied : undefined,
  };
}

function strings(words: unknown): readonly string[] {
  return Array.isArray(words) ? words.filter((word): word is string => typeof word === "string") : [];
}

/** What did not arrive and what counts instead; absent when everything did. */
function explain({ knownWords, unknownWords, cutWords, applied }: PromptWords): string | undefined {
  const parts: string[] = [];
  if (unknownWords.length > 0) parts.push(`the world does not know ${named(unknownWords)}`);
  if (cutWords.length > 0) parts.push(`there was no room for ${named(cutWords)}`);
  if (applied === false) parts.push("nothing changes");
  else if (unknownWords.length > 0) parts.push(remainder(knownWords));
  return parts.length === 0 ? undefined : parts.join("; ");
}

/** What the world goes by instead. */
function remainder(knownWords: readonly string[]): string {
  if (knownWords.length === 0) return "no word of the prompt is known";
  const counting = knownWords.filter((word) => !isSmallWord(word));
  return `it goes by ${named([...new Set(counting.length > 0 ? counting : knownWords)])}`;
}

function named(words: readonly string[]): string {
  const shown = words.slice(0, MAX_NAMED_WORDS).map((word) => {
    const letters = [...word];
    const text = letters.length > MAX_WORD_LETTERS ? `${letters.slice(0, MAX_WORD_LETTERS).join("")}…` : word;
    return JSON.stringify(text);
  });
  const rest = words.length - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}
