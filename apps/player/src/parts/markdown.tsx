import { createElement, type ReactNode } from "react";
import { markdownBlocks, markdownSpans, type Block, type Span } from "./markdown-blocks.ts";

/** Shows the Markdown of a model card; nothing in it becomes HTML or a link. */
export function Markdown({ text }: { readonly text: string }): ReactNode {
  return <div className="markdown">{markdownBlocks(text).map((block, index) => showBlock(block, index))}</div>;
}

function showBlock(block: Block, key: number): ReactNode {
  switch (block.kind) {
    case "heading":
      // The dialog's own heading is the second level.
      return createElement(`h${Math.min(6, block.level + 2)}`, { key }, showSpans(block.text));
    case "paragraph":
      return <p key={key}>{showSpans(block.text)}</p>;
    case "list":
      return createElement(
        block.isOrdered ? "ol" : "ul",
        { key },
        block.items.map((item, index) => <li key={index}>{showSpans(item)}</li>),
      );
    case "code":
      return (
        <pre key={key} tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    case "table":
      return (
        <table key={key}>
          <thead>
            <tr>
              {block.head.map((cell, index) => (
                <th key={index} scope="col">
                  {showSpans(cell)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {block.rows.map((row, index) => (
              <tr key={index}>
                {row.map((cell, column) => (
                  <td key={column}>{showSpans(cell)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      );
  }
}

const ELEMENTS: Readonly<Record<Exclude<Span["kind"], "text">, string>> = {
  code: "code",
  strong: "strong",
  emphasis: "em",
};

function showSpans(text: string): ReactNode {
  return markdownSpans(text).map((span, index) =>
    span.kind === "text" ? span.text : createElement(ELEMENTS[span.kind], { key: index }, span.text),
  );
}
