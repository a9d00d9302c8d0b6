import { describe, expect, test } from "vitest";
import { markdownBlocks, markdownSpans } from "./markdown-blocks.ts";

describe("model cards", () => {
  test("become blocks; HTML stays text and links lose their address", () => {
    const text =
      "# Title\n\nOne\ntwo\n\n- a\n  more\n- b\n\n| x | y |\n| --- | --- |\n| 1 | 2 |\n\n```\ncode\n```\n<b>";
    expect(markdownBlocks(text)).toEqual([
      { kind: "heading", level: 1, text: "Title" },
      { kind: "paragraph", text: "One two" },
      { kind: "list", isOrdered: false, items: ["a more", "b"] },
      { kind: "table", head: ["x", "y"], rows: [["1", "2"]] },
      { kind: "code", text: "code" },
      { kind: "paragraph", text: "<b>" },
    ]);
    expect(markdownSpans("see [here](http://x) **now** `a*b*`")).toEqual([
      { kind: "text", text: "see here " },
      { kind: "strong", text: "now" },
      { kind: "text", text: " " },
      { kind: "code", text: "a*b*" },
    ]);
  });
});
