import type { ReceiverFeedback } from "../../outlet/receiver-feedback.ts";

const HEADER_BYTES = 4;
const SENDER_REPORT = 200;
const RECEIVER_REPORT = 201;
const PAYLOAD_FEEDBACK = 206;
const PLI = 1;
const FIR = 4;
const APPLICATION = 15;
const REPORT_BLOCK_BYTES = 24;
const SENDER_INFO_BYTES = 20;
const REMB_NAME = 0x52454d42;

/**
 * Reads a compound RTCP packet: key frames asked for by PLI (RFC 4585, 6.3.1) or FIR (RFC 5104, 4.3.1), estimates by REMB
 * (draft-alvestrand-rmcat-remb), losses by report blocks (RFC 3550, 6.4.1). Malformed and unknown parts are skipped.
 */
export function readRtcp(message: Uint8Array): ReceiverFeedback {
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  let wantsKeyFrame = false;
  let estimatedBitsPerSecond: number | undefined;
  let fractionLost: number | undefined;
  for (let at = 0; at + HEADER_BYTES <= view.byteLength;) {
    const first = view.getUint8(at);
    const count = first & 0x1f;
    const type = view.getUint8(at + 1);
    const end = at + (view.getUint16(at + 2) + 1) * 4;
    if (first >> 6 !== 2 || end > view.byteLength) break;
    if (type === PAYLOAD_FEEDBACK && (count === PLI || count === FIR)) wantsKeyFrame = true;
    else if (type === PAYLOAD_FEEDBACK && count === APPLICATION) {
      estimatedBitsPerSecond = readRemb(view, at, end) ?? estimatedBitsPerSecond;
    } else if (type === RECEIVER_REPORT || type === SENDER_REPORT) {
      const blocks = at + 8 + (type === SENDER_REPORT ? SENDER_INFO_BYTES : 0);
      for (let block = 0; block < count; block += 1) {
        const position = blocks + block * REPORT_BLOCK_BYTES;
        if (position + REPORT_BLOCK_BYTES > end) break;
        fractionLost = Math.max(fractionLost ?? 0, view.getUint8(position + 4) / 256);
      }
    }
    at = end;
  }
  return {
    wantsKeyFrame,
    ...(estimatedBitsPerSecond === undefined ? {} : { estimatedBitsPerSecond }),
    ...(fractionLost === undefined ? {} : { fractionLost }),
  };
}

function readRemb(view: DataView, at: number, end: number): number | undefined {
  if (end - at < 20 || view.getUint32(at + 12) !== REMB_NAME) return undefined;
  const exponent = view.getUint8(at + 17) >> 2;
  const mantissa = ((view.getUint8(at + 17) & 3) << 16) | view.getUint16(at + 18);
  return mantissa * 2 ** exponent;
}
