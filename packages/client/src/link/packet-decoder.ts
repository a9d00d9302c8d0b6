import type { FrameHeader } from "@dreamloop/protocol";
import { DECODER_CODECS } from "../browser/client-environment.ts";
import type { Picture, PictureListener } from "./picture-source.ts";

/** Frames that may wait in the decoder; beyond, all are dropped up to the next key frame, so that delay cannot pile up. */
const MAX_QUEUE = 6;
/** Metadata that is kept for frames in the decoder. */
const MAX_IN_FLIGHT = 64;

/** Failures in a row, without a picture in between, after which a codec counts as one that this browser cannot decode. */
const MAX_FAILURES = 3;

/** One encoded frame. */
export interface VideoPacket {
  /** What is known of it. */
  readonly header: FrameHeader;
  /** The encoded frame. */
  readonly payload: Uint8Array;
}

/** Decodes the frames of the socket: H.264 and VP8 by WebCodecs, JPEG as images. */
export class PacketDecoder {
  readonly kind = "pictures" as const;
  readonly #onKeyFrameNeeded: () => void;
  readonly #onFailed: () => void;
  #failures = 0;
  readonly #drops: Record<string, number> = {};
  readonly #inFlight = new Map<number, FrameHeader>();
  #decoder: VideoDecoder | undefined;
  #codecString: string | undefined;
  #needsKeyFrame = true;
  #nextTimestamp = 0;
  #listener: PictureListener | undefined;
  #jpegInWork = false;
  #jpegWaiting: VideoPacket | undefined;
  #isClosed = false;

  /** `onKeyFrameNeeded` is called when decoding cannot continue without one, `onFailed` when it fails again and again. */
  constructor(options: { readonly onKeyFrameNeeded: () => void; readonly onFailed: () => void }) {
    this.#onKeyFrameNeeded = options.onKeyFrameNeeded;
    this.#onFailed = options.onFailed;
  }

  /** Frames that were not shown, by reason. */
  get drops(): Readonly<Record<string, number>> {
    return this.#drops;
  }

  /** Who takes the pictures. */
  setListener(listener: PictureListener | undefined): void {
    this.#listener = listener;
  }

  /** Takes over an encoded frame. */
  push(packet: VideoPacket): void {
    if (this.#isClosed) return;
    if (packet.header.codec === "jpeg") {
      if (this.#jpegWaiting !== undefined) this.#dropped("decoder_behind");
      this.#jpegWaiting = packet;
      void this.#decodeJpegs();
    } else this.#decode(packet, packet.header.codec);
  }

  /** Ends decoding; what is in work is let go of. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#listener = undefined;
    this.#closeDecoder();
  }

  #decode(packet: VideoPacket, codec: "h264" | "vp8"): void {
    const { header } = packet;
    if (header.keyFrame) this.#start(header.codecString ?? DECODER_CODECS[codec]);
    const decoder = this.#decoder;
    if (decoder === undefined || decoder.state !== "configured" || this.#needsKeyFrame) {
      this.#dropped("waiting_for_key_frame");
      return;
    }
    if (decoder.decodeQueueSize >= MAX_QUEUE) {
      this.#lost("decoder_behind");
      return;
    }
    const timestamp = (this.#nextTimestamp += 1);
    this.#inFlight.set(timestamp, header);
    for (const oldest of this.#inFlight.keys()) {
      if (this.#inFlight.size <= MAX_IN_FLIGHT) break;
      this.#inFlight.delete(oldest);
    }
    const type = header.keyFrame ? "key" : "delta";
    try {
      decoder.decode(new EncodedVideoChunk({ type, timestamp, data: packet.payload }));
    } catch {
      this.#decodeFailed();
    }
  }

  /** A key frame begins a run: the decoder is made anew where there is none or where its codec is another. */
  #start(codecString: string): void {
    this.#needsKeyFrame = false;
    if (this.#decoder?.state === "configured" && this.#codecString === codecString) return;
    this.#closeDecoder();
    this.#codecString = codecString;
    const decoder = new VideoDecoder({
      output: (image) => {
        const metadata = this.#inFlight.get(image.timestamp);
        this.#inFlight.delete(image.timestamp);
        if (metadata === undefined) image.close();
        else this.#show({ image, metadata });
      },
      error: () => {
        if (this.#decoder === decoder) this.#decodeFailed();
      },
    });
    this.#decoder = decoder;
    try {
      decoder.configure({ codec: codecString, optimizeForLatency: true });
    } catch {
      this.#decodeFailed();
    }
  }

  #decodeFailed(): void {
    this.#lost("decode_failed");
    this.#countFailure();
  }

  #countFailure(): void {
    this.#failures += 1;
    if (this.#failures >= MAX_FAILURES && !this.#isClosed) this.#onFailed();
  }

  #lost(reason: string): void {
    this.#dropped(reason);
    this.#needsKeyFrame = true;
    this.#onKeyFrameNeeded();
  }

  #closeDecoder(): void {
    const decoder = this.#decoder;
    this.#decoder = undefined;
    this.#inFlight.clear();
    if (decoder !== undefined && decoder.state !== "closed") decoder.close();
  }

  async #decodeJpegs(): Promise<void> {
    if (this.#jpegInWork) return;
    this.#jpegInWork = true;
    for (;;) {
      const packet = this.#jpegWaiting;
      this.#jpegWaiting = undefined;
      if (packet === undefined) break;
      const blob = new Blob([packet.payload as BlobPart], { type: "image/jpeg" });
      const image = await createImageBitmap(blob).catch(() => undefined);
      if (image === undefined) {
        this.#dropped("decode_failed");
        this.#countFailure();
      } else this.#show({ image, metadata: packet.header });
    }
    this.#jpegInWork = false;
  }

  #show(picture: Picture): void {
    this.#failures = 0;
    if (this.#listener !== undefined) {
      this.#listener(picture);
      return;
    }
    picture.image.close();
    if (!this.#isClosed) this.#dropped("not_attached");
  }

  #dropped(reason: string): void {
    this.#drops[reason] = (this.#drops[reason] ?? 0) + 1;
  }
}
