/** Types of NAL units (ITU-T H.264, table 7-1) that are looked at here. */
export const NAL_TYPES = {
  /** A slice of a picture that needs others. */
  slice: 1,
  /** A slice of a picture at which decoding can start. */
  idrSlice: 5,
  /** Further information. */
  sei: 6,
  /** Sequence parameter set. */
  sps: 7,
  /** Picture parameter set. */
  pps: 8,
  /** Start of an access unit. */
  accessUnitDelimiter: 9,
} as const;

/** The type of a NAL unit. */
export function nalType(unit: Uint8Array): number {
  return unit[0] & 31;
}

/** The NAL units of an Annex B stream, as views without start codes; trailing zero bytes belong to none. */
export function splitAnnexB(stream: Uint8Array): Uint8Array[] {
  const units: Uint8Array[] = [];
  let start = -1;
  const push = (end: number) => {
    let last = end;
    while (last > start && stream[last - 1] === 0) last -= 1;
    if (start >= 0 && last > start) units.push(stream.subarray(start, last));
  };
  let at = 0;
  while (at + 2 < stream.byteLength) {
    // The third byte decides: above 1 no start code can begin at this byte or the two after it.
    const third = stream[at + 2];
    if (third > 1) at += 3;
    else if (third === 1 && stream[at] === 0 && stream[at + 1] === 0) {
      push(at);
      at += 3;
      start = at;
    } else at += 1;
  }
  push(stream.byteLength);
  return units;
}

/** Joins NAL units with four-byte start codes, into memory of its own. */
export function joinAnnexB(units: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(units.reduce((sum, unit) => sum + 4 + unit.byteLength, 0));
  let at = 0;
  for (const unit of units) {
    bytes[at + 3] = 1;
    bytes.set(unit, at + 4);
    at += 4 + unit.byteLength;
  }
  return bytes;
}

/** The units of a stream in which each is preceded by its length in `lengthBytes` big-endian bytes (ISO/IEC 14496-15). Throws `RangeError` when they overrun. */
export function splitLengthPrefixed(stream: Uint8Array, lengthBytes: number): Uint8Array[] {
  const units: Uint8Array[] = [];
  let at = 0;
  while (at < stream.byteLength) {
    let length = 0;
    for (let index = 0; index < lengthBytes; index += 1) length = length * 256 + (stream[at + index] ?? 0);
    at += lengthBytes;
    if (at + length > stream.byteLength) throw new RangeError("a NAL unit is longer than its frame");
    if (length > 0) units.push(stream.subarray(at, at + length));
    at += length;
  }
  return units;
}

/** Takes out the bytes that keep start codes from appearing inside a NAL unit (7.4.1). */
export function withoutEmulationPrevention(unit: Uint8Array): Uint8Array {
  const bytes: number[] = [];
  let zeros = 0;
  for (const byte of unit) {
    if (zeros >= 2 && byte === 3) {
      zeros = 0;
      continue;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}

/** Puts them in. */
export function withEmulationPrevention(unit: Uint8Array): Uint8Array {
  const bytes: number[] = [];
  let zeros = 0;
  for (const byte of unit) {
    if (zeros >= 2 && byte <= 3) {
      bytes.push(3);
      zeros = 0;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}
