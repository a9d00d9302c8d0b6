import { describe, expect, test } from "vitest";
import { pictureFault } from "./picture-kind.ts";
import { refusalText } from "./picture-question.tsx";

const bytes = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

describe("a file to start from", () => {
  test.each(["\x89PNG\r\n\x1a\nxx", "\xff\xd8\xff\xe0", "RIFF\x00\x00\x00\x00WEBPVP8 "])("is a picture: %j", (text) => {
    expect(pictureFault(bytes(text))).toBeUndefined();
  });

  test.each([
    ["GIF89a", "isGif"],
    ["<svg xmlns=", "isMarkup"],
    ["\n <?xml", "isMarkup"],
    ["\0\0\0\x18ftypheic", "isHeicOrVideo"],
    ["RIFF\x00\x00\x00\x00WAVE", "isNoPicture"],
    ["\x89PNG", "isNoPicture"],
    ["", "isNoPicture"],
  ])("is refused for what it holds: %j %s", (text, fault) => {
    expect(pictureFault(bytes(text))).toBe(fault);
  });
});

test("a refusal of the server is a sentence", () => {
  expect(refusalText("images.first_frame: picture: expected at most 5 pixels, found 3×2; scale it down")).toBe(
    "Expected at most 5 pixels, found 3×2; scale it down.",
  );
  expect(refusalText("images: the world w starts from no picture")).toBe("The world w starts from no picture.");
});
