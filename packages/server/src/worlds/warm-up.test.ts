import { describe, expect, it } from "vitest";
import { leadStepsFor } from "./warm-up.ts";

describe("the lead of generation", () => {
  const lead = (modelSeconds: number | undefined, stepSeconds = 1 / 30) =>
    leadStepsFor({ modelSeconds, stepSeconds, maxLeadSteps: 2 });

  it("is short for fast worlds, at most the limit for slow ones, and the limit for those that were not measured", () => {
    expect(lead(0.001)).toBeCloseTo(1.42, 2);
    expect(lead(0.001, 0.2)).toBe(1.2);
    expect(lead(0.03)).toBe(2);
    expect(lead(undefined)).toBe(2);
  });
});
