import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { nearest } from "@dreamloop/core/internal";
import { markUsage } from "./exit-code-of.ts";

/** An error that says what the caller asked for and cannot have. */
export function usageError(message: string): DreamloopError {
  return markUsage(new DreamloopError(ERROR_CODES.invalidValue, message));
}

/** ` Did you mean …?` when one of `candidates` is near enough to `word`, else nothing. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates);
  return near === undefined ? "" : ` Did you mean ${near}?`;
}
