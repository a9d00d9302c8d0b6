/**
 * The program that holds node-webcodecs. It runs in a process of its own because the library ends the whole process when two threads
 * have used it or a thread that used it ends, and because its codecs print to standard error, which nothing in the library can turn off.
 * Messages come in on standard input and go out on standard output; it ends when its input does, so it cannot outlive its parent.
 */
import type * as WebCodecs from "node-webcodecs";
import {
  KEY_FRAME_FLAG,
  messageHead,
  MessageReader,
  MESSAGE_TYPES,
  type CreatedReply,
  type DecoderRequest,
  type EncoderRequest,
  type MessageHeader,
} from "./messages.ts";

/** One encoder or decoder. */
interface Channel {
  take(header: MessageHeader, payload: Uint8Array): void;
  drain(): Promise<void>;
  close(): void;
}

/** What to do where the library cannot be had. */
const OTHER_WAY = "install ffmpeg and choose that encoder, or write images";

function noLibrary(cause: unknown): never {
  throw new Error(`node-webcodecs could not be loaded; ${OTHER_WAY}`, { cause });
}

const channels = new Map<number, Channel>();

// A build of the library that uses the system's FFmpeg would encode with other defaults, so only the one that carries its own is used.
// eslint-disable-next-line no-restricted-properties -- the library's only switch for it, in a process that is ours alone
process.env["NODE_WEBCODECS_FORCE"] = "static";
const library: Promise<typeof WebCodecs> = import("node-webcodecs").then((webCodecs) => {
  if (webCodecs.getNativeVariant() !== undefined) return webCodecs;
  throw new Error(`node-webcodecs has no build for ${process.platform} ${process.arch}; ${OTHER_WAY}`);
}, noLibrary);
// Whoever needs it meets the fault.
library.catch(() => undefined);

function send(header: MessageHeader, payload: Uint8Array): void {
  process.stdout.cork();
  process.stdout.write(messageHead(header, payload.byteLength));
  process.stdout.write(payload);
  process.stdout.uncork();
}

function fail(channel: number, error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  send({ type: MESSAGE_TYPES.failed, channel, sequence: 0, flags: 0 }, Buffer.from(text));
}

/** The library does not tell which encoder it took; with software preferred it takes the first of these that it has. */
function implementationName(webCodecs: typeof WebCodecs, codec: string): string {
  const candidates = codec === "vp8" ? ["libvpx"] : ["libx264", "libopenh264"];
  const name = candidates.find((candidate) => webCodecs.hasCodec(candidate, "encoder")) ?? "unknown";
  return `${name} (FFmpeg ${webCodecs.getFFmpegVersion()?.avcodec ?? "unknown"}, ${webCodecs.getNativeVariant() ?? "unknown"} build)`;
}

function createEncoder(webCodecs: typeof WebCodecs, channel: number, request: EncoderRequest): Channel {
  let sequence = 0;
  const encoder = new webCodecs.VideoEncoder({
    output: (chunk) => {
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      const flags = chunk.type === "key" ? KEY_FRAME_FLAG : 0;
      send({ type: MESSAGE_TYPES.frame, channel, sequence, flags }, data);
      sequence += 1;
    },
    error: (error) => fail(channel, error),
  });
  const { isFullRange, framesPerSecond, ...config } = request;
  encoder.configure({
    ...config,
    hardwareAcceleration: "prefer-software",
    avc: { format: "annexb" },
    colorSpace: { primaries: "bt709", transfer: "bt709", matrix: "bt709", fullRange: isFullRange },
  });
  return {
    take: (header, payload) => {
      const frame = new webCodecs.VideoFrame(payload, {
        format: "I420",
        codedWidth: request.width,
        codedHeight: request.height,
        timestamp: Math.round((header.sequence * 1e6) / framesPerSecond),
      });
      encoder.encode(frame, { keyFrame: (header.flags & KEY_FRAME_FLAG) !== 0 });
      frame.close();
    },
    // Its flush ends software encoders for good, and since they hold nothing back there is nothing to flush.
    drain: () => Promise.resolve(),
    close: () => encoder.close(),
  };
}

function createDecoder(webCodecs: typeof WebCodecs, channel: number, request: DecoderRequest): Channel {
  const pictures: Promise<void>[] = [];
  const decoder = new webCodecs.VideoDecoder({
    output: (frame) => {
      const { codedWidth, codedHeight } = frame;
      const chromaBytes = Math.ceil(codedWidth / 2) * Math.ceil(codedHeight / 2);
      const data = new Uint8Array(codedWidth * codedHeight + 2 * chromaBytes);
      const copied = frame.copyTo(data, { format: "I420" }).then(() => {
        frame.close();
        send({ type: MESSAGE_TYPES.decoded, channel, sequence: 0, flags: 0 }, data);
      });
      pictures.push(copied.catch((error: unknown) => fail(channel, error)));
    },
    error: (error) => fail(channel, error),
  });
  decoder.configure({ codec: request.codec, codedWidth: request.width, codedHeight: request.height });
  return {
    take: (header, payload) => {
      const type = (header.flags & KEY_FRAME_FLAG) !== 0 ? "key" : "delta";
      decoder.decode(
        new webCodecs.EncodedVideoChunk({ type, timestamp: header.sequence * 1000, data: Uint8Array.from(payload) }),
      );
    },
    drain: async () => {
      await decoder.flush();
      await Promise.all(pictures);
      send({ type: MESSAGE_TYPES.drained, channel, sequence: 0, flags: 0 }, new Uint8Array(0));
    },
    close: () => decoder.close(),
  };
}

function create(channel: number, text: string, kind: "encoder" | "decoder"): void {
  const created = library.then((webCodecs) => {
    const request = JSON.parse(text) as EncoderRequest;
    const made = kind === "encoder" ? createEncoder : createDecoder;
    channels.set(channel, made(webCodecs, channel, request));
    const reply: CreatedReply = { implementation: implementationName(webCodecs, request.codec) };
    const header = { type: MESSAGE_TYPES.created, channel, sequence: 0, flags: 0 };
    send(header, Buffer.from(JSON.stringify(reply)));
  });
  created.catch((error: unknown) => fail(channel, error));
}

function receive(header: MessageHeader, payload: Uint8Array): void {
  const { channel } = header;
  try {
    if (header.type === MESSAGE_TYPES.createEncoder) create(channel, Buffer.from(payload).toString(), "encoder");
    else if (header.type === MESSAGE_TYPES.createDecoder) create(channel, Buffer.from(payload).toString(), "decoder");
    else if (header.type === MESSAGE_TYPES.drainDecoder) {
      channels
        .get(channel)
        ?.drain()
        .catch((error: unknown) => fail(channel, error));
    } else if (header.type === MESSAGE_TYPES.close) {
      channels.get(channel)?.close();
      channels.delete(channel);
    } else channels.get(channel)?.take(header, payload);
  } catch (error) {
    fail(channel, error);
  }
}

// The terminal sends its interrupt to every process of the group; the parent decides what to finish.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
// Faults inside the library's callbacks come here, and do not say which encoder they concern.
process.on("uncaughtException", (error) => {
  for (const channel of channels.keys()) fail(channel, error);
});
process.stdout.on("error", () => process.exit(0));
const reader = new MessageReader(receive);
process.stdin.on("data", (piece: Uint8Array) => reader.push(piece));
process.stdin.on("end", () => process.exit(0));
