import { expect, test } from "vitest";
import { retrySeconds } from "./retry-countdown.tsx";

test("tries follow each other more slowly, up to half a minute, and never sooner than the server asks for", () => {
  expect([0, 1, 2, 3, 4, 100].map((tries) => retrySeconds(tries))).toEqual([3, 6, 12, 24, 30, 30]);
  expect(retrySeconds(0, 11.2)).toBe(12);
  expect(retrySeconds(9, 5)).toBe(30);
  expect(retrySeconds(0, 1e9)).toBe(300);
});
