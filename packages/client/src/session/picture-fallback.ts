import { FRAME_CODECS, type FrameCodec } from "@dreamloop/protocol";
import type { Link } from "../link/link.ts";
import type { TransportChoice } from "../link/transport-choice.ts";

/**
 * Remembers which ways of bringing pictures have failed in this browser, for one session: WebRTC, then each codec of the WebSocket, down to JPEG. Where
 * the first way fails, a reconnect takes the next.
 */
export class PictureFallback {
  readonly #choice: TransportChoice;
  readonly #failedCodecs = new Set<FrameCodec>();
  #avoidsWebRtc = false;

  /** `choice` is what the page asked for; WebRTC by name is kept. */
  constructor(choice: TransportChoice) {
    this.#choice = choice;
  }

  /** The transport for the next link. */
  get transport(): TransportChoice {
    return this.#avoidsWebRtc ? "websocket" : this.#choice;
  }

  /** What of the browser's decoders is still offered to the server. */
  decoders(all: readonly FrameCodec[]): readonly FrameCodec[] {
    const left = all.filter((codec) => !this.#failedCodecs.has(codec));
    return left.length === 0 ? [FRAME_CODECS.jpeg] : left;
  }

  /** A link brought no picture although frames arrived; false when no other way is left. */
  failed({ kind, codec }: Pick<Link, "kind" | "codec">): boolean {
    if (kind === "webrtc") {
      if (this.#choice === "webrtc") return false;
      this.#avoidsWebRtc = true;
      return true;
    }
    if (codec === undefined || codec === FRAME_CODECS.jpeg) return false;
    // Whoever is on the socket stays there: the other way was worse.
    this.#avoidsWebRtc = true;
    this.#failedCodecs.add(codec);
    return true;
  }
}
