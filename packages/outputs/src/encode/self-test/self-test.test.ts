import { execFile } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { isDreamloopError } from "@dreamloop/core";
import { afterEach, describe, expect, it } from "vitest";
import type { I420Picture } from "../../color/i420.ts";
import { FFMPEG_PATH, LACKS_FFMPEG } from "../../test-support/programs.ts";
import { temporaryFolders } from "../../test-support/temporary-folder.ts";
import { joinAnnexB, splitAnnexB } from "../h264/annex-b.ts";
import { rewriteSps } from "../h264/sps.ts";
import { requireHardware } from "../hardware.ts";
import { selectEncoder } from "../select-encoder.ts";
import type { EncodedFrame, VideoEncoder, VideoEncoderBackend } from "../video-encoder.ts";
import { webCodecsBackend } from "../webcodecs/webcodecs-backend.ts";
import { selfTestEncoder } from "./self-test.ts";

const folder = temporaryFolders(afterEach);
const asModule = (source: string) => `data:text/javascript,${encodeURIComponent(source)}`;

/** A backend that changes the pictures before, or the frames after, a working one encodes. */
function broken(change: {
  readonly picture?: (picture: I420Picture) => I420Picture;
  readonly frame?: (frame: EncodedFrame) => readonly EncodedFrame[];
}): VideoEncoderBackend {
  const inner = webCodecsBackend();
  return {
    ...inner,
    name: "broken",
    createEncoder: async (config, events) => {
      const encoder = await inner.createEncoder(config, {
        onFrame: (frame) => (change.frame?.(frame) ?? [frame]).forEach((each) => events.onFrame(each)),
      });
      const wrapped: VideoEncoder = {
        settings: encoder.settings,
        pendingFrames: 0,
        encode: (picture, options) => encoder.encode(change.picture?.(picture) ?? picture, options),
        flush: () => encoder.flush(),
        close: () => encoder.close(),
      };
      return wrapped;
    },
  };
}

/** Applies `map` to luma, blue and red difference of each sample. */
function mapped(picture: I420Picture, map: (value: number, plane: number) => number): I420Picture {
  const luma = picture.codedWidth * picture.codedHeight;
  const data = picture.data.map((value, at) => Math.round(map(value, at < luma ? 0 : at < luma + luma / 4 ? 1 : 2)));
  return { ...picture, data };
}

function swappedChroma(picture: I420Picture): I420Picture {
  const luma = picture.codedWidth * picture.codedHeight;
  const { data } = picture;
  const swapped = Uint8Array.from([
    ...data.subarray(0, luma),
    ...data.subarray(luma + luma / 4),
    ...data.subarray(luma, luma + luma / 4),
  ]);
  return { ...picture, data: swapped };
}

describe("where an encoder runs", () => {
  it("D4: hardware that was asked for and is not there is an error that says so, as is software where there is none", async () => {
    for (const prefer of ["auto", "webcodecs"] as const) {
      const asked = selectEncoder({ prefer, hardware: "hardware", ffmpegPath: "no-such-program" });
      await expect(asked).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("expected one in hardware, found that it encodes in software") as string,
      });
    }
    const inHardware = { ...webCodecsBackend(), isHardware: true };
    expect(() => requireHardware(inHardware, "software")).toThrow("ask for hardware or auto");
    for (const asked of ["auto", "hardware"] as const) requireHardware(inHardware, asked);
    const inSoftware = await selectEncoder({ prefer: "webcodecs", hardware: "software" });
    expect(inSoftware.isHardware).toBe(false);
    await inSoftware.close();
  });
});

const FAULTS: readonly [string, Parameters<typeof broken>[0], RegExp][] = [
  ["swaps the colour differences", { picture: swappedChroma }, /the patch painted 255, 0, 0 came back as/],
  [
    "stretches limited to full range",
    { picture: (picture) => mapped(picture, (value, plane) => (plane === 0 ? ((value - 16) * 255) / 219 : value)) },
    /the patch painted \d+, \d+, \d+ came back as/,
  ],
  [
    // Green's part in the colour differences, roughly as with the BT.601 matrix.
    "uses the matrix of BT.601",
    { picture: (picture) => mapped(picture, (value, plane) => (plane === 1 ? 128 + (value - 128) * 0.89 : value)) },
    /came back as/,
  ],
  ["loses a frame", { frame: (frame) => (frame.timestamp === 1 ? [] : [frame]) }, /3 pictures gave 2 frames/],
  ["starts without a key frame", { frame: (frame) => [{ ...frame, isKeyFrame: false }] }, /is no key frame/],
  [
    "leaves the colour untold",
    {
      frame: (frame) => {
        if (!frame.isKeyFrame) return [frame];
        const [sps, ...rest] = splitAnnexB(frame.data);
        const color = { primaries: 2, transfer: 2, matrix: 2, isFullRange: false };
        const untold = rewriteSps(sps, { width: 64, height: 64, color });
        return [{ ...frame, data: joinAnnexB([untold, ...rest]) }];
      },
    },
    /expected BT\.709 \(1, 1, 1\) with limited range in the stream, found matrix 2, primaries 2/,
  ],
];

