import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { FakeClock } from "@dreamloop/testing";
import { describe, expect, test } from "vitest";
import { inspectTrace } from "../inspect-trace.ts";
import { readTrace, type Trace } from "../read-trace.ts";
import { replayTrace } from "../replay/replay-trace.ts";
import { MemoryPayloadStore } from "../../snapshot/content/payload-store.ts";
import { PayloadReader } from "../value/payload-reader.ts";
import { resolveValue } from "../value/resolve-value.ts";
import { goldenWorld, recordGoldenTrace } from "./golden-run.ts";

const hasher = {
  digest: (parts: readonly Uint8Array[]) => createHash("sha256").update(Buffer.concat(parts)).digest("hex"),
};

const golden = readFileSync(new URL("./version-1.trace", import.meta.url));
const read = (): Promise<Trace> => readTrace([golden]);

/** The one array that stands outside of the golden trace. */
async function weights(): Promise<MemoryPayloadStore> {
  const store = new MemoryPayloadStore();
  const bytes = new Uint8Array(new Float32Array(8).fill(0.5).buffer);
  store.put(`sha256:${hasher.digest([bytes])}`, bytes);
  return store;
}

describe("the golden trace of format version 1", () => {
  test("is what the same run gives today, letter by letter but for the version", async () => {
    // Version 2 has added lines of rewinds and forks and the origin in the header; this run has none.
    const today = (await recordGoldenTrace(hasher)).replace('"formatVersion":2', '"formatVersion":1');
    expect(today).toBe(golden.toString("utf8"));
  });

  test("holds every kind of line", () => {
    const types = golden
      .toString("utf8")
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { readonly type: string }).type);
    expect([...new Set(types)].sort()).toEqual(
      ["event", "footer", "header", "pause", "reset", "step", "tolerance", "update"].sort(),
    );
  });

  test("is read as it was meant", async () => {
    const trace = await read();
    expect(trace).toMatchObject({ complete: true, steps: { length: 5 }, pauses: { length: 2 } });
    expect(trace.header).toMatchObject({ dreamloopVersion: "0.0.0-golden", seed: 11, worldId: "golden" });
    expect(trace.tolerance).toMatchObject({ maxDifference: 1, minPsnrDecibels: 48.5 });
    const payloads = new PayloadReader(await weights(), hasher);
    expect(await resolveValue(trace.header.requestedInputs, "inputs", payloads)).toEqual({
      initial: {
        prompt: "sun",
        picture: {
          pixels: Uint8Array.from({ length: 12 }, (_, index) => index),
          weights: new Float32Array(8).fill(0.5),
          special: [-0, Number.NaN, -Infinity, 12345678901234567890n, { $: "a key like the tag" }],
        },
      },
    });
    expect(await inspectTrace([golden])).toMatchObject({ generatedFrames: 8, resetCount: 1, updateCount: 1 });
  });

  test("G3, G5: is replayed to the same frames by this version", async () => {
    const report = await replayTrace({
      trace: await read(),
      adapter: goldenWorld,
      frameHasher: hasher,
      clock: new FakeClock(),
      payloads: await weights(),
    });
    expect(report).toMatchObject({ equal: true, stepCount: 5, comparedFrames: 8 });
    expect(report.environmentDifferences).toEqual([expect.stringMatching(/^dreamloop: "0\.0\.0-golden" → /)]);
  });
});
