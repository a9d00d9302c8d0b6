import { describe, expect, test } from "vitest";
import { processorName } from "./processor-name.ts";

const x86 = (flags: string): string =>
  `processor\t: 0\nmodel name\t: X\nflags\t\t: ${flags}\n\nprocessor\t: 1\nflags\t\t: sse\n`;

describe("processorName", () => {
  test("F4: changes with system, processor and instruction sets, and with nothing else", async () => {
    const name = await processorName({ model: " X 3 GHz ", cpuInfo: x86("avx2 fma") });
    expect(name).toMatch(new RegExp(`^${process.platform} ${process.arch}, X 3 GHz, features [0-9a-f]{12}$`));
    expect(await processorName({ model: "X 3 GHz", cpuInfo: x86("fma avx2") })).toBe(name);
    expect(await processorName({ model: "X 3 GHz", cpuInfo: `bogomips: 7\n${x86("fma avx2")}` })).toBe(name);
    expect(await processorName({ model: "X 3 GHz", cpuInfo: x86("avx2 fma avx512f") })).not.toBe(name);
    expect(await processorName({ model: "Y", cpuInfo: x86("avx2 fma") })).not.toBe(name);
  });

  test("tells ARM cores apart that have no name", async () => {
    const arm = (part: string): string => `Features\t: fp asimd\nCPU implementer\t: 0x41\nCPU part\t: ${part}\n`;
    const first = await processorName({ model: "", cpuInfo: arm("0xd0c") });
    expect(first).toMatch(/an unnamed processor, features /);
    expect(await processorName({ model: "", cpuInfo: arm("0xd40") })).not.toBe(first);
  });

  test("F4: is empty where nothing is known, so that it equals no recorded one", async () => {
    expect(await processorName({ model: "", cpuInfo: "" })).toBe("");
  });

  test("is the same each time on this machine", async () => {
    expect(await processorName()).toBe(await processorName());
    expect(await processorName()).not.toBe("");
  });
});
