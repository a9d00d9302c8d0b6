import type { WorldSummary } from "@dreamloop/client";
import { useId, useState, type ReactNode } from "react";
import { useText } from "../../text/text-provider.tsx";
import { hasWord, offeredWords, saysTheSame, toggleWord } from "./prompt-words.ts";

/** What the chips take. */
export interface PromptChipsProps {
  /** The world. */
  readonly world: Pick<WorldSummary, "promptSuggestions" | "promptVocabulary">;
  /** What the field holds. */
  readonly prompt: string;
  /** Sets another prompt at once. */
  readonly onPrompt: (prompt: string) => void;
}

/** What a world offers: whole prompts of its author's; where there are none, a few of its words behind a button. */
export function PromptChips({ world, prompt, onPrompt }: PromptChipsProps): ReactNode {
  const text = useText();
  const { promptSuggestions: suggestions = [], promptVocabulary: vocabulary = [] } = world;
  if (suggestions.length > 0) {
    return (
      <ul className="chips" aria-label={text.prompt.suggestions}>
        {suggestions.map((suggestion) => (
          <Chip
            key={suggestion}
            label={suggestion}
            isOn={saysTheSame(prompt, suggestion)}
            onClick={() => onPrompt(suggestion)}
          />
        ))}
      </ul>
    );
  }
  return vocabulary.length === 0 ? null : <Words vocabulary={vocabulary} prompt={prompt} onPrompt={onPrompt} />;
}

function Words(props: {
  readonly vocabulary: readonly string[];
  readonly prompt: string;
  readonly onPrompt: (prompt: string) => void;
}): ReactNode {
  const { vocabulary, prompt, onPrompt } = props;
  const text = useText();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const words = offeredWords(vocabulary);
  return (
    <div className="chips">
      <button
        type="button"
        className="chip is-disclosure"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {text.prompt.words}
      </button>
      <ul id={id} className="chip-list" aria-label={text.prompt.someWords} hidden={!isOpen}>
        {words.map((word) => (
          <Chip
            key={word}
            label={word}
            isOn={hasWord(prompt, word)}
            onClick={() => onPrompt(toggleWord(prompt, word))}
          />
        ))}
      </ul>
    </div>
  );
}

function Chip(props: { readonly label: string; readonly isOn: boolean; readonly onClick: () => void }): ReactNode {
  const { label, isOn, onClick } = props;
  return (
    <li>
      <button type="button" className="chip" aria-pressed={isOn} onClick={onClick}>
        {label}
      </button>
    </li>
  );
}
