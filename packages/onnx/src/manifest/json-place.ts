/** A token of JSON behind blanks: punctuation, a string, or a number or word. */
const TOKEN =
  /[ \t\n\r]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;
const BLANKS = /[ \t\n\r]*/y;

/** What may come next. */
type Expected = "value" | "value or ]" | "key" | "key or }" | "colon" | "comma or end" | "nothing";

/**
 * Where a text stops being JSON, as `line 3, column 14`, counted from 1; `undefined` where it is JSON. Engines say so in words of their own,
 * most of them without a place.
 */
export function jsonFaultPlace(text: string): string | undefined {
  const index = faultIndex(text);
  return index === undefined ? undefined : placeOf(text, index);
}

/** A key that stands twice in one object. */
export interface DuplicateKey {
  /** Where the object lies and the key, such as `graphs.step.file`. */
  readonly path: string;
  /** Where it stands for the second time, as `line 3, column 14`. */
  readonly place: string;
}

/** Keys that stand more than once in an object of a text that is JSON; engines take the last of them and say nothing. */
export function duplicateKeys(text: string): readonly DuplicateKey[] {
  const found: DuplicateKey[] = [];
  const open: { readonly keys: Set<string> | undefined; at: string | number }[] = [];
  let index = 0;
  for (let token = tokenAt(text, index); token !== undefined; token = tokenAt(text, index)) {
    index = token.end;
    const inner = open[open.length - 1];
    if (token.punctuation === "{") open.push({ keys: new Set(), at: "" });
    else if (token.punctuation === "[") open.push({ keys: undefined, at: 0 });
    else if (token.punctuation === "}" || token.punctuation === "]") open.pop();
    else if (token.punctuation === "," && typeof inner?.at === "number") inner.at += 1;
    else if (token.string !== undefined && inner?.keys !== undefined && isKey(text, token.end)) {
      const key = JSON.parse(token.string) as string;
      inner.at = key;
      if (inner.keys.has(key)) {
        found.push({ path: pathText(open.map(({ at }) => at)), place: placeOf(text, token.end - token.string.length) });
      }
      inner.keys.add(key);
    }
  }
  return found;
}

function isKey(text: string, end: number): boolean {
  return tokenAt(text, end)?.punctuation === ":";
}

/** A path as it is written in messages: `graphs.denoise.inputs["a b"].shape[0]`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    const name = String(key);
    if (!/^[A-Za-z_$][\w$-]*$/.test(name)) return `${text}[${JSON.stringify(name)}]`;
    return text === "" ? name : `${text}.${name}`;
  }, "");
}

function placeOf(text: string, index: number): string {
  const lines = text.slice(0, index).split(/\r\n|\n|\r/);
  return `line ${lines.length}, column ${(lines[lines.length - 1] ?? "").length + 1}`;
}

interface Token {
  readonly punctuation: string | undefined;
  readonly string: string | undefined;
  readonly scalar: string | undefined;
  readonly end: number;
}

function tokenAt(text: string, index: number): Token | undefined {
  TOKEN.lastIndex = index;
  const match = TOKEN.exec(text);
  if (match === null) return undefined;
  const [, punctuation, string, scalar] = match;
  return { punctuation, string, scalar, end: TOKEN.lastIndex };
}

function faultIndex(text: string): number | undefined {
  const open: string[] = [];
  let expected: Expected = "value";
  let index = 0;
  for (;;) {
    const found = tokenAt(text, index);
    if (found === undefined) {
      BLANKS.lastIndex = index;
      BLANKS.exec(text);
      const end = BLANKS.lastIndex;
      return end === text.length && expected === "nothing" ? undefined : end;
    }
    const { punctuation, string, scalar } = found;
    const token = punctuation ?? (string === undefined ? "scalar" : "string");
    const next = after(token, expected, open);
    if (next === undefined) return found.end - (punctuation ?? string ?? scalar ?? "").length;
    expected = next;
    index = found.end;
  }
}

/** What may follow a token, or nothing where the token itself may not stand here; keeps the brackets that are open. */
function after(token: string, expected: Expected, open: string[]): Expected | undefined {
  const isValue = expected === "value" || expected === "value or ]";
  const done = (): Expected => (open.length === 0 ? "nothing" : "comma or end");
  const close = (): Expected => {
    open.pop();
    return done();
  };
  const inner = open[open.length - 1];
  switch (token) {
    case "{":
    case "[":
      if (!isValue) return undefined;
      open.push(token);
      return token === "{" ? "key or }" : "value or ]";
    case "}":
      return expected === "key or }" || (expected === "comma or end" && inner === "{") ? close() : undefined;
    case "]":
      return expected === "value or ]" || (expected === "comma or end" && inner === "[") ? close() : undefined;
    case ",":
      if (expected !== "comma or end") return undefined;
      return inner === "{" ? "key" : "value";
    case ":":
      return expected === "colon" ? "value" : undefined;
    case "string":
      if (expected === "key" || expected === "key or }") return "colon";
      return isValue ? done() : undefined;
    default:
      return isValue ? done() : undefined;
  }
}
