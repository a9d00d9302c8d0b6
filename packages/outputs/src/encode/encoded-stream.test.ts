import { isDreamloopError } from "@dreamloop/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { codedSize } from "./coded-size.ts";
import { EncodedStream, type EncodedStreamOptions } from "./encoded-stream.ts";
import { joinAnnexB } from "./h264/annex-b.ts";
import { readEncoderConfig } from "./read-encoder-config.ts";
import type { EncodedFrame } from "./video-encoder.ts";

const keyFrame = Uint8Array.from([0x10, 0, 0, 0x9d, 0x01, 0x2a, 16, 0, 16, 0]);
const otherFrame = Uint8Array.from([0x11, 0, 0]);
const picture = { codedWidth: 16, codedHeight: 16, data: new Uint8Array(384) };

function start(rest: Partial<EncodedStreamOptions> = {}) {
  const frames: EncodedFrame[] = [];
  const errors: Error[] = [];
  const held = { count: 0 };
  const config = readEncoderConfig({
    codec: "vp8",
    width: 16,
    height: 16,
    framesPerSecond: 30,
    bitrateBitsPerSecond: 1e6,
    keyFrameIntervalFrames: 30,
    latency: "realtime",
  });
  const stream = new EncodedStream({
    config,
    size: codedSize("vp8", 16, 16),
    backend: "test",
    implementation: "none",
    isHardware: false,
    speed: "realtime",
    events: { onFrame: (frame) => frames.push(frame), onError: (error) => errors.push(error) },
    hold: () => {
      held.count += 1;
      return () => {
        held.count -= 1;
      };
    },
    ...rest,
  });
  return { stream, frames, errors, held };
}

