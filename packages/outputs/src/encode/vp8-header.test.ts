import { describe, expect, it } from "vitest";
import { isVp8KeyFrame, setVp8Size, vp8Size } from "./vp8-header.ts";

/** A key frame of 360×642, within a larger pool. */
const keyFrame = () => {
  const pool = Buffer.alloc(40, 0xff);
  const frame = pool.subarray(7, 27);
  frame.set([0x10, 0x02, 0x00, 0x9d, 0x01, 0x2a]);
  frame.writeUInt16LE(360, 6);
  frame.writeUInt16LE(642 | 0x4000, 8);
  return frame;
};

describe("VP8 frame headers", () => {
  it("tell key frames and their size", () => {
    expect(isVp8KeyFrame(keyFrame())).toBe(true);
    expect(vp8Size(keyFrame())).toEqual({ width: 360, height: 642 });
    expect(isVp8KeyFrame(Uint8Array.from([0x31, 0, 0]))).toBe(false);
  });

  it("E4: take an odd size of the same blocks and keep the scaling bits", () => {
    const frame = keyFrame();
    setVp8Size(frame, { width: 359, height: 641 });
    expect(vp8Size(frame)).toEqual({ width: 359, height: 641 });
    expect(frame.readUInt16LE(8) >> 14).toBe(1);
  });

  it("E4: refuse a size of other blocks", () => {
    expect(() => setVp8Size(keyFrame(), { width: 352, height: 641 })).toThrow(RangeError);
    expect(() => setVp8Size(keyFrame(), { width: 359, height: 657 })).toThrow(RangeError);
  });

  it("are refused without their start code", () => {
    expect(() => isVp8KeyFrame(Uint8Array.from([0x10, 0, 0, 1, 2, 3, 0, 0, 0, 0]))).toThrow(RangeError);
    expect(() => isVp8KeyFrame(new Uint8Array(2))).toThrow(RangeError);
  });
});
