import { describe, expect, it } from "vitest";
import { KeyFrameGate } from "./key-frame-gate.ts";

describe("requests for key frames", () => {
  it("D3: the first is granted at once, those within 500 ms are answered by one more", () => {
    const gate = new KeyFrameGate();
    expect(gate.request(10, undefined)).toBe(true);
    expect(gate.request(10.1, undefined)).toBe(false);
    expect(gate.request(10.2, undefined)).toBe(false);
    expect(gate.dueSeconds).toBeCloseTo(10.5);
    expect(gate.advance(10.4)).toBe(false);
    expect(gate.advance(10.5)).toBe(true);
    expect(gate.advance(10.6)).toBe(false);
    expect(gate.coalesced).toBe(2);
    expect(gate.request(11.1, undefined)).toBe(true);
  });

  it("D3: one viewer's requests are limited and counted, and do not use up another's", () => {
    const gate = new KeyFrameGate();
    const greedy = KeyFrameGate.limiter();
    const modest = KeyFrameGate.limiter();
    let granted = 0;
    for (let request = 0; request < 100; request += 1) if (gate.request(request * 0.01, greedy)) granted += 1;
    expect(granted).toBeLessThanOrEqual(2);
    expect(gate.refused).toBeGreaterThan(90);
    expect(gate.request(5, modest)).toBe(true);
  });
});
