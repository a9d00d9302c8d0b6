import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { expect, it } from "vitest";
import { clientRecord, withoutPaths } from "./client-record.ts";

it.each([
  ["cannot read /srv/worlds/mine/world.js", "cannot read …/world.js"],
  ['"/srv/worlds/mine.js" failed', '"…/mine.js" failed'],
  ["at step (file:///srv/worlds/mine.js:3:1)", "at step (…/mine.js:3:1)"],
  ["C:\\worlds\\mine\\world.js is gone", "…/world.js is gone"],
  ["two: /a/b and /c/d/e", "two: …/b and …/e"],
  ["a folder /srv/worlds/", "a folder …/"],
  ["1/2 of image/png, and/or 3", "1/2 of image/png, and/or 3"],
  ["fetch /api/sessions/x/recordings", "fetch /api/sessions/x/recordings"],
  ["https://example.org/a/b", "https://example.org/a/b"],
])("M6: no absolute path reaches a client: %s", (text, told) => {
  expect(withoutPaths(text)).toBe(told);
});

it("M6: neither the message nor the details of an error name a folder", () => {
  const error = new DreamloopError(ERROR_CODES.loadFailed, "no /srv/a/b.js", {
    details: { file: "/srv/a/b.js", more: [{ path: "/srv/c/d" }], count: 3 },
  });
  expect(clientRecord(error)).toMatchObject({
    message: "no …/b.js",
    details: { file: "…/b.js", more: [{ path: "…/d" }], count: 3 },
  });
});
