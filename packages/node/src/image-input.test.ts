import { inputField } from "@dreamloop/core";
import { describe, expect, it } from "vitest";
import { imageInputSize } from "./image-input.ts";

describe("imageInputSize", () => {
  const size = (metadata: Readonly<Record<string, unknown>>) => imageInputSize(inputField({ name: "a", metadata }));

  it("is what a field of the type image says", () => {
    expect(size({ type: "image", width: 384, height: 224, dtype: "float32" })).toEqual({ width: 384, height: 224 });
  });

  it("is absent for other fields, and for sizes that no picture has", () => {
    expect(size({})).toBeUndefined();
    expect(size({ type: "prompt", width: 4, height: 4 })).toBeUndefined();
    for (const width of [0, -1, 1.5, 16_385, "4", null]) {
      expect(size({ type: "image", width, height: 4 })).toBeUndefined();
      expect(size({ type: "image", width: 4, height: width })).toBeUndefined();
    }
  });
});
