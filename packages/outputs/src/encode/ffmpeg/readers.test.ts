import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FlvReader, readAvcConfiguration, type FlvVideoTag } from "./flv-reader.ts";
import { IvfReader } from "./ivf.ts";
import { writeIvf } from "./ivf.ts";

const flvHead = Buffer.from("464c5601010000000900000000", "hex");

function flvTag(type: number, data: Uint8Array): Buffer {
  const head = Buffer.alloc(11);
  head[0] = type;
  head.writeUIntBE(data.byteLength, 1, 3);
  const tail = Buffer.alloc(4);
  tail.writeUInt32BE(11 + data.byteLength);
  return Buffer.concat([head, data, tail]);
}

function pushInPieces(reader: { push(piece: Uint8Array): void }, stream: Uint8Array, size: number): void {
  for (let at = 0; at < stream.byteLength; at += size) reader.push(stream.subarray(at, at + size));
}

describe("FlvReader", () => {
  const video = (packet: number, payload: readonly number[]) =>
    flvTag(9, Uint8Array.from([0x17, packet, 0, 0, 0, ...payload]));
  const stream = Buffer.concat([
    flvHead,
    flvTag(18, Buffer.from("metadata")),
    video(0, [1, 2]),
    video(1, [3, 4, 5]),
    video(2, []),
  ]);

  it("E7: gives each video tag as soon as it is complete, however the pipe cuts it", () => {
    for (let size = 1; size <= stream.length; size += 1) {
      const tags: FlvVideoTag[] = [];
      pushInPieces(new FlvReader((tag) => tags.push(tag)), stream, size);
      expect(tags.map(({ kind, data }) => [kind, ...data])).toEqual([["header", 1, 2], ["frame", 3, 4, 5], ["end"]]);
    }
  });

  it("does not wait for the next tag", () => {
    const kinds: string[] = [];
    const reader = new FlvReader(({ kind }) => kinds.push(kind));
    reader.push(flvHead);
    reader.push(video(1, [9]));
    expect(kinds).toEqual(["frame"]);
  });

  it("refuses what is no FLV with H.264", () => {
    expect(() => new FlvReader(() => undefined).push(Buffer.from("not an FLV stream"))).toThrow(RangeError);
    const reader = new FlvReader(() => undefined);
    reader.push(flvHead);
    expect(() => reader.push(flvTag(9, Uint8Array.from([0x12, 0, 0, 0, 0])))).toThrow(RangeError);
  });

  it("finds the parameter sets in an AVC configuration", () => {
    const record = Buffer.concat([Buffer.alloc(3, 1), Buffer.from("0142c014ffe1000267aa01000168", "hex")]);
    expect(readAvcConfiguration(record.subarray(3))).toEqual({
      units: [Uint8Array.from([0x67, 0xaa]), Uint8Array.from([0x68])],
      lengthBytes: 4,
    });
  });
});

describe("IvfReader", () => {
  it("E7: gives the frames that were written, however the pipe cuts them", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 4 }),
        fc.integer({ min: 1, max: 50 }),
        (frames, size) => {
          const stream = writeIvf({
            codec: "vp8",
            width: 4,
            height: 4,
            frames: frames.map((data) => ({ data, timestamp: 0, isKeyFrame: true })),
          });
          const read: Uint8Array[] = [];
          pushInPieces(new IvfReader((frame) => read.push(frame)), stream, size);
          expect(read).toEqual(frames.map((frame) => Uint8Array.from(frame)));
        },
      ),
    );
  });

  it("refuses what is no IVF", () => {
    expect(() => new IvfReader(() => undefined).push(Buffer.from("not an IVF stream"))).toThrow(RangeError);
  });
});
