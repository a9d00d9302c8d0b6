import type { VideoRange } from "../color/i420.ts";
import type { CodedSize } from "./coded-size.ts";
import { avcCodecString, BT709_LIMITED } from "./h264/sps.ts";
import { H264StreamFixer } from "./h264/stream-fixer.ts";
import { VIDEO_CODECS, type VideoCodec } from "./video-encoder.ts";
import { isVp8KeyFrame, setVp8Size } from "./vp8-header.ts";

/** One frame of a stream after mending. */
export interface MendedFrame {
  /** Memory of its own. */
  readonly data: Uint8Array;
  /** Whether decoding can start here. */
  readonly isKeyFrame: boolean;
  /** Whether it refers to later pictures; VP8 has no such frames. */
  readonly isBFrame: boolean;
  /** What the stream now says about itself; with key frames only. */
  readonly facts?: { readonly codecString: string; readonly width: number; readonly height: number };
}

/** Makes a stream say what it should about size and colour, whatever its encoder wrote. */
export interface StreamMender {
  /** Mends one frame. Throws `RangeError` when the stream cannot be read. */
  mend(accessUnit: Uint8Array): MendedFrame;
  /** Takes parameter sets that come apart from the frames. */
  takeParameterSets?(units: readonly Uint8Array[]): void;
}

/** The mender for a codec. */
export function streamMender(
  codec: VideoCodec,
  wanted: { readonly size: CodedSize; readonly range: VideoRange },
): StreamMender {
  return codec === VIDEO_CODECS.vp8 ? vp8Mender(wanted.size) : h264Mender(wanted);
}

function h264Mender({ size, range }: { readonly size: CodedSize; readonly range: VideoRange }): StreamMender {
  const { width, height } = size;
  const fixer = new H264StreamFixer({ width, height, color: { ...BT709_LIMITED, isFullRange: range === "full" } });
  return {
    takeParameterSets: (units) => fixer.takeParameterSets(units),
    mend: (accessUnit) => {
      const fixed = fixer.fixAnnexB(accessUnit);
      const { parameters } = fixer;
      if (!fixed.isKeyFrame || parameters === undefined) return fixed;
      const facts = {
        codecString: avcCodecString(parameters),
        width: parameters.width,
        height: parameters.height,
      };
      return { ...fixed, facts };
    },
  };
}

/** VP8 has no place for colour but a bit for BT.601; containers and receivers have to be told. */
function vp8Mender({ width, height }: CodedSize): StreamMender {
  return {
    mend: (accessUnit) => {
      const data = Uint8Array.from(accessUnit);
      if (!isVp8KeyFrame(data)) return { data, isKeyFrame: false, isBFrame: false };
      setVp8Size(data, { width, height });
      return { data, isKeyFrame: true, isBFrame: false, facts: { codecString: "vp8", width, height } };
    },
  };
}
