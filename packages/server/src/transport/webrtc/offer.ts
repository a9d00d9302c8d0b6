import { isIP } from "node:net";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { PROTOCOL_LIMITS, type IceCandidate } from "@dreamloop/protocol";

/** A codec of an offer that can be sent. */
export interface OfferedCodec {
  /** Its number in the offer. */
  readonly payloadType: number;
  /** Its parameters in the offer; empty when there are none. */
  readonly parameters: string;
}

/** What is used of an offer. */
export interface OfferFacts {
  /** The description without candidates that name hosts. */
  readonly sdp: string;
  /** The media section of the video. */
  readonly videoMid: string;
  /** Number of the header extension for the playout delay; absent when it is not offered. */
  readonly playoutDelayId?: number;
  /** H.264, constrained baseline, packetization mode 1; absent when it is not offered. */
  readonly h264?: OfferedCodec;
  /** VP8; absent when it is not offered. */
  readonly vp8?: OfferedCodec;
}

/** The header extension that says how long a receiver may hold a frame back. */
export const PLAYOUT_DELAY_URI = "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay";

const MAX_LINES = 4000;
const MAX_SECTIONS = 8;

/** Reads an offer; throws `invalid_value` that says what it lacks. Nothing is changed by it. */
export function readOfferSdp(sdp: string): OfferFacts {
  const lines = sdp.split(/\r\n|\n/).filter((line) => line !== "");
  if (lines[0] !== "v=0") refuseOffer("it does not begin with v=0");
  if (lines.length > MAX_LINES) refuseOffer(`it has more than ${MAX_LINES} lines`);
  if (lines.some((line) => !/^[a-z]=/.test(line))) refuseOffer("a line is not of the form x=…");
  const sections = splitSections(lines);
  const [session = [], ...media] = sections;
  if (media.length > MAX_SECTIONS) refuseOffer(`it has more than ${MAX_SECTIONS} media sections`);
  const videos = media.filter((section) => section[0]?.startsWith("m=video "));
  const [video] = videos;
  if (video === undefined) refuseOffer("it has no video section");
  if (videos.length > 1) refuseOffer("it has more than one video section; offer one that receives");
  const has = (name: string): boolean => [...session, ...video].some((line) => line.startsWith(`a=${name}:`));
  if (!has("ice-ufrag") || !has("ice-pwd")) refuseOffer("it has no ICE user name and password");
  if (!has("fingerprint")) refuseOffer("it has no certificate fingerprint");
  const direction = [...video, ...session].find((line) => /^a=(sendrecv|recvonly|sendonly|inactive)$/.test(line));
  if (direction === "a=sendonly" || direction === "a=inactive") refuseOffer("its video section does not receive");
  const codecs = offeredCodecs(video);
  if (codecs.h264 === undefined && codecs.vp8 === undefined) {
    refuseOffer("it offers neither H.264 (baseline, packetization-mode=1) nor VP8");
  }
  const playoutDelayId = video
    .find((line) => line.startsWith("a=extmap:") && line.endsWith(` ${PLAYOUT_DELAY_URI}`))
    ?.match(/^a=extmap:(\d{1,2})[ /]/)?.[1];
  return {
    sdp: `${lines.filter(isPlainCandidate).join("\r\n")}\r\n`,
    videoMid: attribute(video, "mid") ?? refuseOffer("its video section has no mid"),
    ...(playoutDelayId === undefined ? {} : { playoutDelayId: Number(playoutDelayId) }),
    ...codecs,
  };
}

/**
 * Whether a candidate may be used: it must name an address. Host names would make this server look up what a client says; those of
 * browsers (`….local`) are not needed, since the browser's own checks reach the server.
 */
export function isUsableCandidate({ candidate }: IceCandidate): boolean {
  return isPlainCandidate(candidate.startsWith("a=") ? candidate : `a=${candidate}`) && candidate.trim() !== "";
}

function isPlainCandidate(line: string): boolean {
  if (!line.startsWith("a=candidate:")) return true;
  const words = line.split(" ");
  return isIP(words[4] ?? "") !== 0 && line.length <= PROTOCOL_LIMITS.candidateLength;
}

function splitSections(lines: readonly string[]): string[][] {
  const sections: string[][] = [[]];
  for (const line of lines) {
    if (line.startsWith("m=")) sections.push([]);
    sections.at(-1)?.push(line);
  }
  return sections;
}

function attribute(section: readonly string[], name: string): string | undefined {
  const line = section.find((each) => each.startsWith(`a=${name}:`));
  return line?.slice(name.length + 3).trim();
}

function offeredCodecs(video: readonly string[]): Pick<OfferFacts, "h264" | "vp8"> {
  const offered = (video[0] ?? "").split(" ").slice(3);
  const parametersOf = (number: string): string =>
    video.find((line) => line.startsWith(`a=fmtp:${number} `))?.slice(`a=fmtp:${number} `.length) ?? "";
  const numbersOf = (name: string): readonly string[] =>
    offered.filter((number) =>
      video.some((line) => line.toLowerCase() === `a=rtpmap:${number} ${name}/90000`.toLowerCase()),
    );
  const h264 = numbersOf("H264")
    .map((number) => ({ payloadType: Number(number), parameters: parametersOf(number) }))
    .filter(({ parameters }) => /packetization-mode=1/.test(parameters) && /profile-level-id=42/i.test(parameters))
    // Constrained baseline first: it is what the encoder makes.
    .sort((a, b) => Number(/42e0/i.test(b.parameters)) - Number(/42e0/i.test(a.parameters)));
  const [vp8] = numbersOf("VP8");
  return {
    ...(h264[0] === undefined ? {} : { h264: h264[0] }),
    ...(vp8 === undefined ? {} : { vp8: { payloadType: Number(vp8), parameters: "" } }),
  };
}

function refuseOffer(reason: string): never {
  throw new DreamloopError(ERROR_CODES.invalidValue, `the offer cannot be answered: ${reason}`);
}
