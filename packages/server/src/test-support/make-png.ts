import { crc32, deflateSync } from "node:zlib";

/** A PNG of one colour; `data` in place of its pixels makes one that claims more than it holds. */
export function makePng(
  width: number,
  height: number,
  colour: readonly [number, number, number] = [200, 30, 90],
  data?: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const pixels = data ?? solid(width, height, colour);
  const parts = [chunk("IHDR", header), chunk("IDAT", deflateSync(pixels)), chunk("IEND", Buffer.alloc(0))];
  return Uint8Array.from(Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...parts]));
}

function solid(width: number, height: number, colour: readonly number[]): Uint8Array {
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, Uint8Array.from(colour))]);
  return Buffer.concat(Array.from({ length: height }, () => row));
}

function chunk(name: string, content: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), content]);
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(content.byteLength, 0);
  numbers.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([numbers.subarray(0, 4), body, numbers.subarray(4)]);
}
