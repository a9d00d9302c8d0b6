import { DreamloopError, isDreamloopError } from "@dreamloop/core";
import { SERVE_SETTINGS } from "./serve-settings.ts";

/** How messages about a run's configuration begin, and the option that sets what they name. */
const RUN_NAMES: readonly (readonly [pattern: RegExp, option: string])[] = [
  [/^ModelConfig\./, "--set model."],
  [/^InferenceConfig\./, "--set "],
  [/^candidateIndex\b/, "--candidate"],
];

/** Words of messages of the server that are no other English word. */
const FIELD = /\b(?:insecure|[a-z]+[A-Z]\w*)\b/g;

/** What a message about a run's configuration names, as options: `ModelConfig.threads` is `--set model.threads`. */
export function namingRunOptions(message: string): string {
  return RUN_NAMES.reduce((text, [pattern, option]) => text.replace(pattern, option), message);
}

/** What a message about the server's configuration names, as options: `ServerConfig.tlsKey` is `--tls-key`. */
export function namingServeOptions(message: string): string {
  const [, field = "", rest = ""] = /^(?:ServerConfig\.)?(\w+)\b(.*)$/s.exec(message) ?? [];
  const flag = flagOf(field);
  return flag === undefined ? message : flag + rest.replace(FIELD, (word) => flagOf(word) ?? word);
}

/** Does something that refuses what it was asked for in the words of a program, and lets its refusals name options. */
export function withOptionNames<Result>(naming: (message: string) => string, work: () => Result): Result {
  try {
    const result = work();
    return result instanceof Promise ? (result.catch((error: unknown) => rethrow(naming, error)) as Result) : result;
  } catch (error) {
    return rethrow(naming, error);
  }
}

function rethrow(naming: (message: string) => string, error: unknown): never {
  if (!isDreamloopError(error)) throw error;
  const message = naming(error.message);
  if (message === error.message) throw error;
  const { code, details, retryable } = error;
  throw new DreamloopError(code, message, { cause: error, details, retryable });
}

function flagOf(field: string): string | undefined {
  return Object.hasOwn(SERVE_SETTINGS, field) ? SERVE_SETTINGS[field as keyof typeof SERVE_SETTINGS].flag : undefined;
}
