// The receivers of bench/many.mjs, in a process of their own so that their processor time is not the server's: each plays one session by WebRTC,
// holds a key now and then, counts packets and frames, and takes only the first frame apart.
import rtc from "node-datachannel";

/** Milliseconds between two input messages, as clients send them while anything is held. */
const INPUT_MILLISECONDS = 75;
const H264_PAYLOAD_TYPE = 102;
const H264 = "profile-level-id=42e01f;packetization-mode=1;level-asymmetry-allowed=1";
/** Types of NAL units that the first frame must have: parameter sets and a picture at which decoding can begin. */
const FIRST_FRAME_UNITS = [7, 8, 5];

/**
 * The types of the NAL units that begin in a packet (RFC 6184).
 *
 * @param {Buffer} payload
 */
function unitTypes(payload) {
  const type = payload[0] & 31;
  if (type === 28) return (payload[1] & 0x80) === 0 ? [] : [payload[1] & 31];
  if (type !== 24) return [type];
  const types = [];
  for (let at = 1; at + 2 < payload.length; at += 2 + payload.readUInt16BE(at)) types.push(payload[at + 2] & 31);
  return types;
}

/**
 * The payload of an RTP packet.
 *
 * @param {Buffer} packet
 */
function payloadOf(packet) {
  const fixed = 12 + 4 * (packet[0] & 15);
  return packet.subarray((packet[0] & 16) === 0 ? fixed : fixed + 4 + 4 * packet.readUInt16BE(fixed + 2));
}

class Receiver {
  packets = 0;
  frames = 0;
  /** @type {number[] | undefined} */
  firstUnits;
  /** @type {{ index: number, serverMilliseconds: number }[]} */
  told = [];
  #units = /** @type {number[]} */ ([]);
  #sequence = 0;
  #epoch = 0;

  /** @param {string} url */
  constructor(url) {
    this.url = url;
  }

  async start() {
    const created = await this.#post("/api/sessions", { world: "probe" });
    this.session = { sessionId: created.sessionId, token: created.token };
    const connection = new rtc.PeerConnection("receiver", {
      iceServers: [],
      bindAddress: "127.0.0.1",
      disableAutoNegotiation: true,
    });
    this.connection = connection;
    const video = new rtc.Video("video", "RecvOnly");
    video.addH264Codec(H264_PAYLOAD_TYPE, H264);
    this.track = connection.addTrack(video);
    this.track.onMessage((packet) => this.#take(packet));
    const lossy = { unordered: true, maxRetransmits: 0 };
    const input = connection.createDataChannel("input", lossy);
    const control = connection.createDataChannel("control");
    const frames = connection.createDataChannel("frames", lossy);
    // A channel that nobody holds is closed when memory is collected.
    this.channels = [input, control, frames];
    control.onMessage((text) => {
      const message = JSON.parse(String(text));
      if (message.type === "connected") this.#epoch = message.epoch;
    });
    frames.onMessage((text) => {
      const { frameIndex, serverMilliseconds } = JSON.parse(String(text));
      this.told.push({ index: frameIndex, serverMilliseconds });
    });
    const gathered = new Promise((resolve) =>
      connection.onGatheringStateChange((state) => void (state === "complete" && resolve(undefined))),
    );
    connection.setLocalDescription("offer");
    await gathered;
    // Without candidates the server waits for the checks from here; see the tests' client.
    const sdp = (connection.localDescription()?.sdp ?? "").replace(/a=(candidate:.*|end-of-candidates)\r\n/g, "");
    const path = `/api/sessions/${created.sessionId}/offer`;
    const answer = await this.#post(path, { type: "offer", sdp });
    connection.setRemoteDescription(answer.sdp, "answer");
    while (this.firstUnits === undefined || this.#epoch === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    this.timer = setInterval(() => {
      this.#sequence += 1;
      const codes = Math.floor(this.#sequence / 20) % 2 === 0 ? ["KeyW"] : [];
      const payload = { codes, pressCounts: { KeyW: Math.ceil(this.#sequence / 40) }, epoch: 0 };
      const states = [{ eventType: "keys_state", payload }];
      const message = { type: "input", version: 1, sequence: this.#sequence, epoch: this.#epoch, states };
      if (input.isOpen()) input.sendMessage(JSON.stringify(message));
    }, INPUT_MILLISECONDS);
  }

  /** Counts from now on. */
  begin() {
    this.packets = 0;
    this.frames = 0;
    this.told.length = 0;
  }

  result() {
    const indexes = this.told.map(({ index }) => index);
    return {
      packets: this.packets,
      frames: this.frames,
      firstFrame: Math.min(...indexes),
      lastFrame: Math.max(...indexes),
      serverMilliseconds: this.told.map((each) => each.serverMilliseconds),
      isFirstFrameWhole: FIRST_FRAME_UNITS.every((type) => this.firstUnits?.includes(type)),
    };
  }

  close() {
    clearInterval(this.timer);
    this.connection?.close();
  }

  /** @param {Buffer} packet */
  #take(packet) {
    // RTCP shares the port (RFC 5761).
    const type = packet[1] & 127;
    if (type >= 72 && type <= 76) return;
    this.packets += 1;
    if (this.firstUnits === undefined) this.#units.push(...unitTypes(payloadOf(packet)));
    if ((packet[1] & 128) === 0) return;
    this.frames += 1;
    this.firstUnits ??= this.#units;
  }

  /** @param {string} path @param {unknown} body */
  async #post(path, body) {
    const token = this.session?.token;
    const response = await fetch(this.url + path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }
}

/** @type {Receiver[]} */
let receivers = [];
process.once("disconnect", () => {
  for (const receiver of receivers) receiver.close();
  process.exit(0);
});
process.on("message", async (/** @type {any} */ message) => {
  try {
    if (message.type === "start") {
      receivers = Array.from({ length: message.count }, () => new Receiver(message.url));
      for (const receiver of receivers) await receiver.start();
      process.send?.({ type: "started", sessions: receivers.map(({ session }) => session) });
    } else if (message.type === "begin") {
      for (const receiver of receivers) receiver.begin();
    } else if (message.type === "end") {
      process.send?.({ type: "results", results: receivers.map((receiver) => receiver.result()) });
    }
  } catch (error) {
    process.send?.({ type: "failed", message: error instanceof Error ? error.message : String(error) });
  }
});
