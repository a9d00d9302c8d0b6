import { describe, expect, test } from "vitest";
import { distributionOf } from "./distribution.ts";
import { inferenceConfig } from "./inference-config.ts";

describe("workers, ranks and devices of a world", () => {
  test.each([
    [{ workers: 4 }, { workers: 4, ranks: 1, devices: [] }],
    [{ devices: "cuda:0, cuda:1" }, { workers: 2, ranks: 1, devices: ["cuda:0", "cuda:1"] }],
    [{ devices: [0, 1, "2"] }, { workers: 3, ranks: 1, devices: ["0", "1", "2"] }],
    [{ devices: 3 }, { workers: 1, ranks: 1, devices: ["3"] }],
    [{ ranks: 2 }, { workers: 1, ranks: 2, devices: [] }],
    [
      { ranks: 2, devices: "0,1,2,3" },
      { workers: 2, ranks: 2, devices: ["0", "1", "2", "3"] },
    ],
    [
      { ranks: 2, workers: 3, devices: "0,1" },
      { workers: 3, ranks: 2, devices: ["0", "1"] },
    ],
  ])("%j means %j", (hints, expected) => {
    expect(distributionOf(hints)).toEqual(expected);
  });

  test.each([
    [{}, /workers, ranks or devices/],
    [{ stepSeconds: 3 }, /workers, ranks or devices/],
    [{ workers: 0 }, /resourceHints\.workers/],
    [{ workers: "four" }, /resourceHints\.workers/],
    [{ ranks: 2.5 }, /resourceHints\.ranks/],
    [{ devices: "cuda:0,,cuda:1" }, /resourceHints\.devices/],
    [{ devices: { first: "cuda:0" } }, /resourceHints\.devices/],
    [{ ranks: 4, devices: "0,1" }, /at least 4 devices, one for each rank/],
  ])("%j is refused", (hints, message) => {
    expect(() => distributionOf(hints)).toThrow(message);
  });

  test("L1: they choose the backend where none is given, and leave one that is given alone", () => {
    const backendOf = (config: object): string => inferenceConfig({ modelId: "m", ...config }).backend;
    expect(backendOf({})).toBe("local");
    expect(backendOf({ resourceHints: { stepSeconds: 5 } })).toBe("local");
    for (const resourceHints of [{ workers: 2 }, { ranks: 2 }, { devices: "0" }]) {
      expect(backendOf({ resourceHints })).toBe("local-distributed");
      expect(backendOf({ resourceHints, backend: "external" })).toBe("external");
    }
  });
});
