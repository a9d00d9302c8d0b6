import { describe, expect, it } from "vitest";
import { PICTURE_HEIGHT, PICTURE_WIDTH } from "../dimensions.ts";
import { createDriveState, type DriveState } from "../state.ts";
import { trackPointAt } from "../track.ts";
import { createDriveWorld } from "../world.ts";
import { Material, MATERIAL_COLOURS } from "./materials.ts";
import { SceneRasteriser } from "./scene.ts";
import { createMapTarget, planeViews, type SceneTarget } from "./target.ts";

const world = createDriveWorld(2);
const rasteriser = new SceneRasteriser();

function draw(state: DriveState): SceneTarget {
  const target = {
    ...createMapTarget(PICTURE_WIDTH, PICTURE_HEIGHT),
    materials: new Uint8Array(PICTURE_WIDTH * PICTURE_HEIGHT),
  };
  rasteriser.rasterise(world, state, target);
  return target;
}

/** FNV-1a over bytes, for goldens. */
function hash(bytes: Uint8Array): number {
  let value = 0x811c9dc5;
  for (const byte of bytes) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value;
}

function share(target: SceneTarget, material: number): number {
  return target.materials!.filter((value) => value === material).length / target.materials!.length;
}

describe("SceneRasteriser", () => {
  it("G2: gives the same map frame bit for bit, whatever was drawn before", () => {
    const state = createDriveState(world, { stationMetres: 50 });
    const first = draw(state).planes;
    draw(createDriveState(world, { stationMetres: 250 }));
    expect(hash(draw(state).planes)).toBe(hash(first));
    const other = createMapTarget(PICTURE_WIDTH, PICTURE_HEIGHT);
    new SceneRasteriser().rasterise(world, state, other);
    expect(hash(other.planes)).toBe(hash(first));
  });

  it("G2: matches the golden hashes", () => {
    const hashes = [0, 120, 333].map((stationMetres) => hash(draw(createDriveState(world, { stationMetres })).planes));
    expect(hashes).toEqual([2901485880, 2019149474, 835801902]);
  });

  it("writes every pixel of every plane", () => {
    const state = createDriveState(world, { stationMetres: 90 });
    const one = createMapTarget(PICTURE_WIDTH, PICTURE_HEIGHT);
    const two = createMapTarget(PICTURE_WIDTH, PICTURE_HEIGHT);
    one.planes.fill(0);
    two.planes.fill(255);
    rasteriser.rasterise(world, state, one);
    rasteriser.rasterise(world, state, two);
    expect(Buffer.from(one.planes).equals(two.planes)).toBe(true);
  });

  it("shows the road below the horizon, lines on it, and sky above", () => {
    const target = draw(createDriveState(world, { stationMetres: 90, trafficCars: 0 }));
    expect(share(target, Material.sky)).toBeGreaterThan(0.1);
    expect(share(target, Material.asphalt)).toBeGreaterThan(0.15);
    const { red, green, blue } = planeViews(target);
    let white = 0;
    for (let index = 0; index < red.length; index++) if (Math.min(red[index], green[index], blue[index]) > 250) white++;
    expect(white).toBeGreaterThan(60);
    expect(target.materials!.subarray(0, PICTURE_WIDTH).every((material) => material !== Material.asphalt)).toBe(true);
  });

  it("puts another car where its lane is, larger when it is nearer", () => {
    const sizes = [40, 20, 10].map((gap) => {
      const state = createDriveState(world, { stationMetres: 100, trafficCars: 0 });
      const car = {
        stationMetres: 100 + gap,
        direction: 1,
        speedMetresPerSecond: 5,
        cruiseMetresPerSecond: 5,
        kind: "saloon",
        colour: 0,
        haltedSeconds: 0,
        braking: false,
      } as const;
      const target = draw({ ...state, traffic: [car] });
      return share(target, Material.carRed);
    });
    expect(sizes[0]).toBeGreaterThan(0);
    expect(sizes[1]).toBeGreaterThan(sizes[0] * 2);
    expect(sizes[2]).toBeGreaterThan(sizes[1] * 2);
  });

  it("shows grass instead of road to a car that looks away from it", () => {
    const state = createDriveState(world, { stationMetres: 100, trafficCars: 0, lateralMetres: -14 });
    const point = trackPointAt(world.track, 100);
    const away = { ...state.ego, headingRadians: Math.atan2(-point.tangentX, point.tangentY) };
    expect(share(draw({ ...state, ego: away }), Material.asphalt)).toBeLessThan(
      share(draw(state), Material.asphalt) + 0.02,
    );
    expect(share(draw({ ...state, ego: away }), Material.grass)).toBeGreaterThan(0.3);
  });
});

describe("MATERIAL_COLOURS", () => {
  it("tells all materials apart", () => {
    const seen = new Set<string>();
    for (const material of Object.values(Material))
      seen.add(MATERIAL_COLOURS.slice(3 * material, 3 * material + 3).join());
    expect(seen.size).toBe(Object.keys(Material).length);
  });
});
