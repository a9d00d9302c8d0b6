import { isDreamloopError } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import type { AppendedStateDeclaration } from "../../manifest/world-manifest.ts";
import { cacheSpan } from "./cache-span.ts";

const padded: AppendedStateDeclaration = {
  update: "append",
  dtype: "float32",
  shape: [1, 10, 2],
  axis: 1,
  window: 8,
  sink: 2,
  align: "end",
  padding: "zeros",
  entriesPerFrame: 2,
};
const open: AppendedStateDeclaration = { ...padded, shape: [1, "any", 2], padding: "none", fullLimit: 100 };

function refusal(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (isDreamloopError(error, "unsupported_config")) return error.message;
    throw error;
  }
  return "nothing was refused";
}

describe("cacheSpan", () => {
  test("auto keeps what the manifest says", () => {
    expect(cacheSpan("keys", padded, { kind: "auto" }, false)).toEqual({ window: 8, sink: 2 });
  });

  test("rolling counts frames and keeps their entries", () => {
    const policy = { kind: "rolling", windowFrames: 3, sinkFrames: 1 } as const;
    expect(cacheSpan("keys", padded, policy, true)).toEqual({ window: 6, sink: 2 });
    expect(cacheSpan("keys", open, { ...policy, windowFrames: 49 }, false)).toEqual({ window: 98, sink: 2 });
  });

  test("a window that does not fit the graph is refused with its room", () => {
    const policy = { kind: "rolling", windowFrames: 5, sinkFrames: 1 } as const;
    expect(refusal(() => cacheSpan("keys", padded, policy, true))).toMatch(/cachePolicy.*"keys": it has room for 10/);
  });

  test("a smaller window is refused where graphs are not told which entries are valid", () => {
    const policy = { kind: "rolling", windowFrames: 2, sinkFrames: 0 } as const;
    expect(refusal(() => cacheSpan("keys", padded, policy, false))).toMatch(/not told which entries are valid/);
  });

  test("full keeps everything up to the declared limit, and is refused without one", () => {
    expect(cacheSpan("keys", open, { kind: "full" }, false)).toEqual({ window: 100, sink: 0, limit: 100 });
    expect(refusal(() => cacheSpan("keys", padded, { kind: "full" }, true))).toMatch(/it keeps a window/);
  });
});
