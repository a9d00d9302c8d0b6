import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { measureClientSizes } from "../bench/client-sizes.mjs";

test("the browser library tree-shakes, and its README tells what it weighs", async () => {
  const sizes = new Map((await measureClientSizes()).map(({ what, gzipBytes }) => [what, gzipBytes]));
  const all = sizes.get("everything") ?? Number.NaN;
  expect(sizes.get("watch")).toBeLessThan(all / 3);
  expect(sizes.get("connect")).toBeLessThan(all * 0.85);
  const readme = readFileSync(new URL("../packages/client/README.md", import.meta.url), "utf8");
  const told = Number(/everything +\| +[\d.]+ kB +\| +([\d.]+) kB/.exec(readme)?.[1]) * 1000;
  expect(Math.abs(told - all)).toBeLessThan(all * 0.05);
});
