import { DRIVER_COMMAND, neutralValue } from "@dreamloop/core";
import { describe, expect, it } from "vitest";
import { driveDomain, type DriveDomainContext } from "./drive-domain.ts";
import type { DriveState } from "./state.ts";

const CONTEXT: DriveDomainContext = {
  width: 384,
  height: 224,
  framesPerSecond: 20,
  framesPerStep: 1,
  firstStepFrames: 1,
  options: {},
};

describe("driveDomain", () => {
  it("A10: its neutral action is what an idle device gives, with a unit for every field", () => {
    const neutral = Object.fromEntries(
      Object.entries(driveDomain.neutralAction).map(([name, { value }]) => [
        name.replace("driver_command.", ""),
        value,
      ]),
    );
    expect(neutral).toEqual(neutralValue(DRIVER_COMMAND));
    expect(Object.values(driveDomain.neutralAction).every(({ unit }) => unit !== "")).toBe(true);
  });

  it("supplies exactly the tensors that it declares", () => {
    const bound = driveDomain.bind({ ...CONTEXT, options: { trackSeed: 3 } });
    expect(bound.mapping.producesStep).toEqual(Object.keys(bound.stepTensors));
    expect(bound.mapping.producesInitial).toEqual(Object.keys(bound.initialTensors));
    expect(bound.stepTensors.map).toEqual({ dtype: "uint8", shape: [1, 6, 224, 384] });
  });

  it("takes the road from the session's seed, or from its options", () => {
    const free = driveDomain.bind(CONTEXT).mapping;
    expect((free.createState(21) as DriveState).worldSeed).toBe(21);
    const fixed = driveDomain.bind({
      ...CONTEXT,
      options: { trackSeed: 4, start: { speedMetresPerSecond: 0 } },
    }).mapping;
    expect(fixed.createState(21) as DriveState).toMatchObject({ worldSeed: 4, ego: { speedMetresPerSecond: 0 } });
  });

  it.each([
    ["another size", { width: 512 }, /video\.width: expected 384/],
    ["another rate", { framesPerSecond: 30 }, /video\.framesPerSecond: expected 20/],
    ["several frames a step", { framesPerStep: 4 }, /video\.framesPerStep: expected 1/],
    ["an unknown option", { options: { trackSed: 1 } }, /trackSed/],
    ["an option of the wrong type", { options: { trackSeed: "x" } }, /domainOptions\.trackSeed/],
  ])("refuses %s", (_, change, message) => {
    expect(() => driveDomain.bind({ ...CONTEXT, ...change })).toThrow(message);
  });
});
