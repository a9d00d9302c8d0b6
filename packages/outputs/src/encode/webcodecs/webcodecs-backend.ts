import type { I420Picture } from "../../color/i420.ts";
import { BT709_LIMITED } from "../h264/sps.ts";
import { H264StreamFixer } from "../h264/stream-fixer.ts";
import { readEncoderConfig } from "../read-encoder-config.ts";
import {
  KEY_FRAME_DEMANDS,
  VIDEO_CODECS,
  type DecodeOptions,
  type EncodedFrame,
  type VideoEncoderBackend,
} from "../video-encoder.ts";
import { openChannel } from "./channel.ts";
import { EncoderProcess } from "./encoder-process-host.ts";
import { KEY_FRAME_FLAG, MESSAGE_TYPES } from "./messages.ts";
import { createWebCodecsEncoder, WEBCODECS_IS_HARDWARE, WEBCODECS } from "./webcodecs-encoder.ts";

/**
 * Encodes through node-webcodecs (OpenH264 and libvpx) in one process for all encoders of this backend. Nothing is started before the first
 * encoder, and any number of threads may each have a backend.
 */
export function webCodecsBackend(): VideoEncoderBackend {
  const host = new EncoderProcess();
  return {
    name: WEBCODECS,
    codecs: [VIDEO_CODECS.h264, VIDEO_CODECS.vp8],
    isHardware: WEBCODECS_IS_HARDWARE,
    keyFrameDemand: KEY_FRAME_DEMANDS.immediate,
    createEncoder: async (config, events) => createWebCodecsEncoder(host, readEncoderConfig(config), events),
    decode: (options) => decode(host, options),
    close: () => host.close(),
  };
}

async function decode(host: EncoderProcess, options: DecodeOptions): Promise<readonly I420Picture[]> {
  const { codec, frames, width, height } = options;
  const pictures: I420Picture[] = [];
  const release = host.hold();
  let settle: { resolve: () => void; reject: (error: Error) => void } | undefined;
  const drained = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // A fault before anyone waits is reported by the wait below.
  drained.catch(() => undefined);
  try {
    const { number } = await openChannel(host, {
      type: MESSAGE_TYPES.createDecoder,
      request: { codec: codec === VIDEO_CODECS.h264 ? "avc1.42e01f" : codec, width, height },
      onMessage: (header, payload) => {
        if (header.type === MESSAGE_TYPES.decoded) {
          pictures.push({ codedWidth: width, codedHeight: height, data: Uint8Array.from(payload) });
        } else if (header.type === MESSAGE_TYPES.drained) settle?.resolve();
      },
      onFailure: (error) => settle?.reject(error),
    });
    try {
      const plain = codec === VIDEO_CODECS.h264 ? withLimitedRange(options) : frames;
      for (const [sequence, { data, isKeyFrame }] of plain.entries()) {
        const flags = isKeyFrame ? KEY_FRAME_FLAG : 0;
        await host.send({ type: MESSAGE_TYPES.packet, channel: number, sequence, flags }, data);
      }
      await host.send({ type: MESSAGE_TYPES.drainDecoder, channel: number, sequence: 0, flags: 0 });
      await drained;
    } finally {
      await host.release(number);
    }
    return pictures;
  } finally {
    release();
  }
}

/**
 * The same frames, said to be of limited range: the library reads the planes of pictures that it takes for full range wrongly. Only the
 * saying changes, not the numbers.
 */
function withLimitedRange({ frames, width, height }: DecodeOptions): EncodedFrame[] {
  const fixer = new H264StreamFixer({ width, height, color: BT709_LIMITED });
  return frames.map((frame) => ({ ...frame, data: fixer.fixAnnexB(frame.data).data }));
}
