/** Bytes of payload in one packet: with all headers below the 1280 bytes that every IPv6 path carries. */
const MAX_PAYLOAD_BYTES = 1180;
const RTP_HEADER_BYTES = 12;
const DESCRIPTOR_BYTES = 4;
const PICTURE_IDS = 2 ** 15;
const SEQUENCE_NUMBERS = 2 ** 16;

/** Makes RTP packets of VP8 frames (RFC 7741): each begins with a descriptor that holds a 15-bit picture id. */
export class Vp8Packetizer {
  readonly #ssrc: number;
  readonly #payloadType: number;
  readonly #extension: Buffer;
  #sequence: number;
  #pictureId: number;

  /** `firstSequence` and `firstPictureId` should be random (RFC 3550, 5.1). */
  constructor(options: {
    readonly ssrc: number;
    readonly payloadType: number;
    readonly firstSequence: number;
    readonly firstPictureId: number;
    /** Number of the header extension that asks receivers to hold nothing back; absent: it is left out. */
    readonly playoutDelayId?: number;
  }) {
    this.#ssrc = options.ssrc;
    this.#payloadType = options.payloadType;
    this.#extension = playoutDelayExtension(options.playoutDelayId);
    this.#sequence = options.firstSequence % SEQUENCE_NUMBERS;
    this.#pictureId = options.firstPictureId % PICTURE_IDS;
  }

  /** The packets of one frame; the last has the marker. */
  packets(frame: Uint8Array, rtpTimestamp: number): Buffer[] {
    const packets: Buffer[] = [];
    for (let start = 0; start < frame.byteLength || start === 0; start += MAX_PAYLOAD_BYTES) {
      const part = frame.subarray(start, start + MAX_PAYLOAD_BYTES);
      const isLast = start + MAX_PAYLOAD_BYTES >= frame.byteLength;
      packets.push(this.#packet({ part, isFirst: start === 0, isLast, rtpTimestamp }));
    }
    this.#pictureId = (this.#pictureId + 1) % PICTURE_IDS;
    return packets;
  }

  #packet(options: {
    readonly part: Uint8Array;
    readonly isFirst: boolean;
    readonly isLast: boolean;
    readonly rtpTimestamp: number;
  }): Buffer {
    const { part, isFirst, isLast, rtpTimestamp } = options;
    const extension = this.#extension;
    const at = RTP_HEADER_BYTES + extension.byteLength;
    const packet = Buffer.allocUnsafe(at + DESCRIPTOR_BYTES + part.byteLength);
    packet[0] = extension.byteLength === 0 ? 0x80 : 0x90;
    packet[1] = (isLast ? 0x80 : 0) | this.#payloadType;
    packet.writeUInt16BE(this.#sequence, 2);
    packet.writeUInt32BE(rtpTimestamp, 4);
    packet.writeUInt32BE(this.#ssrc, 8);
    packet.set(extension, RTP_HEADER_BYTES);
    // Extended control bits present; S at the start of the only partition.
    packet[at] = 0x80 | (isFirst ? 0x10 : 0);
    // A picture id follows, in its long form.
    packet[at + 1] = 0x80;
    packet.writeUInt16BE(0x8000 | this.#pictureId, at + 2);
    packet.set(part, at + DESCRIPTOR_BYTES);
    this.#sequence = (this.#sequence + 1) % SEQUENCE_NUMBERS;
    return packet;
  }
}

/** A one-byte-header extension block (RFC 8285) with a playout delay of 0: show every frame as soon as it is complete. */
function playoutDelayExtension(id: number | undefined): Buffer {
  if (id === undefined || id < 1 || id > 14) return Buffer.alloc(0);
  return Buffer.from([0xbe, 0xde, 0, 1, (id << 4) | 2, 0, 0, 0]);
}
