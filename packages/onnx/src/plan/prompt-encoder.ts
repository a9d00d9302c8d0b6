import { allocate, elementCount, tensorOf, type Tensor } from "../manifest/tensor.ts";
import type { PromptDeclaration } from "../manifest/world-manifest.ts";

/** The numbers of words. */
export type Vocabulary = ReadonlyMap<string, number>;

/** What became of a prompt. */
export interface EncodedPrompt {
  /** The numbers of the known words, filled up with padding. */
  readonly tensor: Tensor;
  /** Words that are in the tensor, in order. */
  readonly knownWords: readonly string[];
  /** Words that the vocabulary lacks, in order, each once. */
  readonly unknownWords: readonly string[];
  /** Known words that there was no room for. */
  readonly cutWords: readonly string[];
}

/** Turns prompts into the numbers of their words. */
export class PromptEncoder {
  readonly #declaration: PromptDeclaration;
  readonly #vocabulary: Vocabulary;

  /** `vocabulary` has its words in lower case. */
  constructor(declaration: PromptDeclaration, vocabulary: Vocabulary) {
    this.#declaration = declaration;
    this.#vocabulary = vocabulary;
  }

  /** The words of the vocabulary. */
  get words(): readonly string[] {
    return [...this.#vocabulary.keys()];
  }

  /** Encodes a prompt; words that are not known are left out and reported. */
  encode(prompt: string): EncodedPrompt {
    const { dtype, shape, vocabulary } = this.#declaration;
    const room = elementCount(shape);
    const words = splitWords(prompt, vocabulary.split);
    const known = words.filter((word) => this.#vocabulary.has(word));
    const unknown = new Set(words.filter((word) => !this.#vocabulary.has(word)));
    const numbers = Array.from(allocate("int32", room) as Int32Array).fill(vocabulary.padding);
    known.slice(0, room).forEach((word, index) => (numbers[index] = this.#vocabulary.get(word) as number));
    return {
      tensor: tensorOf(dtype, shape, numbers),
      knownWords: known.slice(0, room),
      unknownWords: [...unknown],
      cutWords: known.slice(room),
    };
  }

  /** Whether a prompt has words but none that is known, so that nothing of it would arrive. */
  isUnknown(prompt: string): boolean {
    const { knownWords, unknownWords } = this.encode(prompt);
    return knownWords.length === 0 && unknownWords.length > 0;
  }
}

/** The words of a text in lower case. */
export function splitWords(text: string, split: "non_letters" | "whitespace"): readonly string[] {
  const parts = text.toLowerCase().split(split === "whitespace" ? /\s+/u : /\P{L}+/u);
  return parts.filter((part) => part !== "");
}
