import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { FakeClock } from "@dreamloop/testing";
import { describe, expect, it } from "vitest";
import type { OfferFacts } from "./offer.ts";
import { Peer } from "./peer.ts";
import type { RtcModule } from "./rtc-library.ts";

type Listener = (...args: readonly unknown[]) => void;

/** A library whose channels and track refuse everything, as when the other side has just gone. */
function failingLibrary() {
  const listeners = new Map<string, Listener>();
  const connections: WeakRef<object>[] = [];
  let closeCount = 0;
  const listen = (name: string) => (listener: Listener) => void listeners.set(name, listener);
  const refuse = (): never => {
    throw new Error("Sending failed, errno=2");
  };
  const track = {
    onOpen: listen("open"),
    onMessage: listen("rtcp"),
    isOpen: () => true,
    setMediaHandler: () => undefined,
  };
  class PeerConnection {
    constructor() {
      connections.push(new WeakRef(this));
    }
    addTrack = () => ({ ...track, sendMessageBinary: refuse });
    onStateChange = listen("state");
    onDataChannel = listen("channel");
    onGatheringStateChange = listen("gathering");
    setRemoteDescription = () => undefined;
    setLocalDescription = () => listeners.get("gathering")?.("complete");
    localDescription = () => ({ type: "answer", sdp: "v=0" });
    close = () => void (closeCount += 1);
  }
  class Nothing {
    addH264Codec = () => undefined;
    parseSdpLine = () => undefined;
    addSSRC = () => undefined;
    addToChain = () => undefined;
  }
  const rtc = {
    PeerConnection,
    Video: Nothing,
    RtpPacketizationConfig: Nothing,
    RtcpSrReporter: Nothing,
    RtcpNackResponder: Nothing,
    H264RtpPacketizer: Nothing,
  } as unknown as RtcModule;
  const channel = (label: string) => ({
    getLabel: () => label,
    isOpen: () => true,
    bufferedAmount: () => 0,
    sendMessage: refuse,
    onMessage: listen(`${label} message`),
    onClosed: listen(`${label} closed`),
    close: () => undefined,
  });
  return { rtc, listeners, channel, connections, closes: () => closeCount };
}

async function answered() {
  const library = failingLibrary();
  const lost: string[] = [];
  const offer: OfferFacts = { sdp: "v=0", videoMid: "0", h264: { payloadType: 102, parameters: "" } };
  const { peer } = await Peer.answer({
    rtc: library.rtc,
    settings: { host: "127.0.0.1", iceServers: () => [], iceTransportPolicy: "all" },
    clock: new FakeClock(),
    offer,
    codec: "h264",
    candidates: [],
    events: {
      onReady: () => undefined,
      onChannel: () => undefined,
      onText: () => undefined,
      onFeedback: () => undefined,
      onLost: (reason) => lost.push(reason),
    },
  });
  return { library, peer, lost };
}

describe("a connection whose other side has just gone", () => {
  it("is lost, once, when the library throws at sending, and nothing else happens", async () => {
    const { library, peer, lost } = await answered();
    library.listeners.get("channel")?.(library.channel("control"));
    expect(peer.sendText("control", "{}")).toBe(false);
    expect(peer.sendFrame(new Uint8Array(4), 0)).toBe(false);
    expect(lost).toEqual(["sending failed: Sending failed, errno=2"]);
  });

  it("C2: is lost once, whatever its states and channels say afterwards, and closed once", async () => {
    const { library, peer, lost } = await answered();
    library.listeners.get("channel")?.(library.channel("input"));
    library.listeners.get("state")?.("disconnected");
    library.listeners.get("state")?.("failed");
    library.listeners.get("input closed")?.();
    peer.close();
    library.listeners.get("state")?.("closed");
    peer.close();
    expect(lost).toEqual(["disconnected"]);
    expect(library.closes()).toBe(1);
  });
});

describe("a connection that was closed", () => {
  it("C1: is freed, although the library keeps its callbacks", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const { library, peer } = await closed();
    // What a promise still held is let go of a turn later.
    await new Promise(setImmediate);
    collect();
    expect(library.listeners.size).toBeGreaterThan(5);
    expect(peer.deref()).toBeUndefined();
    expect(library.connections.map((connection) => connection.deref())).toEqual([undefined]);
  });
});

/** Apart, so that nothing of this test refers to the peer. */
async function closed() {
  const { library, peer } = await answered();
  library.listeners.get("channel")?.(library.channel("control"));
  peer.close();
  return { library, peer: new WeakRef(peer) };
}
