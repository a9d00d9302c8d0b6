import { isDreamloopError, outputArtifact, stepResult, type PixelData, type VideoChunkInput } from "@dreamloop/core";
import { describe, expect, it } from "vitest";
import { described, rgbResult } from "../test-support/results.ts";
import { FrameTarget, type FrameSink, type RunSummary } from "./frame-target.ts";

/** Keeps what its sink is told; may wait or fail. */
class NotingTarget extends FrameTarget {
  override readonly name = "noting";
  readonly frames: { readonly rgb: readonly number[]; readonly ticks: number; readonly frameNumber: number }[] = [];
  readonly events: string[] = [];
  summary: RunSummary | undefined;
  beforeWrite: (frameNumber: number) => Promise<void> = async () => undefined;
  onStart: () => Promise<void> = async () => undefined;
  onFinish: () => Promise<void> = async () => undefined;

  protected override async start(): Promise<FrameSink> {
    await this.onStart();
    this.events.push("start");
    return {
      write: async ({ rgb, ticks, frameNumber }) => {
        await this.beforeWrite(frameNumber);
        this.frames.push({ rgb: [...rgb], ticks, frameNumber });
      },
      finish: async (summary) => {
        await this.onFinish();
        this.events.push("finish");
        this.summary = summary;
        return [outputArtifact({ kind: "test", uri: "test" })];
      },
      discard: async () => {
        this.events.push("discard");
      },
    };
  }
}

const SIZE = { width: 2, height: 1 };
const result = (value: number, stepIndex = 0) => rgbResult(SIZE, new Uint8Array(6).fill(value), { stepIndex });

