import { crc32, deflateSync } from "node:zlib";

/**
 * Encodes a picture as PNG.
 *
 * @param width Width, in pixels.
 * @param height Height, in pixels.
 * @param rgb Packed RGB bytes, row by row.
 * @returns The file's bytes.
 */
export function encodePng(width: number, height: number, rgb: Uint8Array): Buffer {
  const rows = Buffer.alloc(height * (1 + 3 * width));
  for (let row = 0; row < height; row++) {
    rows.set(rgb.subarray(row * 3 * width, (row + 1) * 3 * width), row * (1 + 3 * width) + 1);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows, { level: 6 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const result = Buffer.alloc(8 + body.length);
  result.writeUInt32BE(data.length, 0);
  result.set(body, 4);
  result.writeUInt32BE(crc32(body) >>> 0, 4 + body.length);
  return result;
}
