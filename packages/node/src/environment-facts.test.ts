import { hostname, userInfo } from "node:os";
import { json } from "@dreamloop/core/internal";
import { expect, test } from "vitest";
import { environmentFacts } from "./environment-facts.ts";

test("G1, K4: facts name processor, instruction sets, memory, system, Node and engine, as plain JSON", () => {
  const facts = environmentFacts();
  expect(json(facts, "facts")).toEqual(facts);
  expect(facts).toMatchObject({
    nodeVersion: process.versions.node,
    v8Version: process.versions.v8,
    uvVersion: process.versions.uv,
    arch: process.arch,
    platform: process.platform,
  });
  expect(facts.cpuCores).toBeGreaterThan(0);
  expect(facts.memoryBytes).toBeGreaterThan(0);
});

test.each([
  ["x86", "processor\t: 0\nflags\t\t: sse2 avx2 fma\n\nprocessor\t: 1\nflags\t\t: none\n", ["avx2", "fma", "sse2"]],
  ["ARM", "processor\t: 0\nFeatures\t: neon asimddp\n", ["asimddp", "neon"]],
  ["other systems", "", []],
])("reads the instruction sets on %s", (_name, cpuInfo, flags) => {
  expect(environmentFacts({ cpuInfo }).cpuFlags).toEqual(flags);
});

test("nothing in it names the machine or its user", () => {
  const text = JSON.stringify(Object.values(environmentFacts()));
  expect(text).not.toContain(JSON.stringify(hostname()));
  expect(text).not.toContain(JSON.stringify(userInfo().username));
});
