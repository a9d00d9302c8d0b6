import { advanceDrive, createDriveState, createDriveWorld, NEUTRAL_DRIVER_COMMAND } from "@dreamloop/worlds/drive";
import { describe, expect, it } from "vitest";
import { lookOf } from "../render/looks.ts";
import { Studio } from "./drives.ts";
import { psnr } from "./metrics.ts";
import { warpPicture } from "./warp.ts";

describe("warpPicture", () => {
  const world = createDriveWorld(7);
  const first = createDriveState(world, { trafficCars: 0, speedMetresPerSecond: 10 });
  const studio = new Studio();
  const look = lookOf({ time: 0, weather: 0 });
  const before = studio.draw(world, first, look);

  it("leaves the picture as it is when nothing moves", () => {
    expect(psnr(warpPicture(before.picture, first, first), before.picture)).toBeGreaterThan(45);
  });

  it("comes closer to the next pictures than the first picture itself, on the road above all", () => {
    let state = first;
    for (let step = 0; step < 4; step++) {
      state = advanceDrive(world, state, { ...NEUTRAL_DRIVER_COMMAND, throttle: 0.3 }, 0.05);
    }
    const after = studio.draw(world, state, look);
    const warped = warpPicture(before.picture, first, state);
    const road = after.truth.road;
    expect(psnr(warped, after.picture, road)).toBeGreaterThan(psnr(before.picture, after.picture, road) + 1);
  });
});