/** Whether a promise has settled, after everything that is ready has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  return settled;
}

describe("EncodedStream", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("gives frames the timestamps of their pictures, in order", () => {
    const { stream, frames } = start();
    stream.accept(picture, { timestamp: 7 });
    stream.accept(picture, { timestamp: 19 });
    stream.deliver(keyFrame);
    stream.deliver(otherFrame);
    expect(frames.map(({ timestamp, isKeyFrame }) => [timestamp, isKeyFrame])).toEqual([
      [7, true],
      [19, false],
    ]);
    expect(stream.settings).toMatchObject({ codecString: "vp8", width: 16, height: 16 });
  });

  it("D4: tells how many frames of the stream are out of order, whatever was asked for", () => {
    const config = readEncoderConfig({
      codec: "h264",
      width: 64,
      height: 48,
      framesPerSecond: 30,
      bitrateBitsPerSecond: 1e6,
      keyFrameIntervalFrames: 30,
    });
    const { stream } = start({ config, size: codedSize("h264", 64, 48) });
    const unit = (hex: string) => joinAnnexB(hex.split(" ").map((each) => Uint8Array.from(Buffer.from(each, "hex"))));
    const [key, p, b] = [unit("6742c0148c6847201e1108d4 68ce3c80 65b80004"), unit("41e00020"), unit("41a00020")];
    for (const [frame, bFrames] of [
      [key, 0],
      [p, 0],
      [b, 1],
      [p, 1],
      [b, 1],
      [b, 2],
      [p, 2],
    ] as const) {
      stream.accept({ codedWidth: 64, codedHeight: 48, data: new Uint8Array(4608) }, { timestamp: 0 });
      stream.deliver(frame);
      expect(stream.settings.bFrames).toBe(bFrames);
    }
  });

  it("has room while fewer than two pictures are pending in realtime", async () => {
    const { stream } = start();
    stream.accept(picture, { timestamp: 0 });
    expect(await isSettled(stream.waitForRoom())).toBe(true);
    stream.accept(picture, { timestamp: 1 });
    const room = stream.waitForRoom();
    expect(await isSettled(room)).toBe(false);
    stream.deliver(keyFrame);
    await room;
    const all = stream.waitForAll();
    expect(await isSettled(all)).toBe(false);
    stream.deliver(otherFrame);
    await all;
  });

  it("keeps the process alive exactly while pictures are pending", () => {
    const { stream, held } = start();
    expect(held.count).toBe(0);
    stream.accept(picture, { timestamp: 0 });
    stream.accept(picture, { timestamp: 1 });
    expect(held.count).toBe(1);
    stream.deliver(keyFrame);
    expect(held.count).toBe(1);
    stream.deliver(otherFrame);
    expect(held.count).toBe(0);
    stream.accept(picture, { timestamp: 2 });
    stream.fail(new Error("gone"));
    expect(held.count).toBe(0);
  });

  it("fails when someone waits and nothing comes out, but not while nobody waits", async () => {
    const { stream, errors } = start({ stallSeconds: 3 });
    stream.accept(picture, { timestamp: 0 });
    vi.advanceTimersByTime(60_000);
    expect(errors).toEqual([]);
    const all = stream.waitForAll();
    const refused = expect(all).rejects.toThrow("no frame came out for 3 s with 1 pictures pending");
    vi.advanceTimersByTime(3000);
    await refused;
    expect(errors).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("tells of the first fault once, and refuses everything after it", async () => {
    const { stream, errors, frames } = start();
    stream.accept(picture, { timestamp: 0 });
    const all = stream.waitForAll();
    stream.fail(new Error("first"));
    stream.fail(new Error("second"));
    await expect(all).rejects.toThrow("first");
    expect(errors.map(({ message }) => message)).toEqual(["first"]);
    expect(() => stream.accept(picture, { timestamp: 1 })).toThrow("first");
    await expect(stream.waitForRoom()).rejects.toThrow("first");
    stream.deliver(keyFrame);
    expect(frames).toEqual([]);
  });

  it("ends without telling its owner when its owner ends it", async () => {
    const { stream, errors } = start();
    stream.accept(picture, { timestamp: 0 });
    const all = stream.waitForAll();
    stream.end(new Error("closed"));
    await expect(all).rejects.toThrow("closed");
    expect(errors).toEqual([]);
  });

  it("E3: refuses a picture of another size", () => {
    const { stream } = start();
    const wrong = { codedWidth: 18, codedHeight: 16, data: new Uint8Array(432) };
    expect(() => stream.accept(wrong, { timestamp: 0 })).toThrow(
      "expected a picture of 16×16 (384 bytes), found 18×16",
    );
    expect(() => stream.accept({ ...picture, data: new Uint8Array(383) }, { timestamp: 0 })).toThrow("383 bytes");
    expect(stream.pendingFrames).toBe(0);
  });

  it("fails with encoder_failed when the stream cannot be read", async () => {
    const { stream, errors } = start();
    stream.accept(picture, { timestamp: 0 });
    stream.deliver(Uint8Array.from([0x10, 0, 0, 1, 1, 1, 1, 1, 1, 1]));
    expect(isDreamloopError(errors[0], "encoder_failed")).toBe(true);
    await expect(stream.waitForAll()).rejects.toThrow("its stream cannot be used");
  });
});

describe("codedSize", () => {
  it("E4: pads H.264 to even sizes of at least 16 and shows even sizes", () => {
    for (let side = 1; side <= 65; side += 1) {
      const { codedWidth, width } = codedSize("h264", side, 64);
      expect(codedWidth % 2).toBe(0);
      expect(codedWidth).toBe(Math.max(16, side + (side % 2)));
      expect(width).toBe(side + (side % 2));
    }
    expect(codedSize("h264", 359, 641)).toEqual({ codedWidth: 360, codedHeight: 642, width: 360, height: 642 });
  });

  it("E4: shows every size with VP8", () => {
    expect(codedSize("vp8", 1, 641)).toEqual({ codedWidth: 2, codedHeight: 642, width: 1, height: 641 });
  });
});
