import { expect, test, vi } from "vitest";

test.fails("a test that prints to the console fails", () => {
  console.log("noise");
});

test("a test that replaces the method may call it", () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  console.warn("expected");
  expect(warn).toHaveBeenCalledWith("expected");
  warn.mockRestore();
});
