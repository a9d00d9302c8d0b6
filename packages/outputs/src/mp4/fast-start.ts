/** A file that can be read and written anywhere, as `DestinationFile` is. */
export interface MovableFile {
  /** Bytes of the file. */
  readonly size: number;
  /** Fills `into` from a position. */
  readAt(into: Uint8Array, position: number): Promise<void>;
  /** Writes at a position. */
  writeAt(bytes: Uint8Array, position: number): Promise<void>;
}

/** Bytes that are moved at once. */
const BLOCK_BYTES = 4 * 1024 * 1024;
/** Boxes on the way to the tables of chunk offsets. */
const CONTAINERS = new Set(["moov", "trak", "mdia", "minf", "stbl"]);
/** Boxes that begin with dates. */
const DATED = new Set(["mvhd", "tkhd", "mdhd"]);

interface Box {
  readonly type: string;
  readonly start: number;
  readonly size: number;
}

/**
 * Moves the index of an MP4 file (its `moov` box, at the end while it is written) to the front, so that players can start
 * before they have the whole file. Works in place, moving the media data back by the size of the index. Throws `RangeError` when the file is
 * not built as expected. Leaves the index where it is when an offset would no longer fit its 32 bits; gives whether it moved. The dates in
 * the index are cleared, so that the same frames make the same file.
 */
export async function moveIndexToFront(file: MovableFile): Promise<boolean> {
  const boxes = await topLevelBoxes(file);
  const index = boxes.at(-1);
  const media = boxes.find(({ type }) => type === "mdat");
  if (index?.type !== "moov" || media === undefined) throw new RangeError("the file does not end with its index");
  const bytes = new Uint8Array(index.size);
  await file.readAt(bytes, index.start);
  const canMove = rewriteIndex(bytes, { from: media.start, by: index.size });
  if (!canMove) {
    await file.writeAt(bytes, index.start);
    return false;
  }
  // From the end on, so that nothing is overwritten before it has been moved.
  const block = new Uint8Array(Math.min(BLOCK_BYTES, index.start - media.start));
  let end = index.start;
  while (end > media.start) {
    const start = Math.max(media.start, end - block.byteLength);
    const part = block.subarray(0, end - start);
    await file.readAt(part, start);
    await file.writeAt(part, start + index.size);
    end = start;
  }
  await file.writeAt(bytes, media.start);
  return true;
}

/** The boxes that are not inside others (ISO/IEC 14496-12, 4.2). */
export async function topLevelBoxes(file: MovableFile): Promise<Box[]> {
  const boxes: Box[] = [];
  let start = 0;
  while (start < file.size) {
    const head = new Uint8Array(Math.min(16, file.size - start));
    await file.readAt(head, start);
    const box = readBox(head, { at: 0, end: file.size - start });
    boxes.push({ ...box, start });
    start += box.size;
  }
  return boxes;
}

interface BoxHead {
  readonly type: string;
  readonly size: number;
  readonly headBytes: number;
}

function readBox(bytes: Uint8Array, { at, end }: { readonly at: number; readonly end: number }): BoxHead {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (at + 8 > bytes.byteLength) throw new RangeError("a box ends early");
  const short = view.getUint32(at);
  const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
  const size = short === 0 ? end - at : short === 1 ? Number(view.getBigUint64(at + 8)) : short;
  const headBytes = short === 1 ? 16 : 8;
  if (size < headBytes || at + size > end) throw new RangeError(`the box ${type} has an impossible size`);
  return { type, size, headBytes };
}

/** Clears dates and adds to every chunk offset at or after `from`; false, with the offsets as they were, when one would not fit. */
function rewriteIndex(moov: Uint8Array, shift: { readonly from: number; readonly by: number }): boolean {
  const view = new DataView(moov.buffer, moov.byteOffset, moov.byteLength);
  const changes: (() => void)[] = [];
  let isPossible = true;
  const visit = (at: number, end: number) => {
    for (let next = at; next < end;) {
      const { type, size, headBytes } = readBox(moov, { at: next, end });
      const content = next + headBytes;
      if (CONTAINERS.has(type)) visit(content, next + size);
      else if (DATED.has(type)) {
        // Creation and modification, of 32 bits each in version 0 and 64 in version 1, follow version and flags.
        const dateBytes = view.getUint8(content) === 1 ? 16 : 8;
        moov.fill(0, content + 4, content + 4 + dateBytes);
      } else if (type === "stco" || type === "co64") {
        const count = view.getUint32(content + 4);
        for (let entry = 0; entry < count; entry += 1) {
          const place = content + 8 + entry * (type === "stco" ? 4 : 8);
          const offset = type === "stco" ? view.getUint32(place) : Number(view.getBigUint64(place));
          const moved = offset < shift.from ? offset : offset + shift.by;
          if (type === "stco" && moved > 0xffff_ffff) isPossible = false;
          changes.push(() =>
            type === "stco" ? view.setUint32(place, moved) : view.setBigUint64(place, BigInt(moved)),
          );
        }
      }
      next += size;
    }
  };
  visit(0, moov.byteLength);
  if (isPossible) for (const change of changes) change();
  return isPossible;
}
