import { isPlainObject, type RunObserver, type RunWarning } from "@dreamloop/core";

/** Tells of words in prompts that a world could not take, as `metadata.prompts` of a step reports them; see `docs/bundles.md`. */
export function promptWarnings(tell: (warning: RunWarning) => void): RunObserver {
  return {
    stepCommitted: ({ result, stepNumber }) => {
      const { prompts } = result.metadata;
      if (!isPlainObject(prompts)) return;
      for (const [input, report] of Object.entries(prompts)) {
        if (!isPlainObject(report)) continue;
        const message = explained(report);
        if (message !== undefined) tell({ kind: "prompt_words", message: `${input}: ${message}`, stepNumber });
      }
    },
  };
}

/** What did not arrive; absent when everything did. */
function explained({ unknownWords, cutWords, applied }: Readonly<Record<string, unknown>>): string | undefined {
  const parts = [
    ...phrase("the world does not know", unknownWords),
    ...phrase("there was no room for", cutWords),
    ...(applied === false ? ["nothing of it took effect"] : []),
  ];
  return parts.length === 0 ? undefined : parts.join("; ");
}

function phrase(start: string, words: unknown): readonly string[] {
  if (!Array.isArray(words) || words.length === 0) return [];
  return [`${start} ${words.map((word) => JSON.stringify(word)).join(", ")}`];
}
