import { crc32, deflateSync } from "node:zlib";
import { frameRgb8, type MomentPicture, type VideoChunk } from "@dreamloop/core";

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** A frame as the picture of a moment: PNG with 8 bits for each of red, green and blue (ISO/IEC 15948), a chunk `sRGB` with the perceptual intent. */
export function momentPicture(chunk: VideoChunk, frameIndex: number): MomentPicture {
  const { width, height } = chunk;
  const rgb = frameRgb8(chunk, frameIndex);
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let row = 0; row < height; row += 1)
    rows.set(rgb.subarray(row * width * 3, (row + 1) * width * 3), row * (1 + width * 3) + 1);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits, true colour, deflate, the standard filters, no interlacing.
  header.set([8, 2, 0, 0, 0], 8);
  const bytes = Buffer.concat([
    Buffer.from(SIGNATURE),
    pngChunk("IHDR", header),
    pngChunk("sRGB", Buffer.from([0])),
    pngChunk("IDAT", deflateSync(rows)),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
  return { type: "image/png", width, height, bytes: new Uint8Array(bytes) };
}

function pngChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
