/** A block of a text in Markdown. */
export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "list"; readonly isOrdered: boolean; readonly items: readonly string[] }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "table"; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** A piece of a line. */
export type Span = { readonly kind: "text" | "code" | "strong" | "emphasis"; readonly text: string };

/** Splits the Markdown of model cards into blocks: headings, paragraphs, flat lists, fenced code and tables. HTML stays text. */
export function markdownBlocks(text: string): readonly Block[] {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const blocks: Block[] = [];
  let index = 0;
  const takeWhile = (test: (line: string) => boolean): string[] => {
    const taken: string[] = [];
    while (index < lines.length && test(lines[index] ?? "")) taken.push(lines[index++] ?? "");
    return taken;
  };
  while (index < lines.length) {
    const line = lines[index] ?? "";
    const heading = /^(#{1,6})\s+(.+?)\s*#*$/.exec(line);
    if (line.trim() === "") index += 1;
    else if (heading !== null) {
      blocks.push({ kind: "heading", level: heading[1]?.length ?? 1, text: heading[2] ?? "" });
      index += 1;
    } else if (line.startsWith("```")) {
      index += 1;
      const code = takeWhile((each) => !each.startsWith("```"));
      index += 1;
      blocks.push({ kind: "code", text: code.join("\n") });
    } else if (
      isRow(line) &&
      /^\s*\|?[\s:|-]+\|?\s*$/.test(lines[index + 1] ?? "") &&
      (lines[index + 1] ?? "").includes("-")
    ) {
      const [head, , ...rows] = takeWhile(isRow).map(cells);
      blocks.push({ kind: "table", head: head ?? [], rows });
    } else if (ITEM.test(line)) {
      blocks.push(list(takeWhile((each) => ITEM.test(each) || /^\s{2,}\S/.test(each))));
    } else {
      const paragraph = takeWhile((each) => each.trim() !== "" && !/^(#{1,6}\s|```)/.test(each) && !ITEM.test(each));
      blocks.push({ kind: "paragraph", text: paragraph.map((each) => each.trim()).join(" ") });
    }
  }
  return blocks;
}

/** Splits a line into plain and marked pieces; of links the text stays. */
export function markdownSpans(text: string): readonly Span[] {
  const plain = text.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1");
  const spans: Span[] = [];
  let from = 0;
  for (const match of plain.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*/g)) {
    if (match.index > from) spans.push({ kind: "text", text: plain.slice(from, match.index) });
    const [whole, code, strong, emphasis] = match;
    if (code !== undefined) spans.push({ kind: "code", text: code });
    else if (strong !== undefined) spans.push({ kind: "strong", text: strong });
    else spans.push({ kind: "emphasis", text: emphasis ?? "" });
    from = match.index + whole.length;
  }
  if (from < plain.length) spans.push({ kind: "text", text: plain.slice(from) });
  return spans;
}

const ITEM = /^\s*([-*+]|\d+[.)])\s+/;

function list(lines: readonly string[]): Block {
  const items: string[] = [];
  for (const line of lines) {
    if (ITEM.test(line)) items.push(line.replace(ITEM, ""));
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  return { kind: "list", isOrdered: /^\s*\d/.test(lines[0] ?? ""), items };
}

function isRow(line: string): boolean {
  return line.trim().startsWith("|");
}

function cells(line: string): readonly string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => cell.trim());
}
