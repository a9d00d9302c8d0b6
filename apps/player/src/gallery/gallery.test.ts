import { describe, expect, test } from "vitest";
import { inOrder } from "./instrument-worlds.ts";
import { ART_HEIGHT, ART_WIDTH, placeholderArt } from "./placeholder-art.ts";

test("instruments come after the worlds that are there to be played", () => {
  const ids = inOrder([{ id: "probe" }, { id: "drive" }, { id: "sail" }]).map(({ id }) => id);
  expect(ids).toEqual(["drive", "sail", "probe"]);
});

describe("a drawn picture", () => {
  test("is that of its name and stays within its frame", () => {
    expect(placeholderArt("drive")).toEqual(placeholderArt("drive"));
    expect(placeholderArt("drive")).not.toEqual(placeholderArt("sail"));
    const { hills, disc } = placeholderArt("drive");
    const numbers = hills.flatMap(({ path }) => path.match(/[\d.]+/g) ?? []).map(Number);
    expect(Math.max(...numbers)).toBeLessThanOrEqual(ART_WIDTH);
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(disc.y + disc.radius).toBeLessThan(ART_HEIGHT);
  });
});
