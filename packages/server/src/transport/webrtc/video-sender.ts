import { randomInt } from "node:crypto";
import type { PeerConnection, RtpPacketizationConfig, Track } from "node-datachannel";
import { FRAME_CODECS } from "@dreamloop/protocol";
import { PLAYOUT_DELAY_URI, type OfferFacts } from "./offer.ts";
import type { RtcModule } from "./rtc-library.ts";
import { Vp8Packetizer } from "./rtp/vp8-packetizer.ts";

const CNAME = "dreamloop";
const CLOCK_RATE = 90_000;
/** Packets kept for receivers that lost some. */
const KEPT_PACKETS = 512;

/** The video track of one connection: encoded frames in, RTP out. */
export class VideoSender {
  /** The codec that was agreed on. */
  readonly codec: "h264" | "vp8";
  /** The track. */
  readonly track: Track;
  readonly #rtp: RtpPacketizationConfig;
  readonly #vp8: Vp8Packetizer | undefined;

  /** Adds the track to a connection before its remote description is set. The codec must be among those offered. */
  constructor(options: {
    readonly rtc: RtcModule;
    readonly connection: PeerConnection;
    readonly offer: OfferFacts;
    readonly codec: "h264" | "vp8";
  }) {
    const { rtc, connection, offer, codec } = options;
    const { payloadType = 0, parameters = "" } = offer[codec] ?? {};
    const ssrc = randomInt(1, 2 ** 32 - 1);
    this.codec = codec;
    const video = new rtc.Video(offer.videoMid, "SendOnly");
    if (codec === FRAME_CODECS.h264) video.addH264Codec(payloadType, parameters);
    else video.addVP8Codec(payloadType);
    video.parseSdpLine(`a=rtcp-fb:${payloadType} ccm fir`);
    if (offer.playoutDelayId !== undefined) {
      video.parseSdpLine(`a=extmap:${offer.playoutDelayId} ${PLAYOUT_DELAY_URI}`);
    }
    video.addSSRC(ssrc, CNAME, CNAME, "video");
    this.track = connection.addTrack(video);
    this.#rtp = new rtc.RtpPacketizationConfig(ssrc, CNAME, payloadType, CLOCK_RATE);
    const reporter = new rtc.RtcpSrReporter(this.#rtp);
    const responder = new rtc.RtcpNackResponder(KEPT_PACKETS);
    if (codec === FRAME_CODECS.h264) {
      if (offer.playoutDelayId !== undefined) {
        this.#rtp.playoutDelayId = offer.playoutDelayId;
        this.#rtp.playoutDelayMin = 0;
        this.#rtp.playoutDelayMax = 0;
      }
      const packetizer = new rtc.H264RtpPacketizer("StartSequence", this.#rtp);
      packetizer.addToChain(reporter);
      packetizer.addToChain(responder);
      this.track.setMediaHandler(packetizer);
    } else {
      this.#vp8 = new Vp8Packetizer({
        ssrc,
        payloadType,
        firstSequence: randomInt(2 ** 15),
        firstPictureId: randomInt(2 ** 15),
        ...(offer.playoutDelayId === undefined ? {} : { playoutDelayId: offer.playoutDelayId }),
      });
      reporter.addToChain(responder);
      this.track.setMediaHandler(reporter);
    }
  }

  /** Sends one frame; false when the track does not take it. */
  send(data: Uint8Array, rtpTimestamp: number): boolean {
    if (!this.track.isOpen()) return false;
    this.#rtp.timestamp = rtpTimestamp;
    if (this.#vp8 === undefined) {
      return this.track.sendMessageBinary(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
    }
    for (const packet of this.#vp8.packets(data, rtpTimestamp)) {
      if (!this.track.sendMessageBinary(packet)) return false;
    }
    return true;
  }
}
