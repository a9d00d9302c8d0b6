import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";

const SOURCES = dirname(dirname(fileURLToPath(import.meta.url)));

/** Attributes that people read or hear. */
const READ_ATTRIBUTES = new Set([
  "aria-label",
  "aria-valuetext",
  "aria-description",
  "alt",
  "label",
  "placeholder",
  "title",
]);
/** Functions that say something. */
const SAYING = new Set(["toast", "announce", "onToast", "setNews"]);

/** Names that are the same in all languages. */
const NAMES = new Set(["WebRTC", "WebSocket"]);

/** Texts in a source file that a person would read and that do not come from the catalogue. */
function looseTexts(name: string, source: string): readonly string[] {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const note = (node: ts.Node, text: string): void => {
    if (!/\p{L}/u.test(text) || NAMES.has(text)) return;
    found.push(`${name}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${text.trim()}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node)) note(node, node.text);
    else if (ts.isStringLiteralLike(node) && isRead(node)) note(node, node.text);
    else if (ts.isTemplateExpression(node) && (isShown(node) || isSaid(node))) {
      for (const { literal } of node.templateSpans) note(node, literal.text);
      note(node, node.head.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Whether a string is a sentence, lies between tags, or stands in an attribute or a call that people read or hear. */
function isRead(node: ts.StringLiteralLike): boolean {
  return isSentence(node) || isShown(node) || isSaid(node);
}

/** Words with spaces between, which begin with a capital letter or end with a full stop, are made for people. */
function isSentence(node: ts.StringLiteralLike): boolean {
  if (ts.isImportDeclaration(node.parent) || ts.isJsxAttribute(node.parent)) return false;
  return /^\p{Lu}\p{Ll}+ .*\p{L}{2}|\p{L}{2} .*\p{L}{2}[.!?…]$/u.test(node.text);
}

function isShown(node: ts.Node): boolean {
  let parent = node.parent;
  while (ts.isConditionalExpression(parent) || ts.isParenthesizedExpression(parent)) parent = parent.parent;
  if (ts.isJsxAttribute(parent)) return READ_ATTRIBUTES.has(parent.name.getText());
  if (!ts.isJsxExpression(parent)) return false;
  return ts.isJsxAttribute(parent.parent) ? READ_ATTRIBUTES.has(parent.parent.name.getText()) : true;
}

function isSaid(node: ts.Node): boolean {
  const call = node.parent;
  return (
    ts.isCallExpression(call) &&
    call.arguments[0] === node &&
    SAYING.has(call.expression.getText().split(".").at(-1) ?? "")
  );
}

test("every text that a person reads is in the catalogue", () => {
  const names = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.tsx?$/.test(name) && !name.endsWith(".test.ts") && !name.startsWith("text"),
  );
  expect(names.length).toBeGreaterThan(40);
  const found = names.flatMap((name) => {
    const path = join(SOURCES, name);
    return looseTexts(relative(SOURCES, path), readFileSync(path, "utf8"));
  });
  expect(found).toEqual([]);
});

test("loose texts are found between tags, in attributes, in what is said, and as sentences", () => {
  const loose = (source: string): number => looseTexts("a.tsx", source).length;
  expect(loose('const a = <p className="two words">Hello {name}</p>;')).toBe(1);
  expect(loose('const a = <p>{isOn ? "On" : text.off}</p>;')).toBe(1);
  expect(loose('const a = <button aria-label="Close" type="button" />;')).toBe(1);
  expect(loose("toast(`Saved ${name}`);")).toBe(1);
  expect(loose('const title = "Nothing is here";')).toBe(1);
  expect(loose('const a = <p className={isOn ? "is on" : "off"}>{text.hello}</p>;')).toBe(0);
  expect(loose('const a = <p>{state === "running" ? text.a : text.b}</p>;')).toBe(0);
  expect(loose('import { x } from "./x.ts"; const b = x.closest("button, a");')).toBe(0);
});
