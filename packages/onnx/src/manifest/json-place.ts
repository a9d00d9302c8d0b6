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
  if (index === undefined) return undefined;
  const lines = text.slice(0, index).split(/\r\n|\n|\r/);
  return `line ${lines.length}, column ${(lines[lines.length - 1] ?? "").length + 1}`;
}

function faultIndex(text: string): number | undefined {
  const open: string[] = [];
  let expected: Expected = "value";
  let index = 0;
  for (;;) {
    TOKEN.lastIndex = index;
    const match = TOKEN.exec(text);
    if (match === null) {
      BLANKS.lastIndex = index;
      BLANKS.exec(text);
      const end = BLANKS.lastIndex;
      return end === text.length && expected === "nothing" ? undefined : end;
    }
    const [, punctuation, string, scalar] = match;
    const token = punctuation ?? (string === undefined ? "scalar" : "string");
    const next = after(token, expected, open);
    if (next === undefined) return TOKEN.lastIndex - (punctuation ?? string ?? scalar ?? "").length;
    expected = next;
    index = TOKEN.lastIndex;
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
