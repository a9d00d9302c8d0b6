import { afterEach, beforeEach, expect } from "vitest";

const METHODS = ["debug", "error", "info", "log", "trace", "warn"] as const;

/** What the running test printed through the console. */
let printed: string[] = [];

// A test that has to print replaces the method itself, which takes the place of this one for its time.
for (const method of METHODS) {
  console[method] = (...values: unknown[]) => {
    printed.push(`console.${method}: ${values.map(String).join(" ")}`);
  };
}

beforeEach(() => {
  printed = [];
});

afterEach(() => {
  expect(printed, "a test printed to the console").toEqual([]);
});
