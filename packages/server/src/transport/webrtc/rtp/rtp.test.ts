import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FrameAssembler, type AssembledFrame } from "../../../test-support/frame-assembler.ts";
import { readRtcp } from "./rtcp.ts";
import { Vp8Packetizer } from "./vp8-packetizer.ts";

describe("VP8 packets", () => {
  it("D6: give the frames back in order, with the marker at each end and rising numbers across their wrap", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 5000 }), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 0, max: 65_535 }),
        fc.option(fc.integer({ min: 1, max: 14 }), { nil: undefined }),
        (frames, firstSequence, playoutDelayId) => {
          const packetizer = new Vp8Packetizer({
            ssrc: 7,
            payloadType: 96,
            firstSequence,
            firstPictureId: 32_767,
            ...(playoutDelayId === undefined ? {} : { playoutDelayId }),
          });
          const seen: AssembledFrame[] = [];
          const assembler = new FrameAssembler((frame) => seen.push(frame));
          let expected = firstSequence;
          for (const [index, frame] of frames.entries()) {
            for (const packet of packetizer.packets(frame, index * 3000)) {
              expect(packet.readUInt16BE(2)).toBe(expected % 65_536);
              expect(packet.byteLength).toBeLessThanOrEqual(1204);
              expected += 1;
              assembler.push(packet);
            }
          }
          expect(seen.map(({ data }) => [...data])).toEqual(frames.map((frame) => [...frame]));
          expect(seen.map(({ rtpTimestamp }) => rtpTimestamp)).toEqual(frames.map((_, index) => index * 3000));
        },
      ),
      { numRuns: 50 },
    );
  });
});

function packet(type: number, count: number, body: readonly number[]): number[] {
  const words = body.length / 4;
  return [0x80 | count, type, words >> 8, words & 255, ...body];
}

describe("RTCP", () => {
  const ids = [0, 0, 0, 1, 0, 0, 0, 2];

  it("reads requests for key frames, losses and estimates out of compound packets", () => {
    const report = packet(201, 1, [0, 0, 0, 1, 0, 0, 0, 2, 64, 0, 0, 5, ...Array<number>(16).fill(0)]);
    const pli = packet(206, 1, ids);
    // 0x20000 · 2³ = 1,048,576 bits a second.
    const remb = packet(206, 15, [
      ...ids.slice(0, 4),
      0,
      0,
      0,
      0,
      0x52,
      0x45,
      0x4d,
      0x42,
      1,
      (3 << 2) | 2,
      0,
      0,
      0,
      0,
      0,
      2,
    ]);
    const all = Uint8Array.from([...report, ...pli, ...remb]);
    expect(readRtcp(all)).toEqual({ wantsKeyFrame: true, fractionLost: 0.25, estimatedBitsPerSecond: 1_048_576 });
    const fir = packet(206, 4, [...ids, 0, 0, 0, 2, 1, 0, 0, 0]);
    expect(readRtcp(Uint8Array.from(fir)).wantsKeyFrame).toBe(true);
    expect(readRtcp(Uint8Array.from(report))).toEqual({ wantsKeyFrame: false, fractionLost: 0.25 });
  });

  it("takes any bytes without a fault", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => void readRtcp(bytes)));
    const truncated = Uint8Array.from(packet(206, 15, ids)).subarray(0, 9);
    expect(readRtcp(truncated)).toEqual({ wantsKeyFrame: false });
  });
});
