/** Words of a prompt as they are compared: lower case, without punctuation. */
export function promptWords(prompt: string): readonly string[] {
  return prompt
    .toLowerCase()
    .split(/[^\p{L}\p{N}'-]+/u)
    .filter((word) => word !== "");
}

/** Words that are offered at most where a world's author offers no prompts. */
const MAX_OFFERED_WORDS = 12;

/** A few words of a vocabulary: not too many, and none that says little by itself. */
export function offeredWords(vocabulary: readonly string[]): readonly string[] {
  return vocabulary.filter((word) => [...word].length >= 3).slice(0, MAX_OFFERED_WORDS);
}

/** Whether two prompts have the same words in the same order. */
export function saysTheSame(prompt: string, other: string): boolean {
  return promptWords(prompt).join(" ") === promptWords(other).join(" ");
}

/** Whether a word or phrase of the vocabulary is in a prompt. */
export function hasWord(prompt: string, word: string): boolean {
  const words = ` ${promptWords(prompt).join(" ")} `;
  return words.includes(` ${promptWords(word).join(" ")} `);
}

/** The prompt with a word put in at the end, or taken out wherever it stands. */
export function toggleWord(prompt: string, word: string): string {
  if (!hasWord(prompt, word)) return prompt.trim() === "" ? word : `${prompt.trim()} ${word}`;
  const pattern = promptWords(word)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join(String.raw`[^\p{L}\p{N}'-]+`);
  return prompt
    .replace(new RegExp(String.raw`(^|[^\p{L}\p{N}'-])${pattern}(?=$|[^\p{L}\p{N}'-])`, "giu"), "$1")
    .replaceAll(/\s+/g, " ")
    .trim();
}
