import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closeReason } from "./close-codes.ts";

describe("the reason of a close", () => {
  it("is the whole text where there is room for it", () => {
    expect(closeReason("the session was ended")).toBe("the session was ended");
    expect(closeReason("é".repeat(61))).toBe("é".repeat(61));
  });

  it("ends behind a word with an ellipsis where there is not, without the comma before", () => {
    const text = `none of the words is known; use some of these: ${"day, daytime, ".repeat(20)}`;
    const reason = closeReason(text);
    expect(reason).toMatch(/[a-z]…$/);
    expect(text.startsWith(`${reason.slice(0, -1)}, `)).toBe(true);
    expect(reason.length).toBeGreaterThan(100);
  });

  it("never takes more bytes than a close has room for, whatever the letters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        const reason = closeReason(text);
        expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(123);
        expect(reason).not.toContain("\uFFFD\uFFFD");
        if (reason !== text) expect(reason.endsWith("…")).toBe(true);
      }),
    );
  });
});