describe("the self-test of encoders", () => {
  it.each(FAULTS)("E2: refuses one that %s", async (_name, change, message) => {
    const backend = broken(change);
    try {
      const tested = selfTestEncoder({ backend, codec: "h264" });
      await expect(tested).rejects.toThrow(message);
    } finally {
      await backend.close();
    }
  });

  it("E2: lets a working one pass, also judged by another decoder", async () => {
    const backend = broken({});
    const decoder = webCodecsBackend();
    await selfTestEncoder({ backend, decoder, codec: "h264" });
    await backend.close();
    await decoder.close();
  });
});

/** An ffmpeg that puts a filter between pictures and encoder. */
function ffmpegWithFilter(filter: string): string {
  const path = join(folder(), "ffmpeg.cjs");
  const program = `#!${process.execPath}
const { spawnSync } = require("node:child_process");
const args = process.argv.slice(2);
const codec = args.indexOf("-c:v");
if (codec > 0 && args.includes("pipe:1")) args.splice(codec, 0, "-vf", ${JSON.stringify(filter)});
process.exit(spawnSync(${JSON.stringify(FFMPEG_PATH)}, args, { stdio: "inherit" }).status ?? 1);
`;
  writeFileSync(path, program);
  chmodSync(path, 0o755);
  return path;
}

describe.skipIf(LACKS_FFMPEG || process.platform === "win32")("selectEncoder with an ffmpeg", () => {
  it("E2: refuses an ffmpeg that converts to another matrix", async () => {
    const ffmpegPath = ffmpegWithFilter("scale=in_color_matrix=bt709:out_color_matrix=bt601");
    await expect(selectEncoder({ prefer: "ffmpeg", ffmpegPath })).rejects.toThrow(
      /ffmpeg encoder: failed its self-test with h264: the patch painted .* came back as/,
    );
  });

  it("E2: refuses an ffmpeg that converts to another range", async () => {
    const ffmpegPath = ffmpegWithFilter("scale=in_range=tv:out_range=pc");
    await expect(selectEncoder({ prefer: "ffmpeg", ffmpegPath })).rejects.toThrow(/came back as/);
  });

  it("E2: takes the same ffmpeg without the fault", async () => {
    const backend = await selectEncoder({
      prefer: "ffmpeg",
      ffmpegPath: ffmpegWithFilter("null"),
      codecs: ["h264", "vp8"],
    });
    expect(backend.name).toBe("ffmpeg");
    await backend.close();
  });
});

describe("selectEncoder", () => {
  it("takes the encoder that is installed with the package when none is preferred", async () => {
    const backend = await selectEncoder({ codecs: ["h264", "vp8"] });
    expect(backend.name).toBe("webcodecs");
    await backend.close();
  });

  it("says that the library has no build for a platform, and takes ffmpeg there", async () => {
    // Both processes resolve through a hook that knows no node-webcodecs.
    const hook = `export const resolve = (specifier, context, next) => {
      if (specifier === "node-webcodecs") throw new Error("no such package");
      return next(specifier, context);
    };`;
    const setUp = `import { register } from "node:module"; register(${JSON.stringify(asModule(hook))});`;
    const program = `
      const { selectEncoder } = await import(${JSON.stringify(new URL("../select-encoder.ts", import.meta.url).href)});
      await selectEncoder({ prefer: "webcodecs" }).catch((error) => console.log(error.code + ": " + error.message));
      const ffmpegPath = ${JSON.stringify(LACKS_FFMPEG ? "no-ffmpeg" : FFMPEG_PATH)};
      const backend = await selectEncoder({ ffmpegPath }).catch((error) => ({ name: error.code, close() {} }));
      console.log(backend.name);
      await backend.close();`;
    const args = ["--import", "tsx", "--input-type=module", "--eval", program];
    const env = { ...process.env, NODE_OPTIONS: `--import ${asModule(setUp)}` };
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    expect(stdout.trim().split("\n")).toEqual([
      "encoder_failed: webcodecs encoder: node-webcodecs could not be loaded; install ffmpeg and choose that encoder, or write images",
      LACKS_FFMPEG ? "unavailable" : "ffmpeg",
    ]);
  });

  it("says that an ffmpeg is missing, and what to do", async () => {
    const missing = selectEncoder({ prefer: "ffmpeg", ffmpegPath: join(folder(), "no-ffmpeg") });
    await expect(missing).rejects.toSatisfy(
      (error) => isDreamloopError(error, "unavailable") && /install ffmpeg/.test(error.message),
    );
  });

  it("refuses an unknown name with the nearest one", async () => {
    await expect(selectEncoder({ prefer: "ffmpg" as "ffmpeg" })).rejects.toThrow(/did you mean ffmpeg\?/);
    await expect(selectEncoder({ prefer: "toString" as "ffmpeg" })).rejects.toThrow(/Known encoders: auto, webcodecs/);
  });
});
