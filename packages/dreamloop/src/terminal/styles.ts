import type { CliHost, OutputStream } from "../program/cli-host.ts";

/** Emphasis for people; each is the identity where colour is not wanted. */
export interface Styles {
  /** For what matters most. */
  bold(text: string): string;
  /** For what matters least. */
  dim(text: string): string;
  /** For what went well. */
  good(text: string): string;
  /** For what is odd. */
  warn(text: string): string;
  /** For what went wrong. */
  bad(text: string): string;
}

const PLAIN: Styles = Object.freeze({
  bold: (text: string) => text,
  dim: (text: string) => text,
  good: (text: string) => text,
  warn: (text: string) => text,
  bad: (text: string) => text,
});

const COLORED: Styles = Object.freeze({
  bold: (text: string) => `\u001b[1m${text}\u001b[22m`,
  dim: (text: string) => `\u001b[2m${text}\u001b[22m`,
  good: (text: string) => `\u001b[32m${text}\u001b[39m`,
  warn: (text: string) => `\u001b[33m${text}\u001b[39m`,
  bad: (text: string) => `\u001b[31m${text}\u001b[39m`,
});

/** Whether `stream` is a terminal that understands escape sequences. */
export function isTerminal(stream: OutputStream, env: CliHost["env"]): boolean {
  return stream.isTTY === true && env.TERM !== "dumb";
}

/** The styles for a stream: plain when it is no terminal, and when `NO_COLOR` is set to anything (no-color.org). */
export function stylesFor(stream: OutputStream, env: CliHost["env"]): Styles {
  const refused = (env.NO_COLOR ?? "") !== "";
  return isTerminal(stream, env) && !refused ? COLORED : PLAIN;
}
