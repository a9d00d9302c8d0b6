import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { philoxAddress } from "../stream-address.ts";
import golden from "./golden-values.json" with { type: "json" };
import { computeGoldenValues } from "./golden-values.ts";

it("G2: random streams and exact maths give the golden bit patterns in Node", () => {
  expect(computeGoldenValues()).toEqual(golden);
});

it("the golden file covers every function and no NaN", () => {
  expect(golden.functions.map(({ name }) => name).toSorted()).toEqual([
    "exactAcos",
    "exactAsin",
    "exactAtan",
    "exactAtan2",
    "exactCos",
    "exactExp",
    "exactHypot",
    "exactLog",
    "exactPow",
    "exactSin",
    "exactTan",
    "exactTanh",
  ]);
  const samples = golden.functions.flatMap((entry) => entry.samples);
  expect(samples.filter((bits) => /^[7f]ff[8-f]/.test(bits))).toEqual([]);
});

it("the worked example of docs/random.md is the first golden stream", () => {
  const page = readFileSync(new URL("../../../../../../docs/random.md", import.meta.url), "utf8");
  const block = /```text\n(key[^`]*)```/.exec(page)?.[1] ?? "";
  const line = (label: string) => new RegExp(`^${label} {2,}(.*)$`, "m").exec(block)?.[1]?.trim();

  const address = philoxAddress({ seed: 7, step: 3, subStep: 1, stream: "noise" });
  const words = (...values: number[]) => values.map((value) => value.toString(16).padStart(8, "0")).join(" ");
  expect(line("key")).toBe(words(address.key0, address.key1));
  expect(line("counter")).toBe(`${words(0, address.counter1, address.counter2, address.counter3)}   (block 0)`);

  const stream = golden.streams[0];
  expect(stream?.address).toEqual({ seed: 7, step: 3, subStep: 1, stream: "noise" });
  const number = (bits = "") => `${bits}   ${Buffer.from(bits, "hex").readDoubleBE()}`;
  expect(line("words 0-3")).toBe(stream?.words.slice(0, 4).join(" "));
  expect(line("uniform 0")).toBe(number(stream?.uniforms[0]));
  expect(line("uniform 1")).toBe(number(stream?.uniforms[1]));
  expect(line("normal 0")).toBe(number(stream?.normals[0]));
  expect(line("normal 1")).toBe(number(stream?.normals[1]));
});
