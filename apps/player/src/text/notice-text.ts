import { PROMPT_WORDS, RECORDING_LIMIT, SESSION_RESTARTED, type PlayEvents } from "@dreamloop/client";
import { sentence } from "./error-text.ts";
import type { Messages } from "./messages.ts";

/** Puts a notice of the session into the words of a catalogue; one of an unknown kind keeps the server's own. */
export function noticeText({ kind, message, details = {} }: PlayEvents["notice"], text: Messages): string {
  switch (kind) {
    case PROMPT_WORDS:
      return promptText(details, text) ?? sentence(message);
    case RECORDING_LIMIT:
      return typeof details.videoSeconds === "number"
        ? text.recordings.limit(details.videoSeconds)
        : text.recordings.limitUnknown;
    case SESSION_RESTARTED:
      return text.said.restarted;
    case "output_failed":
      return text.said.outputFailed;
    case "update_refused":
      return text.said.updateRefused;
    default:
      return sentence(message);
  }
}

/** What became of the words of a prompt. */
function promptText(details: Readonly<Record<string, unknown>>, { prompt }: Messages): string | undefined {
  const [unknown, cut, known] = [details.unknownWords, details.cutWords, details.knownWords].map(words);
  const parts: string[] = [];
  if (unknown.length > 0) parts.push(prompt.unknown(unknown));
  if (cut.length > 0) parts.push(prompt.noRoom(cut));
  if (parts.length === 0) return undefined;
  if (details.applied === false) parts.push(prompt.nothingChanges);
  else if (unknown.length > 0) parts.push(known.length === 0 ? prompt.noWordKnown : prompt.goesBy(telling(known)));
  return parts.join(" ");
}

function words(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((word): word is string => typeof word === "string") : [];
}

/** The words that say something, each once; small ones only where there are no others. */
function telling(known: readonly string[]): readonly string[] {
  const long = known.filter((word) => [...word].length >= 3);
  return [...new Set(long.length > 0 ? long : known)];
}
