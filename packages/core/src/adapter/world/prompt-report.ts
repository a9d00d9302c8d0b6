import type { Mapping } from "../../foundation/validate/reader.ts";
import type { World } from "./world.ts";

/** Words of a prompt as they are compared: lower case, without punctuation. */
function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}'-]+/u)
    .filter((word) => word !== "");
}

/**
 * What a world that names its words makes of its prompt, for `metadata.prompts`; nothing for a world of free text. The words of its suggestions count as
 * known, and small ones that say nothing by themselves are passed over. What an unknown prompt does is the world's own affair, so that nothing is said of it.
 */
export function promptReports(
  world: World,
  initial: Mapping,
  when: { readonly stepIndex: number; readonly updated: readonly string[] },
): Mapping | undefined {
  const { promptVocabulary, promptSuggestions = [], inputs } = world;
  const name = inputs.conditioning.prompt ?? "prompt";
  const prompt = initial[name];
  if (promptVocabulary === undefined || typeof prompt !== "string") return undefined;
  const isGiven = when.stepIndex === 0 && prompt !== inputs.initial[name]?.defaultValue;
  if (!isGiven && !when.updated.includes(name)) return undefined;
  const phrases = [...promptVocabulary.map(wordsOf), ...promptSuggestions.flatMap(wordsOf).map((word) => [word])];
  return { [name]: { ...sorted(wordsOf(prompt), phrases), cutWords: [] } };
}

/** Goes through the words of a prompt; where several phrases begin, the longest counts. */
function sorted(
  words: readonly string[],
  phrases: readonly (readonly string[])[],
): { readonly knownWords: readonly string[]; readonly unknownWords: readonly string[] } {
  const longestFirst = phrases.filter(({ length }) => length > 0).sort((one, other) => other.length - one.length);
  const known = new Set<string>();
  const unknown = new Set<string>();
  for (let at = 0; at < words.length;) {
    const phrase = longestFirst.find((each) => each.every((word, index) => words[at + index] === word));
    const word = words[at];
    if (phrase !== undefined) known.add(phrase.join(" "));
    else if (!isSmallWord(word)) unknown.add(word);
    at += phrase?.length ?? 1;
  }
  return { knownWords: [...known], unknownWords: [...unknown] };
}

/** Whether a word of a prompt says little by itself, such as "a" and "of". */
export function isSmallWord(word: string): boolean {
  return /^\p{Script=Latin}{1,2}$/u.test(word);
}
