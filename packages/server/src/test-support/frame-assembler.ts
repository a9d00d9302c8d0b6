/** A frame put together from RTP packets. */
export interface AssembledFrame {
  readonly rtpTimestamp: number;
  readonly ssrc: number;
  readonly codec: "h264" | "vp8";
  readonly data: Uint8Array;
  readonly keyFrame: boolean;
}

/** Puts frames together from RTP packets in order: H.264 (RFC 6184) on payload type 102, VP8 (RFC 7741) on 96. */
export class FrameAssembler {
  readonly #onFrame: (frame: AssembledFrame) => void;
  #parts: Buffer[] = [];

  constructor(onFrame: (frame: AssembledFrame) => void) {
    this.#onFrame = onFrame;
  }

  push(packet: Buffer): void {
    const first = packet[0];
    const second = packet[1];
    let at = 12 + 4 * (first & 0x0f);
    if ((first & 0x10) !== 0) at += 4 + 4 * packet.readUInt16BE(at + 2);
    const isVp8 = (second & 0x7f) === 96;
    const payload = packet.subarray(at);
    if (isVp8) this.#parts.push(payload.subarray(vp8DescriptorBytes(payload)));
    else this.#takeH264(payload);
    if ((second & 0x80) === 0) return;
    const data = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#onFrame({
      rtpTimestamp: packet.readUInt32BE(4),
      ssrc: packet.readUInt32BE(8),
      codec: isVp8 ? "vp8" : "h264",
      data,
      keyFrame: isVp8 ? ((data[0] ?? 1) & 1) === 0 : unitTypes(data).includes(5),
    });
  }

  #takeH264(payload: Buffer): void {
    const type = payload[0] & 0x1f;
    const start = Buffer.from([0, 0, 0, 1]);
    if (type === 28) {
      const header = payload[1];
      if ((header & 0x80) !== 0) {
        this.#parts.push(start, Buffer.from([(payload[0] & 0xe0) | (header & 0x1f)]));
      }
      this.#parts.push(payload.subarray(2));
    } else if (type === 24) {
      for (let at = 1; at + 2 <= payload.byteLength;) {
        const length = payload.readUInt16BE(at);
        this.#parts.push(start, payload.subarray(at + 2, at + 2 + length));
        at += 2 + length;
      }
    } else this.#parts.push(start, payload);
  }
}

function vp8DescriptorBytes(payload: Buffer): number {
  if ((payload[0] & 0x80) === 0) return 1;
  const extension = payload[1];
  let bytes = 2;
  if ((extension & 0x80) !== 0) bytes += (payload[2] & 0x80) === 0 ? 1 : 2;
  return bytes;
}

/** The types of the NAL units of an Annex B frame. */
export function unitTypes(data: Uint8Array): number[] {
  const types: number[] = [];
  for (let at = 0; at + 3 < data.byteLength; at += 1) {
    if (data[at] === 0 && data[at + 1] === 0 && data[at + 2] === 1) types.push(data[at + 3] & 0x1f);
  }
  return types;
}
