import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { base64Length, fromBase64, toBase64 } from "./base64.ts";

describe("base64", () => {
  test("equals Node's own for any bytes, and reads back (property)", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const text = toBase64(bytes);
        expect(text).toBe(Buffer.from(bytes).toString("base64"));
        expect(text).toHaveLength(base64Length(bytes.length));
        expect([...fromBase64(text, "data")]).toEqual([...bytes]);
      }),
    );
  });

  test.each(["A", "AB", "ABC", "AB=C", "====", "AB-_", "A\u0100BC", "AAB=\n", "AB==AB==", "AR==", "AAF="])(
    "refuses %j, which no encoder makes",
    (text) => {
      expect(() => fromBase64(text, "TraceEvent.data")).toThrow(/^TraceEvent\.data: expected .*base64/);
    },
  );
});
