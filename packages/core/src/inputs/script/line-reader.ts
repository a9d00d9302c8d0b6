import { DreamloopError, ERROR_CODES } from "../../foundation/dreamloop-error.ts";
import { nearest } from "../../foundation/validate/record.ts";

/** A word, number or quoted text of a line. */
interface Token {
  /** As it is written; of a quoted text what it says. */
  readonly text: string;
  /** Whether it stood in quotes. */
  readonly quoted: boolean;
  /** Column of its first character, from 1. */
  readonly column: number;
  /** Offset of the first character behind it. */
  readonly end: number;
}

/** Characters that separate tokens; commas and colons are for the eye only. */
const SEPARATOR = /[\s,:]/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)$/;
const NUMBER_WITH_UNIT = /^(\d+(?:\.\d*)?|\.\d+)(m?s)$/i;

/** Reads one line of a script token by token; every refusal names line and column, what was found and what is allowed. */
export class LineReader {
  readonly #line: string;
  readonly #lineNumber: number;
  #offset = 0;
  #lastColumn = 1;

  /** `lineNumber` counts from 1. */
  constructor(line: string, lineNumber: number) {
    this.#line = line;
    this.#lineNumber = lineNumber;
  }

  /** Whether nothing but a comment is left. */
  get atEnd(): boolean {
    return this.#peek() === undefined;
  }

