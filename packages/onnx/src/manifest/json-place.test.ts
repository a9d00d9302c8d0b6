import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonFaultPlace } from "./json-place.ts";

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("the place of a fault in JSON", () => {
  test.each([
    ['{\n  "id": x\n}', "line 2, column 9"],
    ['{\r\n  "a": 1,\r\n}', "line 3, column 1"],
    ['{ "a": [1, 2 }', "line 1, column 14"],
    ["", "line 1, column 1"],
    ['{"a": 1', "line 1, column 8"],
    ['{"a" 1}', "line 1, column 6"],
    ["[1,]", "line 1, column 4"],
    ["{} {}", "line 1, column 4"],
    ['"a\tb"', "line 1, column 1"],
    ["01", "line 1, column 2"],
    ["// no", "line 1, column 1"],
  ])("of %j is %s", (text, place) => {
    expect(isJson(text)).toBe(false);
    expect(jsonFaultPlace(text)).toBe(place);
  });

  test("is found exactly where the engine finds one, whatever the text", () => {
    const pieces = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      '"\\u00e4"',
      "1",
      "-0.5e3",
      "null",
      " ",
      "\n",
      "x",
      '"',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 9 }), (parts) => {
        const text = parts.join("");
        expect(jsonFaultPlace(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: 3000 },
    );
    fc.assert(fc.property(fc.json(), (text) => jsonFaultPlace(text) === undefined));
  });
});
