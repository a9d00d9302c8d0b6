import { describe, expect, it } from "vitest";
import { posterTypeOf } from "./poster.ts";

const bytes = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

describe("posterTypeOf", () => {
  it.each([
    ["\x89PNG\r\n\x1a\n", "image/png"],
    ["\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"],
    ["RIFF\x10\0\0\0WEBPVP8 ", "image/webp"],
    ["RIFF\x10\0\0\0WAVEfmt ", undefined],
    ["<svg xmlns=''>", undefined],
    ["\x89PN", undefined],
    ["", undefined],
  ])("knows %j as %s", (content, type) => {
    expect(posterTypeOf(bytes(content))).toBe(type);
  });
});