  /** Another reader at the same place. */
  copy(): LineReader {
    const copy = new LineReader(this.#line, this.#lineNumber);
    copy.#offset = this.#offset;
    copy.#lastColumn = this.#lastColumn;
    return copy;
  }

  /** Whether the next token is the given word. */
  nextIs(word: string): boolean {
    const token = this.#peek();
    return token !== undefined && !token.quoted && token.text.toLowerCase() === word;
  }

  /** Refuses with the place of the token that was read last. */
  refuse(expected: string, found: string, known: readonly string[] = []): never {
    return this.#refuseAt(this.#lastColumn, expected, found, known);
  }

  /** Adds the place of the token that was read last to an error of other checks. */
  refuseBecause(message: string): never {
    return this.#throwAt(this.#lastColumn, message);
  }

  /** Whether the next token is the given word; if so, it is taken. */
  takeWord(word: string): boolean {
    const token = this.#peek();
    if (token === undefined || !this.nextIs(word)) return false;
    this.#take(token);
    return true;
  }

  /** A word out of a list, in any case. */
  keyword(known: readonly string[], expected = `one of ${known.join(", ")}`): string {
    const token = this.#next(expected);
    const word = token.text.toLowerCase();
    if (token.quoted || !known.includes(word)) this.#refuseAt(token.column, expected, this.#shown(token), known);
    return word;
  }

  /** A name: a word or a quoted text. */
  name(expected: string): string {
    return this.#next(expected).text;
  }

  /** A name out of a list, written exactly. */
  nameOf(known: readonly string[], expected: string): string {
    const token = this.#next(expected);
    if (!known.includes(token.text)) this.#refuseAt(token.column, expected, this.#shown(token), known);
    return token.text;
  }

  /** A quoted text. */
  quoted(expected: string): string {
    const token = this.#next(expected);
    if (!token.quoted) this.#refuseAt(token.column, `${expected} in double quotes`, this.#shown(token), []);
    return token.text;
  }

  /** A decimal number. */
  number(expected: string): number {
    const token = this.#next(expected);
    if (token.quoted || !NUMBER.test(token.text)) this.#refuseAt(token.column, expected, this.#shown(token), []);
    return Number(token.text);
  }

  /** A time or duration with its unit, in seconds to the microsecond: `1.5 s`, `250 ms`, `2s`. A sign `+` is left out by `afterPlus`. */
  seconds(expected: string, afterPlus = false): number {
    const token = this.#next(`${expected}, such as 1.5 s or 250 ms`);
    const written = afterPlus ? token.text.slice(1) : token.text;
    const joined = NUMBER_WITH_UNIT.exec(written);
    if (joined !== null) return inSeconds(Number(joined[1]), joined[2].toLowerCase());
    if (token.quoted || !NUMBER.test(written) || /^[+-]/.test(written)) {
      this.#refuseAt(token.column, `${expected}, such as 1.5 s or 250 ms`, this.#shown(token), []);
    }
    return inSeconds(Number(written), this.keyword(["s", "ms"], "the unit of the time: s or ms"));
  }

  /** Whether the next token begins with `+`, as relative times do. */
  get startsWithPlus(): boolean {
    const token = this.#peek();
    return token !== undefined && !token.quoted && token.text.startsWith("+");
  }

  /** A JSON object up to its closing brace. */
  jsonObject(expected: string): unknown {
    const token = this.#next(expected);
    if (token.quoted || !token.text.startsWith("{")) this.#refuseAt(token.column, expected, this.#shown(token), []);
    const start = token.column - 1;
    const end = endOfObject(this.#line, start);
    if (end === undefined)
      this.#refuseAt(token.column, "a JSON object with its closing brace on the same line", "no such brace", []);
    this.#offset = end;
    try {
      return JSON.parse(this.#line.slice(start, end)) as unknown;
    } catch (error) {
      return this.#throwAt(token.column, `this is no JSON: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Refuses whatever is left. */
  finish(after: string): void {
    const token = this.#peek();
    if (token !== undefined) this.#refuseAt(token.column, `nothing more after ${after}`, this.#shown(token), []);
  }

  #next(expected: string): Token {
    const token = this.#peek();
    if (token === undefined)
      return this.#refuseAt(this.#line.trimEnd().length + 1, expected, "the end of the line", []);
    this.#take(token);
    return token;
  }

  #take(token: Token): void {
    this.#offset = token.end;
    this.#lastColumn = token.column;
  }

  #peek(): Token | undefined {
    let start = this.#offset;
    while (start < this.#line.length && SEPARATOR.test(this.#line.charAt(start))) start += 1;
    if (start >= this.#line.length || this.#line.charAt(start) === "#") return undefined;
    if (this.#line.charAt(start) === '"') return this.#quotedAt(start);
    let end = start;
    while (end < this.#line.length && !SEPARATOR.test(this.#line.charAt(end)) && this.#line.charAt(end) !== '"')
      end += 1;
    return { text: this.#line.slice(start, end), quoted: false, column: start + 1, end };
  }

  #quotedAt(start: number): Token {
    let end = start + 1;
    while (end < this.#line.length && this.#line.charAt(end) !== '"') end += this.#line.charAt(end) === "\\" ? 2 : 1;
    const literal = this.#line.slice(start, end + 1);
    if (end >= this.#line.length) return this.#refuseAt(start + 1, "a closing double quote", "the end of the line", []);
    try {
      return { text: JSON.parse(literal) as string, quoted: true, column: start + 1, end: end + 1 };
    } catch {
      return this.#refuseAt(start + 1, 'a text with the escapes of JSON, such as \\" and \\n', literal, []);
    }
  }

  #shown(token: Token): string {
    return JSON.stringify(token.text.length > 40 ? `${token.text.slice(0, 40)}…` : token.text);
  }

  #refuseAt(column: number, expected: string, found: string, known: readonly string[]): never {
    const near = known.length === 0 ? undefined : nearest(found.replaceAll('"', ""), known);
    const hint = near === undefined ? "" : `; did you mean ${JSON.stringify(near)}?`;
    return this.#throwAt(column, `expected ${expected}, found ${found}${hint}`);
  }

  #throwAt(column: number, message: string): never {
    const line = this.#lineNumber;
    throw new DreamloopError(ERROR_CODES.traceInvalid, `script line ${line}, column ${column}: ${message}`, {
      details: { line, column },
    });
  }
}

/** Seconds to the microsecond, so that sums of decimal times are what one would write. */
export function toMicrosecond(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6;
}

function inSeconds(value: number, unit: string): number {
  return toMicrosecond(unit === "ms" ? value / 1000 : value);
}

/** Offset behind the brace that closes the object at `start`. */
function endOfObject(line: string, start: number): number | undefined {
  let depth = 0;
  let inText = false;
  for (let offset = start; offset < line.length; offset += 1) {
    const character = line.charAt(offset);
    if (inText) {
      if (character === "\\") offset += 1;
      else if (character === '"') inText = false;
    } else if (character === '"') inText = true;
    else if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) return offset + 1;
    }
  }
  return undefined;
}
