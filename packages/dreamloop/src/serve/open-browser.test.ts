import { expect, test } from "vitest";
import { canOpenBrowser } from "./open-browser.ts";

const terminal = { isTTY: true } as Parameters<typeof canOpenBrowser>[0]["stdout"];

test("L3: the browser opens only for somebody at a terminal in front of a display", () => {
  const can = (env: Record<string, string>, stdout = terminal, platform: NodeJS.Platform = "linux") =>
    canOpenBrowser({ env, stdout }, platform);
  expect(can({ DISPLAY: ":0" })).toBe(true);
  expect(can({ WAYLAND_DISPLAY: "wayland-0" })).toBe(true);
  expect(can({})).toBe(false);
  expect(can({}, terminal, "darwin")).toBe(true);
  expect(can({ DISPLAY: ":0", CI: "true" })).toBe(false);
  expect(can({ DISPLAY: ":0", SSH_CONNECTION: "x" })).toBe(false);
  expect(can({ DISPLAY: ":0" }, {} as typeof terminal)).toBe(false);
});
