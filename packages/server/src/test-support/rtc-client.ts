import type { DataChannel, PeerConnection, Track } from "node-datachannel";
import type { DeviceState, FrameMetadata, ServerMessage } from "@dreamloop/protocol";
import { PROTOCOL_VERSION } from "@dreamloop/protocol";
import { FrameAssembler, type AssembledFrame } from "./frame-assembler.ts";
import { gathering } from "../transport/webrtc/peer.ts";
import { until, type TestServer } from "./test-server.ts";

const H264 = "profile-level-id=42e01f;packetization-mode=1;level-asymmetry-allowed=1";
const PAYLOAD_TYPES = { h264: 102, vp8: 96 } as const;

/** A WebRTC client in this process: counts packets, puts frames together, keeps what it is told. */
export class RtcClient {
  connection: PeerConnection;
  track: Track;
  readonly frames: AssembledFrame[] = [];
  readonly metadata: FrameMetadata[] = [];
  readonly messages: ServerMessage[] = [];
  channels: { readonly input?: DataChannel; readonly control?: DataChannel; readonly frames?: DataChannel };
  packetCount = 0;
  state = "new";
  #sequence = 0;

  private constructor(connection: PeerConnection, track: Track, withChannels: boolean) {
    this.connection = connection;
    this.track = track;
    connection.onStateChange((state) => (this.state = state));
    const assembler = new FrameAssembler((frame) => this.frames.push(frame));
    track.onMessage((packet) => {
      if ((packet[1] & 0x7f) >= 72 && (packet[1] & 0x7f) <= 76) return;
      this.packetCount += 1;
      assembler.push(packet);
    });
    const lossy = { unordered: true, maxRetransmits: 0 };
    this.channels = withChannels
      ? {
          input: connection.createDataChannel("input", lossy),
          control: connection.createDataChannel("control"),
          frames: connection.createDataChannel("frames", lossy),
        }
      : {};
    this.channels.control?.onMessage((text) => void this.messages.push(JSON.parse(text as string) as ServerMessage));
    this.channels.input?.onMessage((text) => void this.messages.push(JSON.parse(text as string) as ServerMessage));
    this.channels.frames?.onMessage((text) => void this.metadata.push(JSON.parse(text as string) as FrameMetadata));
  }

  /** Makes a connection and its offer. */
  static async offer(
    options: { readonly codecs?: readonly ("h264" | "vp8")[]; readonly channels?: boolean } = {},
  ): Promise<{ readonly client: RtcClient; readonly sdp: string }> {
    const rtc = await import("node-datachannel");
    const { codecs = ["h264", "vp8"], channels = true } = options;
    const connection = new rtc.PeerConnection("client", {
      iceServers: [],
      bindAddress: "127.0.0.1",
      disableAutoNegotiation: true,
    });
    const video = new rtc.Video("video", "RecvOnly");
    for (const codec of codecs) {
      if (codec === "h264") video.addH264Codec(PAYLOAD_TYPES.h264, H264);
      else video.addVP8Codec(PAYLOAD_TYPES.vp8);
    }
    const client = new RtcClient(connection, connection.addTrack(video), channels);
    const gathered = gathering(connection);
    connection.setLocalDescription("offer");
    await gathered;
    return { client, sdp: connection.localDescription()?.sdp ?? "" };
  }

  /** Connects as the player of a session. */
  static async play(
    server: TestServer,
    session: { readonly sessionId: string; readonly token: string },
    options: { readonly codecs?: readonly ("h264" | "vp8")[]; readonly lead?: (answer: string) => string } = {},
  ): Promise<RtcClient> {
    const { lead = (answer) => answer, ...offered } = options;
    const { client, sdp } = await RtcClient.offer(offered);
    const response = await server.send("POST", `/api/sessions/${session.sessionId}/offer`, {
      body: { type: "offer", sdp: withoutCandidates(sdp) },
      token: session.token,
    });
    if (response.status !== 200) throw new Error(`offer: ${response.status} ${await response.text()}`);
    const answer = (await response.json()) as { sdp: string };
    client.connection.setRemoteDescription(lead(answer.sdp), "answer");
    return client;
  }

  get epoch(): number {
    const connected = this.messages.find((message) => message.type === "connected");
    return connected?.epoch ?? 0;
  }

  input(states: readonly DeviceState[]): number {
    this.#sequence += 1;
    const message = { type: "input", version: PROTOCOL_VERSION, sequence: this.#sequence, epoch: this.epoch, states };
    this.channels.input?.sendMessage(JSON.stringify(message));
    return this.#sequence;
  }

  /** Sends RTCP to the server, such as a request for a key frame. */
  sendRtcp(packet: Uint8Array): void {
    this.track.sendMessageBinary(Buffer.from(packet));
  }

  async frameCount(count: number): Promise<void> {
    await until(() => this.frames.length >= count, `${count} frames have come`);
  }

  /** Ends the connection and forgets what came and what came it through, since the library keeps its callbacks. */
  close(): void {
    this.connection.close();
    for (const kept of [this.frames, this.metadata, this.messages]) kept.length = 0;
    Object.assign(this, { connection: undefined, track: undefined, channels: {} });
  }
}

/**
 * An offer without candidates: the server then waits for the client's checks. A server that begins them may connect before the library
 * has noted the fingerprint of the answer, and the library of this client then gives up the connection.
 */
export function withoutCandidates(sdp: string): string {
  return sdp
    .split("\r\n")
    .filter((line) => !line.startsWith("a=candidate:") && line !== "a=end-of-candidates")
    .join("\r\n");
}

/** A Picture Loss Indication (RFC 4585, 6.3.1). */
export function pli(mediaSsrc: number): Uint8Array {
  const packet = Buffer.alloc(12);
  packet[0] = 0x81;
  packet[1] = 206;
  packet.writeUInt16BE(2, 2);
  packet.writeUInt32BE(1, 4);
  packet.writeUInt32BE(mediaSsrc, 8);
  return packet;
}
