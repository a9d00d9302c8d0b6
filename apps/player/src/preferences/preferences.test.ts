import { describe, expect, test } from "vitest";
import { DEFAULT_PREFERENCES, readPreferences } from "./preferences.tsx";

describe("what is remembered", () => {
  test("is read as far as it is as expected", () => {
    expect(readPreferences(null)).toEqual(DEFAULT_PREFERENCES);
    expect(readPreferences("{")).toEqual(DEFAULT_PREFERENCES);
    expect(
      readPreferences('{"showsStats":true,"showsLegend":3,"remaps":{"w":{"KeyI":"KeyW","KeyJ":4},"x":1}}'),
    ).toEqual({
      ...DEFAULT_PREFERENCES,
      showsStats: true,
      remaps: { w: { KeyI: "KeyW" } },
    });
    expect(readPreferences('{"language":"de","deadZone":0.2}')).toMatchObject({ language: "de", deadZone: 0.2 });
    expect(readPreferences('{"language":"tlh","deadZone":7}')).toEqual(DEFAULT_PREFERENCES);
  });
});