describe("FrameTarget", () => {
  it("takes results in their order, also when the caller does not wait", async () => {
    const target = new NotingTarget();
    await target.open(described(2, 1));
    const gates: (() => void)[] = [];
    target.beforeWrite = (frameNumber) =>
      frameNumber === 0 ? new Promise((resolve) => gates.push(resolve)) : Promise.resolve();
    const writes = [result(1, 0), result(2, 1), result(3, 2)].map((each) => target.write(each));
    const closed = target.close({ droppedFrames: 4 });
    while (gates.length === 0) await Promise.resolve();
    gates[0]();
    await Promise.all([...writes, closed]);
    expect(target.frames.map(({ rgb, frameNumber }) => [frameNumber, rgb[0]])).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
    expect(target.summary).toEqual({ frameCount: 3, droppedFrames: 4 });
  });

  it("refuses to write while closed and to open while open", async () => {
    const target = new NotingTarget();
    await expect(target.write(result(0))).rejects.toSatisfy((error) => isDreamloopError(error, "closed"));
    const first = target.open(described(2, 1));
    await expect(target.open(described(2, 1))).rejects.toSatisfy((error) => isDreamloopError(error, "invalid_state"));
    await first;
    await expect(target.open(described(2, 1))).rejects.toSatisfy((error) => isDreamloopError(error, "invalid_state"));
    await target.close();
    await expect(target.write(result(0))).rejects.toSatisfy((error) => isDreamloopError(error, "closed"));
  });

  it("closes once and gives the same promise again", async () => {
    const target = new NotingTarget();
    expect(await target.close()).toEqual([]);
    await target.open(described(2, 1));
    const closed = target.close();
    expect(target.close()).toBe(closed);
    expect(await closed).toHaveLength(1);
    expect(target.close()).toBe(closed);
    expect(target.events).toEqual(["start", "finish"]);
  });

  it("E6: records twice, the second time from the start", async () => {
    const target = new NotingTarget();
    for (const value of [10, 20]) {
      await target.open(described(2, 1));
      await target.write(result(value, 5));
      await target.close();
      expect(target.frames.pop()).toEqual({ rgb: Array(6).fill(value), ticks: 0, frameNumber: 0 });
      expect(target.summary).toEqual({ frameCount: 1, droppedFrames: 0 });
    }
  });

  it("opens again only after the run before has been finished", async () => {
    const target = new NotingTarget();
    await target.open(described(2, 1));
    const gates: (() => void)[] = [];
    target.onFinish = () => new Promise((resolve) => gates.push(resolve));
    const closed = target.close();
    const opened = target.open(described(2, 1));
    while (gates.length === 0) await Promise.resolve();
    expect(target.events).toEqual(["start"]);
    gates[0]();
    await Promise.all([closed, opened]);
    expect(target.events).toEqual(["start", "finish", "start"]);
    target.onFinish = async () => undefined;
    await target.close();
  });

  it("meets every later write with the first fault, tidies up and gives nothing", async () => {
    const target = new NotingTarget();
    await target.open(described(2, 1));
    target.beforeWrite = (frameNumber) => (frameNumber === 1 ? Promise.reject(new Error("broken")) : Promise.resolve());
    await target.write(result(1, 0));
    const second = target.write(result(2, 1));
    const third = target.write(result(3, 2));
    await expect(second).rejects.toThrow("broken");
    await expect(third).rejects.toThrow("broken");
    await expect(target.write(result(4, 3))).rejects.toThrow("broken");
    expect(await target.close()).toEqual([]);
    expect(target.frames).toHaveLength(1);
    expect(target.events).toEqual(["start", "discard"]);
  });

  it("tidies up when finishing fails, and can be opened again", async () => {
    const target = new NotingTarget();
    await target.open(described(2, 1));
    target.onFinish = () => Promise.reject(new Error("disk"));
    await expect(target.close()).rejects.toThrow("disk");
    expect(target.events).toEqual(["start", "discard"]);
    target.onFinish = async () => undefined;
    await target.open(described(2, 1));
    expect(await target.close()).toHaveLength(1);
  });

  it("stays closed when opening fails", async () => {
    const target = new NotingTarget();
    target.onStart = () => Promise.reject(new Error("no disk"));
    await expect(target.open(described(2, 1))).rejects.toThrow("no disk");
    expect(target.isOpen).toBe(false);
    target.onStart = async () => undefined;
    await target.open(described(2, 1));
    expect(target.isOpen).toBe(true);
    await target.close();
  });

  it("E4: refuses frames of another size than described, naming both", async () => {
    const target = new NotingTarget();
    await target.open(described(4, 4));
    await expect(target.write(result(1, 3))).rejects.toThrow(
      "noting target: the session was described as 4×4, but step 3 gave 2×1",
    );
    await target.close();
  });

  it("takes results without frames", async () => {
    const target = new NotingTarget();
    await target.open(described(2, 1));
    await target.write(stepResult({ stepIndex: 0 }));
    await target.close();
    expect(target.summary?.frameCount).toBe(0);
  });

  /** Two frames of one row of two pixels, as numbers from 0 to 1, in each layout. */
  const unit = {
    thwc: [0, 0.2, 0.4, 0.6, 0.8, 1, 1, 0.8, 0.6, 0.4, 0.2, 0],
    tchw: [0, 0.6, 0.2, 0.8, 0.4, 1, 1, 0.4, 0.8, 0.2, 0.6, 0],
    cthw: [0, 0.6, 1, 0.4, 0.2, 0.8, 0.8, 0.2, 0.4, 1, 0.6, 0],
  };
  const chunks: [string, Pick<VideoChunkInput, "format" | "range" | "layout"> & { data: PixelData }][] = (
    ["thwc", "tchw", "cthw"] as const
  ).flatMap((layout) => [
    [
      `rgb8 full ${layout}`,
      { format: "rgb8", range: "full", layout, data: Uint8Array.from(unit[layout], (v) => v * 255) },
    ],
    [
      `rgb8 limited ${layout}`,
      {
        format: "rgb8",
        range: "limited",
        layout,
        data: Uint8Array.from(unit[layout], (v) => Math.round(16 + v * 219)),
      },
    ],
    [`rgbf32 unit ${layout}`, { format: "rgbf32", range: "unit", layout, data: Float32Array.from(unit[layout]) }],
    [
      `rgbf32 signed ${layout}`,
      { format: "rgbf32", range: "signed", layout, data: Float32Array.from(unit[layout], (v) => v * 2 - 1) },
    ],
  ]);

  it.each(chunks)("E3: gives the same pixels from %s", async (_name, chunk) => {
    const target = new NotingTarget();
    await target.open(described(2, 1));
    await target.write(stepResult({ stepIndex: 0, output: { ...SIZE, colorSpace: "srgb", ...chunk } }));
    await target.close();
    const expected = [0, 51, 102, 153, 204, 255];
    expect(target.frames.map(({ rgb }) => rgb)).toEqual([expected, [...expected].reverse()]);
  });

  it("E7: gives the pixels of a chunk that lies in a larger buffer", async () => {
    const target = new NotingTarget();
    const pool = Buffer.alloc(32, 0xee);
    pool.set([1, 2, 3, 4, 5, 6], 11);
    await target.open(described(2, 1));
    await target.write(rgbResult(SIZE, pool.subarray(11, 17)));
    await target.close();
    expect(target.frames[0].rgb).toEqual([1, 2, 3, 4, 5, 6]);
  });
});
