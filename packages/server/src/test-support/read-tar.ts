const BLOCK_BYTES = 512;

/** The files of a tar archive by their names; throws for a header whose sum is wrong. */
export function readTar(archive: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (let at = 0; archive[at] !== 0;) {
    const header = Buffer.from(archive.subarray(at, at + BLOCK_BYTES));
    const text = (from: number, length: number): string =>
      header
        .subarray(from, from + length)
        .toString("latin1")
        .replace(/[\0 ].*$/s, "");
    const name = text(0, 100);
    const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
    if (text(257, 6) !== "ustar" || Number.parseInt(text(148, 8), 8) !== sum)
      throw new Error(`tar: ${name}: bad header`);
    const bytes = Number.parseInt(text(124, 12), 8);
    files.set(name, archive.subarray(at + BLOCK_BYTES, at + BLOCK_BYTES + bytes));
    at += BLOCK_BYTES + Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
  }
  return files;
}
