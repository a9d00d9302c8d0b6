import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import type { BundleFiles } from "../manifest/bundle-files.ts";
import type { ReferenceEnvironment, ReferenceFramesDeclaration, WorldManifest } from "../manifest/world-manifest.ts";
import { describeEnvironment, whyNotBits } from "./reference-environment.ts";

/** How the first frames were compared with the reference frames. */
export const REFERENCE_COMPARISONS = {
  /** Bit for bit: the environment is that in which they were made. */
  bits: "bits",
  /** By PSNR, in another environment. */
  psnr: "psnr",
  /** Not at all. */
  skipped: "skipped",
} as const;

/** One of `REFERENCE_COMPARISONS`. */
export type ReferenceComparison = (typeof REFERENCE_COMPARISONS)[keyof typeof REFERENCE_COMPARISONS];

/** What came of comparing the first frames of a load with the reference frames of the bundle. */
export interface ReferenceCheck {
  /** How they were compared. */
  readonly compared: ReferenceComparison;
  /** The lowest PSNR of a frame in dB; `null` where every frame is equal bit for bit, or nothing was compared. */
  readonly psnr: number | null;
  /** How many frames were compared. */
  readonly frames: number;
  /** Why nothing was compared, or not bit for bit. */
  readonly reason?: string;
}

/** How one frame differs from the reference. */
interface FrameDifference {
  readonly index: number;
  readonly differingBytes: number;
  /** In dB; infinite where the frames are equal. */
  readonly psnr: number;
}

/** A check that was not made. */
export function skippedCheck(reason: string): ReferenceCheck {
  return { compared: REFERENCE_COMPARISONS.skipped, psnr: null, frames: 0, reason };
}

/** What a `ReferenceComparer` takes. */
export interface ReferenceComparerOptions {
  /** Where the reference frames lie. */
  readonly files: BundleFiles;
  /** The manifest. */
  readonly manifest: Pick<WorldManifest, "id" | "video">;
  /** What it says of the reference frames. */
  readonly reference: ReferenceFramesDeclaration;
  /** Where the frames to be compared are made. */
  readonly environment: ReferenceEnvironment;
}

/** Compares frames with the reference frames as they come; one of them is in memory at a time. */
export class ReferenceComparer {
  readonly #options: ReferenceComparerOptions;
  readonly #differences: FrameDifference[] = [];

  /** Nothing is read before the first frame comes. */
  constructor(options: ReferenceComparerOptions) {
    this.#options = options;
  }

  /** Steps after which a rollout has shown as many frames as the reference has. */
  get steps(): number {
    return stepsForFrames(this.#options.manifest, this.#options.reference.count);
  }

  /** Takes the next frame as packed RGB8; frames beyond the reference are passed over. */
  async take(frame: Uint8Array): Promise<void> {
    const { files, reference } = this.#options;
    const index = this.#differences.length;
    if (index >= reference.count) return;
    const expected = await files.read(reference.file, { offset: index * frame.length, length: frame.length });
    this.#differences.push({ index, ...frameDifference(expected, frame) });
  }

  /** What came of it. Throws `load_failed` when the frames are not those of the reference. */
  finish(): ReferenceCheck {
    const { reference, environment } = this.#options;
    const frames = this.#differences.length;
    if (frames < reference.count) this.#refuse(`expected ${reference.count} frames, found only ${frames}`);
    const reason = whyNotBits(reference.environment, environment);
    for (const { index, differingBytes, psnr } of this.#differences) {
      const alike = `its PSNR is ${decibels(psnr)} dB`;
      if (reason === undefined && differingBytes > 0) {
        this.#refuse(
          `frame ${index}: expected the very bits of ${reference.file}, as the environment is the same; ` +
            `found ${differingBytes} other bytes (${alike})`,
          { frame: index, differingBytes, psnr },
        );
      }
      if (psnr < reference.minimumPsnr) {
        this.#refuse(
          `frame ${index}: expected a PSNR of at least ${reference.minimumPsnr} dB to ${reference.file}; ` +
            `found ${decibels(psnr)} dB`,
          { frame: index, differingBytes, psnr },
        );
      }
    }
    const lowest = Math.min(...this.#differences.map(({ psnr }) => psnr));
    return {
      compared: reason === undefined ? REFERENCE_COMPARISONS.bits : REFERENCE_COMPARISONS.psnr,
      psnr: Number.isFinite(lowest) ? Number(decibels(lowest)) : null,
      frames,
      ...(reason === undefined ? {} : { reason }),
    };
  }

  #refuse(found: string, facts: { readonly [name: string]: number } = {}): never {
    const { manifest, reference, environment } = this.#options;
    const { environment: recorded } = reference;
    const made =
      recorded === undefined ? "in an environment that was not recorded" : `with ${describeEnvironment(recorded)}`;
    const whole = `${found}; the reference was made ${made}, this is ${describeEnvironment(environment)}`;
    throw new DreamloopError(
      ERROR_CODES.loadFailed,
      `reference check of world ${JSON.stringify(manifest.id)}: ${whole}. ${REFERENCE_ADVICE}`,
      { details: { stage: REFERENCE_STAGE, found: whole, ...facts, recorded: recorded ?? null, running: environment } },
    );
  }
}

/** What to do when the first frames are not those of the reference. */
export const REFERENCE_ADVICE =
  "Another kernel, precision, version or weight gives other pictures: use the engine and the files that the reference was made " +
  "with; or, if the change is meant, look at the frames and write the reference anew with dreamloop check FOLDER --write-reference.";

/** `details.stage` of the error of a reference check. */
export const REFERENCE_STAGE = "reference check";

/** Steps after which a rollout has shown a number of frames. */
export function stepsForFrames({ video }: Pick<WorldManifest, "video">, frames: number): number {
  const { framesPerStep, firstStepFrames = framesPerStep } = video;
  return frames <= firstStepFrames ? 1 : 1 + Math.ceil((frames - firstStepFrames) / framesPerStep);
}

/** PSNR of 8-bit pictures: 10 log10(255² / mean squared difference) over all bytes. */
function frameDifference(expected: Uint8Array, found: Uint8Array): Omit<FrameDifference, "index"> {
  let differingBytes = Math.abs(expected.length - found.length);
  let squares = differingBytes * 255 ** 2;
  for (let at = 0; at < Math.min(expected.length, found.length); at += 1) {
    const difference = expected[at] - found[at];
    if (difference === 0) continue;
    differingBytes += 1;
    squares += difference * difference;
  }
  return { differingBytes, psnr: squares === 0 ? Infinity : 10 * Math.log10((255 ** 2 * found.length) / squares) };
}

function decibels(psnr: number): string {
  return psnr.toFixed(2);
}
