import { outputArtifact, type SessionDescription } from "@dreamloop/core";
import { i420Bytes } from "../color/i420.ts";
import type { VideoRange } from "../color/i420.ts";
import { rgbToI420 } from "../color/rgb-to-i420.ts";
import { selectEncoder, type EncoderName } from "../encode/select-encoder.ts";
import { VIDEO_CODECS, type VideoEncoder, type VideoEncoderBackend } from "../encode/video-encoder.ts";
import { DestinationFile } from "../target/destination-file.ts";
import { NODE_FILE_SYSTEM, type FileSystem } from "../target/file-system.ts";
import { FrameTarget, type FrameSink, type RunSummary } from "../target/frame-target.ts";
import { refuseOutput } from "../target/output-error.ts";
import { defaultBitrate } from "./default-bitrate.ts";
import { Mp4Muxer } from "./mp4-muxer.ts";

/** What `Mp4OutputTarget` takes. */
export interface Mp4OutputTargetOptions {
  /** The file. */
  readonly path: string;
  /** A name for `selectEncoder`, or a backend that has been made and tested already and that its maker closes; default `auto`. */
  readonly encoder?: EncoderName | VideoEncoderBackend;
  /** Aim for the size, in bits each second; default `defaultBitrate`. */
  readonly bitrateBitsPerSecond?: number;
  /** Greatest distance between key frames, in frames, which is how exactly players can seek; default two seconds. */
  readonly keyFrameIntervalFrames?: number;
  /** Range of the video; default `limited`, which every player shows right. */
  readonly range?: VideoRange;
  /** Where the file is; default Node's file system. */
  readonly fileSystem?: FileSystem;
}

/** Seconds between key frames when no distance is given. */
export const DEFAULT_KEY_FRAME_INTERVAL_SECONDS = 2;

/**
 * Writes an MP4 file: H.264, BT.709, tagged so in container and stream, the index at the front. The file grows under another name and takes
 * its own when it is complete. Odd sizes get one more column or row, see `codedSize`; the artifact tells the size of the file. A run
 * without frames makes no file.
 */
export class Mp4OutputTarget extends FrameTarget {
  /** Name of the target in errors and artifacts. */
  override readonly name = "mp4";
  readonly #options: Mp4OutputTargetOptions;

  /** Nothing is touched before `open`. */
  constructor(options: Mp4OutputTargetOptions) {
    super();
    this.#options = options;
  }

  protected override async start(description: SessionDescription): Promise<FrameSink> {
    const { path, encoder = "auto", fileSystem = NODE_FILE_SYSTEM } = this.#options;
    const file = await DestinationFile.open({
      target: this.name,
      path,
      isOwnKind: (head) => Buffer.from(head.buffer, head.byteOffset, head.byteLength).includes("ftyp"),
      kindName: "an MP4 file",
      fileSystem,
    });
    let backend: VideoEncoderBackend | undefined;
    try {
      if (!file.isSeekable) throw refuseOutput(this.name, path, "an MP4 needs a regular file; write .y4m to a pipe");
      backend = typeof encoder === "string" ? await selectEncoder({ prefer: encoder }) : encoder;
      return await this.#startRun({ description, file, backend });
    } catch (error) {
      if (backend !== undefined && backend !== encoder) await backend.close();
      await file.discard();
      throw error;
    }
  }

  async #startRun(run: {
    readonly description: SessionDescription;
    readonly file: DestinationFile;
    readonly backend: VideoEncoderBackend;
  }): Promise<FrameSink> {
    const { description, file, backend } = run;
    const { width, height, framesPerSecond } = description;
    const muxer = new Mp4Muxer(file, framesPerSecond);
    await muxer.start();
    const encoder = await backend.createEncoder(
      {
        codec: VIDEO_CODECS.h264,
        width,
        height,
        framesPerSecond,
        bitrateBitsPerSecond: this.#options.bitrateBitsPerSecond ?? defaultBitrate(description),
        keyFrameIntervalFrames:
          this.#options.keyFrameIntervalFrames ??
          Math.max(1, Math.round(framesPerSecond * DEFAULT_KEY_FRAME_INTERVAL_SECONDS)),
        latency: "quality",
        range: this.#options.range ?? "limited",
      },
      { onFrame: (frame) => muxer.add(frame, encoder.settings) },
    );
    const { codedWidth, codedHeight, range } = encoder.settings;
    const memory = new Uint8Array(i420Bytes(codedWidth, codedHeight));
    const end = async () => {
      await encoder.close();
      if (backend !== this.#options.encoder) await backend.close();
    };
    return {
      write: async ({ rgb, ticks, frameNumber }) => {
        const picture = rgbToI420({ rgb, width, height, codedWidth, codedHeight, range, into: memory });
        await encoder.encode(picture, { timestamp: ticks, keyFrame: frameNumber === 0 });
        await muxer.drain();
      },
      finish: async (summary) => {
        if (summary.frameCount === 0) {
          await muxer.cancel();
          await end();
          await file.discard();
          return [];
        }
        await encoder.flush();
        await muxer.finish();
        await end();
        await file.commit();
        return [this.#artifact({ summary, description, encoder, bytes: file.size })];
      },
      discard: async () => {
        await end();
        await muxer.cancel();
        await file.discard();
      },
    };
  }

  #artifact(run: {
    readonly summary: RunSummary;
    readonly description: SessionDescription;
    readonly encoder: VideoEncoder;
    readonly bytes: number;
  }) {
    const { summary, description, encoder, bytes } = run;
    const { width, height } = encoder.settings;
    const metadata = {
      ...summary,
      width,
      height,
      // Where it differs from the file's size: what the world delivered, in the upper left.
      contentWidth: description.width,
      contentHeight: description.height,
      framesPerSecond: description.framesPerSecond,
      bytes,
      encoder: encoder.settings,
    };
    return outputArtifact({ kind: "video/mp4", uri: this.#options.path, metadata });
  }
}
