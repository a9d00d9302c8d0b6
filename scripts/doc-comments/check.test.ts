import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { gapsOfEntry } from "./check.mjs";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dreamloop-docs-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Writes the files and returns the names found without a comment, each with its file and line. */
function gaps(files: Record<string, string>): string[] {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return gapsOfEntry(join(folder, "index.ts"), join(folder, "tsconfig.json"), folder);
}

test("an undocumented function, class, constant and type are each named with file and line", () => {
  const text = `export function run(): void {}
export class Loop {}
export const LIMIT = 3;
export type Name = string;
export interface Empty {}
`;
  expect(gaps({ "index.ts": text })).toEqual([
    "index.ts:1: run has no doc comment",
    "index.ts:2: Loop has no doc comment",
    "index.ts:3: LIMIT has no doc comment",
    "index.ts:4: Name has no doc comment",
    "index.ts:5: Empty has no doc comment",
  ]);
});

test("documented exports, private members and names that are not exported need nothing more", () => {
  const text = `/** Runs. */
export function run(): void {}
/** A loop. */
export class Loop {
  /** Steps done. */
  steps = 0;
  private secret = 1;
  #hidden = 2;
  protected kept = this.secret + this.#hidden;
  [Symbol.iterator](): void {}
}
function inner(): void {}
inner();
`;
  expect(gaps({ "index.ts": text })).toEqual([]);
});

test("members of enums, as const objects, interfaces, type literals and classes are each checked", () => {
  const text = `/** Reasons. */
export const Reason = {
  /** Too late. */
  late: "late",
  early: "early",
} as const;
/** Frozen. */
export const Frozen = Object.freeze({ one: 1 } as const);
/** States. */
export enum State {
  open,
  /** Shut. */
  shut,
}
/** Options. */
export interface Options {
  a: number;
  /** Nested. */
  nested: {
    b: number;
  };
  /** Written on one line. */
  inline: readonly { x: number }[];
}
/** Either. */
export type Either =
  | {
      /** Kind. */
      type: "x";
      c: number;
    }
  | Readonly<{
      type: "y";
      d: number;
    }>;
/** Short. */
export type Short = { h: number };
/** Thing. */
export class Thing { e = 1; f(): void {} constructor(readonly g: number) {} }
`;
  expect(gaps({ "index.ts": text }).map((gap) => gap.split(" ")[1])).toEqual([
    "Reason.early",
    "Frozen.one",
    "State.open",
    "Options.a",
    "Options.nested.b",
    "Either.c",
    "Either.d",
    "Short.h",
    "Thing.g",
    "Thing.e",
    "Thing.f",
  ]);
});

test("re-exports are followed to their file, and an empty comment counts as none", () => {
  const files = {
    "index.ts": `export { one as first } from "./one.ts";\nexport * as all from "./two.ts";\n`,
    "one.ts": `/** */\nexport function one(): void {}\n`,
    "two.ts": `export const two = 2;\n`,
  };
  expect(gaps(files)).toEqual(["one.ts:2: first has no doc comment", "two.ts:1: all.two has no doc comment"]);
});

test("a member that carries out an interface has its comment from there", () => {
  const text = `/** What closes. */
export interface Closable {
  /** Closes. */
  close(): void;
}
/** A file. */
export class File implements Closable {
  close(): void {}
}
`;
  expect(gaps({ "index.ts": text })).toEqual([]);
});
