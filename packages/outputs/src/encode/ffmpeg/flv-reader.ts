/** One video tag of an FLV stream. */
export interface FlvVideoTag {
  /** `header`: an AVC decoder configuration record; `frame`: NAL units preceded by their lengths; `end`: nothing. */
  readonly kind: "header" | "frame" | "end";
  /** The payload, memory of its own. */
  readonly data: Uint8Array;
}

const FILE_HEADER_BYTES = 9;
const PREVIOUS_SIZE_BYTES = 4;
const TAG_HEADER_BYTES = 11;
/** Frame type and codec, packet type, composition time. */
const VIDEO_HEADER_BYTES = 5;
const VIDEO_TAG = 9;
const KINDS = ["header", "frame", "end"] as const;

/**
 * Takes H.264 frames out of an FLV stream (Adobe Flash Video File Format 10.1, annex E) as soon as each is complete. FLV is what
 * FFmpeg is asked for because it tells the length of each frame before the frame, so none has to wait for the next one.
 */
export class FlvReader {
  readonly #onTag: (tag: FlvVideoTag) => void;
  #pending = Buffer.alloc(0);
  #isPastHeader = false;

  /** `onTag` gets each video tag; what it throws passes through `push`. */
  constructor(onTag: (tag: FlvVideoTag) => void) {
    this.#onTag = onTag;
  }

  /** Takes the next piece. Throws `RangeError` for what is no FLV with H.264. */
  push(piece: Uint8Array): void {
    this.#pending = this.#pending.byteLength === 0 ? Buffer.from(piece) : Buffer.concat([this.#pending, piece]);
    if (!this.#isPastHeader) {
      if (this.#pending.byteLength < FILE_HEADER_BYTES + PREVIOUS_SIZE_BYTES) return;
      if (this.#pending.toString("latin1", 0, 3) !== "FLV") throw new RangeError("the stream is no FLV");
      this.#pending = this.#pending.subarray(this.#pending.readUInt32BE(5) + PREVIOUS_SIZE_BYTES);
      this.#isPastHeader = true;
    }
    for (;;) {
      if (this.#pending.byteLength < TAG_HEADER_BYTES) return;
      const dataBytes = this.#pending.readUIntBE(1, 3);
      const tagBytes = TAG_HEADER_BYTES + dataBytes + PREVIOUS_SIZE_BYTES;
      if (this.#pending.byteLength < tagBytes) return;
      const data = this.#pending.subarray(TAG_HEADER_BYTES, TAG_HEADER_BYTES + dataBytes);
      if (this.#pending[0] === VIDEO_TAG) this.#deliver(data);
      this.#pending = this.#pending.subarray(tagBytes);
    }
  }

  #deliver(data: Buffer): void {
    const kind = data.byteLength < VIDEO_HEADER_BYTES ? undefined : KINDS[data[1]];
    const isAvc = ((data[0] ?? 0) & 15) === 7;
    if (kind === undefined || !isAvc) throw new RangeError("the FLV holds something other than H.264");
    this.#onTag({ kind, data: Uint8Array.from(data.subarray(VIDEO_HEADER_BYTES)) });
  }
}

/** The parameter sets in an AVC decoder configuration record (ISO/IEC 14496-15, 5.3.3.1), and the bytes of each length. */
export function readAvcConfiguration(record: Uint8Array): {
  readonly units: Uint8Array[];
  readonly lengthBytes: number;
} {
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  const units: Uint8Array[] = [];
  let at = 5;
  for (const mask of [31, 255]) {
    const count = view.getUint8(at) & mask;
    at += 1;
    for (let index = 0; index < count; index += 1) {
      const length = view.getUint16(at);
      units.push(Uint8Array.from(record.subarray(at + 2, at + 2 + length)));
      at += 2 + length;
    }
  }
  return { units, lengthBytes: (view.getUint8(4) & 3) + 1 };
}
