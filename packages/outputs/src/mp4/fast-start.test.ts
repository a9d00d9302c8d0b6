import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { moveIndexToFront, topLevelBoxes, type MovableFile } from "./fast-start.ts";

/** A file in memory. */
class MemoryFile implements MovableFile {
  bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = Uint8Array.from(bytes);
  }

  get size(): number {
    return this.bytes.byteLength;
  }

  async readAt(into: Uint8Array, position: number): Promise<void> {
    if (position + into.byteLength > this.size) throw new RangeError("the file ended early");
    into.set(this.bytes.subarray(position, position + into.byteLength));
  }

  async writeAt(bytes: Uint8Array, position: number): Promise<void> {
    const grown = new Uint8Array(Math.max(this.size, position + bytes.byteLength));
    grown.set(this.bytes);
    grown.set(bytes, position);
    this.bytes = grown;
  }
}

function box(type: string, ...content: readonly Uint8Array[]): Uint8Array {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, body]);
}

function offsets(type: "stco" | "co64", values: readonly number[]): Uint8Array {
  const body = Buffer.alloc(8 + values.length * (type === "stco" ? 4 : 8));
  body.writeUInt32BE(values.length, 4);
  values.forEach((value, index) =>
    type === "stco" ? body.writeUInt32BE(value, 8 + index * 4) : body.writeBigUInt64BE(BigInt(value), 8 + index * 8),
  );
  return box(type, body);
}

const index = (...tables: readonly Uint8Array[]) =>
  box("moov", box("mvhd", Buffer.alloc(40, 9)), box("trak", box("mdia", box("minf", box("stbl", ...tables)))));
const ftyp = box("ftyp", Buffer.from("isomavc1"));

describe("moveIndexToFront", () => {
  it("puts the index before the media data, and its offsets still find the same bytes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 400 }),
        fc.constantFrom("stco" as const, "co64" as const),
        async (media, kind) => {
          const start = ftyp.length + 8;
          const places = [0, Math.floor(media.length / 2), media.length - 1];
          const moov = index(
            offsets(
              kind,
              places.map((place) => start + place),
            ),
          );
          const file = new MemoryFile(Buffer.concat([ftyp, box("mdat", media), moov]));
          expect(await moveIndexToFront(file)).toBe(true);
          const boxes = await topLevelBoxes(file);
          expect(boxes.map(({ type }) => type)).toEqual(["ftyp", "moov", "mdat"]);
          const found = places.map((place) => file.bytes[start + moov.length + place]);
          expect(found).toEqual(places.map((place) => media[place]));
          // The table is the last of the index.
          const entryBytes = kind === "stco" ? 4 : 8;
          const table = Buffer.from(file.bytes.subarray(0, ftyp.length + moov.length)).subarray(-3 * entryBytes);
          const told = [0, 1, 2].map((entry) =>
            kind === "stco" ? table.readUInt32BE(entry * 4) : Number(table.readBigUInt64BE(entry * 8)),
          );
          expect(told).toEqual(places.map((place) => start + moov.length + place));
        },
      ),
    );
  });

  it("moves media data that is larger than what it moves at once", async () => {
    const media = new Uint8Array(9 * 1024 * 1024).map((_, at) => (at * 31) & 255);
    const moov = index(offsets("stco", [ftyp.length + 8]));
    const file = new MemoryFile(Buffer.concat([ftyp, box("mdat", media), moov]));
    await moveIndexToFront(file);
    const moved = file.bytes.subarray(ftyp.length + moov.length + 8);
    expect(Buffer.compare(moved, media)).toBe(0);
  });

  it("clears the dates, so that the same frames make the same file", async () => {
    const file = new MemoryFile(Buffer.concat([ftyp, box("mdat", new Uint8Array(4)), index(offsets("stco", []))]));
    await moveIndexToFront(file);
    const header = file.bytes.subarray(ftyp.length + 8 + 8);
    // Version 9 is not 1, so the dates have 32 bits.
    expect([...header.subarray(0, 14)]).toEqual([9, 9, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0, 9, 9]);
  });

  it("leaves the index at the end when an offset would not fit", async () => {
    const moov = index(offsets("stco", [0xffff_fff0]));
    const bytes = Buffer.concat([ftyp, box("mdat", new Uint8Array(4)), moov]);
    const file = new MemoryFile(bytes);
    expect(await moveIndexToFront(file)).toBe(false);
    expect((await topLevelBoxes(file)).map(({ type }) => type)).toEqual(["ftyp", "mdat", "moov"]);
    expect(Buffer.from(file.bytes).readUInt32BE(bytes.length - 4)).toBe(0xffff_fff0);
  });

  it("refuses a file that is not built as expected", async () => {
    for (const bytes of [
      ftyp,
      Buffer.concat([ftyp, box("mdat", new Uint8Array(4))]),
      Buffer.concat([ftyp, Buffer.from("000000ff6d646174", "hex")]),
      Buffer.from("00000003", "hex"),
    ]) {
      await expect(moveIndexToFront(new MemoryFile(bytes))).rejects.toThrow(RangeError);
    }
  });
});
