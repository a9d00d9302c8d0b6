import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { DREAMLOOP_VERSION } from "./version.ts";

test("the version that traces record is that of the package", () => {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  expect(DREAMLOOP_VERSION).toBe(manifest.version);
});
