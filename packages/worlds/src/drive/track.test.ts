import { describe, expect, it } from "vitest";
import { createTrack, MINIMUM_RADIUS_METRES, trackPointAt, wrapStation } from "./track.ts";

describe("createTrack", () => {
  it("gives the same bits for the same seed and other roads for other seeds", () => {
    expect(createTrack(11).x).toEqual(createTrack(11).x);
    expect(createTrack(11).lengthMetres).not.toBe(createTrack(12).lengthMetres);
  });

  it("closes the loop, keeps points at equal distances and bends no tighter than allowed", () => {
    for (let seed = 0; seed < 12; seed++) {
      const track = createTrack(seed);
      const count = track.x.length;
      expect(track.lengthMetres).toBeGreaterThan(300);
      for (let index = 0; index < count; index++) {
        const next = (index + 1) % count;
        const step = Math.hypot(track.x[next] - track.x[index], track.y[next] - track.y[index]);
        expect(Math.abs(step - track.spacingMetres)).toBeLessThan(0.02);
        expect(Math.abs(track.curvature[index])).toBeLessThanOrEqual(1 / MINIMUM_RADIUS_METRES);
      }
    }
  });

  it("has left and right bends on most tracks", () => {
    const seeds = Array.from({ length: 10 }, (_, seed) => createTrack(seed).curvature);
    const winding = seeds.filter((bends) => Math.max(...bends) > 0.004 && Math.min(...bends) < -0.004);
    expect(winding.length).toBeGreaterThanOrEqual(7);
  });
});

describe("trackPointAt", () => {
  const track = createTrack(5);

  it("is the same one lap later and offsets to the left", () => {
    const here = trackPointAt(track, 40);
    const later = trackPointAt(track, 40 + track.lengthMetres);
    expect(later.xMetres).toBeCloseTo(here.xMetres, 6);
    const left = trackPointAt(track, 40, 2);
    const across = here.tangentX * (left.yMetres - here.yMetres) - here.tangentY * (left.xMetres - here.xMetres);
    expect(across).toBeCloseTo(2, 6);
  });

  it("wraps any station into one lap", () => {
    for (const station of [-0.1, -1000, 0, track.lengthMetres, 12_345]) {
      const wrapped = wrapStation(track, station);
      expect(wrapped).toBeGreaterThanOrEqual(0);
      expect(wrapped).toBeLessThan(track.lengthMetres);
    }
  });
});
