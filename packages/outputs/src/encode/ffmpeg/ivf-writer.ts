import type { DecodeOptions } from "../video-encoder.ts";

const HEADER_BYTES = 32;

/** An IVF file of VP8 frames. */
export function writeIvf({ frames, width, height }: DecodeOptions): Uint8Array {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write("DKIF", 0, "latin1");
  header.writeUInt16LE(HEADER_BYTES, 6);
  header.write("VP80", 8, "latin1");
  header.writeUInt16LE(width, 12);
  header.writeUInt16LE(height, 14);
  header.writeUInt32LE(25, 16);
  header.writeUInt32LE(1, 20);
  header.writeUInt32LE(frames.length, 24);
  const parts = frames.flatMap(({ data }, index) => {
    const head = Buffer.alloc(12);
    head.writeUInt32LE(data.byteLength, 0);
    head.writeUInt32LE(index, 4);
    return [head, data];
  });
  return Buffer.concat([header, ...parts]);
}
