import { describe, expect, it } from "vitest";
import { MessageBudget } from "./message-budget.ts";

describe("MessageBudget", () => {
  it("lets a player's busiest input pass: 250 messages of 600 bytes a second, and what piled up in 3 s without a network", () => {
    const budget = new MessageBudget();
    for (let index = 0; index < 5000; index += 1) expect(budget.charge(600, index / 250)).toBe(0);
    const quiet = new MessageBudget();
    for (let index = 0; index < 3 * 80; index += 1) expect(quiet.charge(600, 0)).toBe(0);
  });

  it("M5: a flood is read at the rate of the budget, whether of many small or of few large messages", () => {
    for (const [bytes, most] of [
      [1, 12_000],
      [65_536, 180],
    ] as const) {
      const budget = new MessageBudget();
      let seconds = 0;
      let count = 0;
      while (seconds < 10) {
        seconds += budget.charge(bytes, seconds);
        count += 1;
      }
      expect(count).toBeLessThan(most);
      expect(count).toBeGreaterThan(most / 2);
    }
  });

  it("is full again after a pause, and not fuller", () => {
    const budget = new MessageBudget({ unitsPerSecond: 10, burst: 5 });
    while (budget.charge(0, 0) === 0);
    expect(budget.charge(0, 3600)).toBe(0);
    const free = Array.from({ length: 10 }, () => budget.charge(0, 3600)).filter((wait) => wait === 0);
    expect(free).toHaveLength(4);
  });

  it("lets messages that may be lost pass again as soon as there is something for them, however many were lost", () => {
    const budget = new MessageBudget({ unitsPerSecond: 10, burst: 5 });
    const passed = Array.from({ length: 1000 }, () => budget.allows(0, 0)).filter(Boolean);
    expect(passed.length).toBeLessThan(8);
    expect(budget.allows(0, 0.2)).toBe(true);
  });
});
