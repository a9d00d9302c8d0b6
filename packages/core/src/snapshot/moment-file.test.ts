import { createHash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import {
  encodeMoment,
  inferenceConfig,
  isDreamloopError,
  openMoment,
  sessionDescription,
  timeWindow,
  userInputs,
  type MomentContent,
  type MomentTools,
  type SessionState,
} from "../index.ts";
import { InputTracker } from "../inputs/input-tracker.ts";
import type { StateBinding } from "./state-binding.ts";

const hasher = {
  digest: (parts: readonly Uint8Array[]) => createHash("sha256").update(Buffer.concat(parts)).digest("hex"),
};
const tools: MomentTools = {
  hasher,
  compressor: {
    deflate: (bytes) => deflateRawSync(bytes),
    inflate: (bytes, maxOutputLength) => inflateRawSync(bytes, { maxOutputLength }),
  },
};

const binding: StateBinding = {
  modelId: "drive",
  description: sessionDescription({ worldId: "drive", width: 32, height: 32, framesPerSecond: 10, framesPerStep: 1 }),
  config: inferenceConfig({ modelId: "drive" }),
  versions: { "mapping:drive": "1" },
  runtimeFacts: { engine: "onnx", engineVersion: "1", weightHashes: { a: "1" }, threads: 2 },
};

const cache = Float32Array.from({ length: 20_000 }, (_, index) => (index * 2654435761) % 977);

function stateOf(data: unknown): SessionState {
  return {
    rollout: {
      generation: 2,
      stepIndex: 40,
      stepNumber: 90,
      seed: 7,
      initial: { prompt: "rain" },
      canonicalizerState: { keyboard: { held: ["KeyW"] } },
      mappingState: { x: -0, list: [1, 2] },
      session: { version: "drive@1", data },
    },
    driver: { held: new InputTracker().save(), sessionSeconds: 9, timelineFrames: 90 },
    lead: [
      { type: "reset", seed: 8 },
      {
        type: "step",
        window: timeWindow({ startSeconds: 9, endSeconds: 9.1 }),
        inputs: userInputs({ events: [{ timestampSeconds: 9.05, eventType: "key_down", payload: { code: "KeyA" } }] }),
      },
    ],
  };
}

const content: MomentContent = {
  state: stateOf({ cache, zeros: new Uint8Array(100_000), steps: 3n }),
  binding,
  name: "before the bend",
  trace: new TextEncoder().encode('{"type":"header"}\n'.repeat(2000)),
  picture: { type: "image/png", width: 4, height: 2, bytes: new Uint8Array([1, 2, 3]) },
};

let file: Uint8Array;
beforeAll(async () => {
  file = await encodeMoment(content, tools);
});

describe("a moment file", () => {
  test("O3: gives back state, trace, picture and facts", async () => {
    const moment = await openMoment(file, tools);
    expect(moment.facts).toMatchObject({
      name: "before the bend",
      prompt: "rain",
      position: { generation: 3, stepIndex: 1, seed: 8, sessionSeconds: 9.1 },
    });
    expect(moment.facts.binding).toEqual(binding);
    const state = await moment.state();
    expect(state).toEqual(content.state);
    expect(Object.is((state.rollout.mappingState as { x: number }).x, -0)).toBe(true);
    expect(await moment.trace()).toEqual(content.trace);
    expect(await moment.picture()).toEqual(content.picture);
    // Zeros and repeated lines are stored once and small.
    expect(moment.sizes.fileBytes).toBeLessThan(cache.byteLength + 20_000);
    expect(await encodeMoment(content, tools)).toEqual(file);
  });

  test("O3: takes a session's state as bytes alone, and a file without compression", async () => {
    const state = stateOf(new Uint8Array([3, 1, 4]));
    const plain = await encodeMoment({ state, binding }, { hasher });
    expect(await (await openMoment(plain, { hasher })).state()).toEqual(state);
    await expect((await openMoment(file, { hasher })).state()).rejects.toMatchObject({ code: "unavailable" });
  });

  const codes = ["snapshot_invalid", "limit_exceeded"];
  async function openWhole(bytes: Uint8Array): Promise<string> {
    try {
      const moment = await openMoment(bytes, tools);
      // What opens is what was saved: a flip may fall into a bit that no one reads, such as the padding of a deflated chunk.
      const found = { state: await moment.state(), trace: await moment.trace(), picture: await moment.picture() };
      const again = await encodeMoment({ ...content, ...found }, tools);
      return Buffer.compare(again, file) === 0 ? "opened" : "opened another";
    } catch (error) {
      if (isDreamloopError(error)) return error.code;
      throw error;
    }
  }

  test("O4: a flipped bit anywhere is a named error, or changes nothing (property)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(file.byteLength - 1), fc.nat(7), async (at, bit) => {
        const broken = file.slice();
        broken[at] = (broken[at] ?? 0) ^ (1 << bit);
        expect([...codes, "opened"]).toContain(await openWhole(broken));
      }),
      { numRuns: 120 },
    );
  });

  test("O4: a file that is cut off or longer is a named error (property)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(file.byteLength - 1), async (length) => {
        expect(codes).toContain(await openWhole(file.subarray(0, length)));
      }),
      { numRuns: 60 },
    );
    expect(codes).toContain(await openWhole(new Uint8Array([...file, 0])));
    expect(codes).toContain(await openWhole(new Uint8Array()));
  });

  test("O4: huge lengths in a header with a right digest are refused before anything is allocated", async () => {
    const view = new DataView(file.buffer, file.byteOffset);
    const headerBytes = view.getUint32(12, true);
    const header = JSON.parse(new TextDecoder().decode(file.subarray(48, 48 + headerBytes))) as Record<string, never>;
    const rewritten = (change: (header: never) => void): Uint8Array => {
      const copy = structuredClone(header);
      change(copy as never);
      const text = new TextEncoder().encode(JSON.stringify(copy));
      const prefix = file.slice(0, 16);
      new DataView(prefix.buffer).setUint32(12, text.byteLength, true);
      const digest = Buffer.from(hasher.digest([text]), "hex");
      return new Uint8Array(Buffer.concat([prefix, digest, text, file.subarray(48 + headerBytes)]));
    };
    expect(await openWhole(rewritten(() => undefined))).toBe("opened");
    const faults: readonly ((header: {
      arrays: { bytes: number; chunks: number[]; type: string }[];
      chunks: { bytes: number; stored: number; address: string; coding: string }[];
      value: unknown;
      picture: { bytes: number };
    }) => void)[] = [
      ({ arrays }) => void (arrays[0].bytes = 2 ** 40),
      ({ arrays }) => void (arrays[0].bytes = 2 ** 29),
      ({ arrays }) => void (arrays[0].chunks = Array.from({ length: 150_000 }, () => 0)),
      ({ arrays }) => void (arrays[0].type = "float128"),
      ({ chunks }) => void (chunks[0].bytes = 2 ** 31),
      ({ chunks }) => void (chunks[0].stored += 1),
      ({ chunks }) => void (chunks[0].address = "sha256:../../etc"),
      ({ chunks }) => void (chunks[1].address = chunks[0].address),
      ({ chunks }) => void (chunks.length = 0),
      ({ picture }) => void (picture.bytes = 2 ** 30),
      (header) => void (header.value = { $: "array", index: 99 }),
      (header) => void (header.value = {}),
      (header) => void (header.value = Array.from({ length: 500 }).reduce<unknown>((inner) => [inner], 1)),
    ];
    for (const fault of faults) expect(codes).toContain(await openWhole(rewritten(fault as never)));
    const long = file.slice();
    new DataView(long.buffer).setUint32(12, 2 ** 32 - 1, true);
    expect(await openWhole(long)).toBe("limit_exceeded");
    await expect(openMoment(file, tools, { fileBytes: 1000 })).rejects.toMatchObject({ code: "limit_exceeded" });
    await expect(openMoment(file, tools, { contentBytes: 1000 })).rejects.toMatchObject({ code: "limit_exceeded" });
  });

  test("a chunk that unpacks to more than it says is refused, whatever the compressor gives", async () => {
    const greedy: MomentTools = {
      hasher,
      compressor: { deflate: tools.compressor!.deflate, inflate: () => new Uint8Array(9) },
    };
    await expect((await openMoment(file, greedy)).state()).rejects.toMatchObject({ code: "snapshot_invalid" });
  });
});
