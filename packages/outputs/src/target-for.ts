import { extname } from "node:path";
import type { Writable } from "node:stream";
import { DreamloopError, ERROR_CODES, NullOutputTarget, type Json, type OutputTarget } from "@dreamloop/core";
import { nearest } from "@dreamloop/core/internal";
import { BenchmarkOutputTarget } from "./bench/benchmark-output-target.ts";
import { CompositeOutputTarget, type TargetFailure } from "./compose/composite-output-target.ts";
import type { EncoderName } from "./encode/select-encoder.ts";
import type { VideoEncoderBackend } from "./encode/video-encoder.ts";
import { ImagesOutputTarget } from "./images/images-output-target.ts";
import { MjpegOutputTarget } from "./mjpeg/mjpeg-output-target.ts";
import { Mp4OutputTarget } from "./mp4/mp4-output-target.ts";
import type { RawFormat } from "./raw/raw-format.ts";
import { RawOutputTarget } from "./raw/raw-output-target.ts";
import { StreamOutputTarget } from "./raw/stream-output-target.ts";

/** What `targetFor` takes beside the specification. */
export interface TargetOptions {
  /** Encoder of MP4 files; default `auto`. */
  readonly encoder?: EncoderName | VideoEncoderBackend;
  /** Bitrate of MP4 files, in bits each second; default by size and rate. */
  readonly bitrateBitsPerSecond?: number;
  /** Quality of JPEG pictures and Motion JPEG, 1 to 100. */
  readonly quality?: number;
  /** What `-` writes; default `y4m`. */
  readonly pipeFormat?: RawFormat;
  /** Where `-` writes; default standard output. */
  readonly pipe?: Writable;
  /** Configuration for the manifest of a benchmark. */
  readonly config?: Json;
}

/** What a target can be, as shown to people. */
export const TARGET_FORMS: readonly (readonly [form: string, meaning: string])[] = [
  ["NAME.mp4", "H.264 video"],
  ["FOLDER/", "PNG pictures"],
  ["FOLDER/*.png", "PNG pictures"],
  ["FOLDER/*.jpg", "JPEG pictures"],
  ["NAME.mjpeg", "JPEG pictures in one file"],
  ["NAME.y4m", "uncompressed video for other programs"],
  ["NAME.rgb", "bare RGB bytes"],
  ["bench:FOLDER", "measurements"],
  ["-", "uncompressed video on standard output"],
  ["null:", "nothing"],
];

type Maker = (path: string, options: TargetOptions) => OutputTarget;

const PREFIX_BENCH = "bench:";

const BY_EXTENSION: Readonly<Record<string, Maker>> = {
  ".mp4": (path, { encoder, bitrateBitsPerSecond }) => new Mp4OutputTarget({ path, encoder, bitrateBitsPerSecond }),
  ".y4m": (path) => new RawOutputTarget({ path }),
  ".rgb": (path) => new RawOutputTarget({ path }),
  ".mjpeg": (path, { quality }) => new MjpegOutputTarget({ path, quality }),
  ".mjpg": (path, { quality }) => new MjpegOutputTarget({ path, quality }),
};

const BY_PATTERN: Readonly<Record<string, Maker>> = {
  "*.png": (path) => new ImagesOutputTarget({ path, format: "png" }),
  "*.jpg": (path, { quality }) => new ImagesOutputTarget({ path, format: "jpeg", quality }),
  "*.jpeg": (path, { quality }) => new ImagesOutputTarget({ path, format: "jpeg", quality }),
};

/** Makes the target that a specification such as `run.mp4` or `frames/` names. Touches nothing. Throws `invalid_value` with the list of forms. */
export function targetFor(spec: string, options: TargetOptions = {}): OutputTarget {
  if (spec === "null:") return new NullOutputTarget();
  if (spec === "-") return new StreamOutputTarget({ stream: options.pipe, format: options.pipeFormat });
  if (spec.startsWith(PREFIX_BENCH) && spec.length > PREFIX_BENCH.length) {
    return new BenchmarkOutputTarget({ path: spec.slice(PREFIX_BENCH.length), config: options.config });
  }
  const slash = Math.max(spec.lastIndexOf("/"), process.platform === "win32" ? spec.lastIndexOf("\\") : -1);
  const name = spec.slice(slash + 1);
  if (name === "" && spec !== "") return new ImagesOutputTarget({ path: spec });
  const folder = slash < 0 ? "." : spec.slice(0, slash + 1);
  const pattern = Object.hasOwn(BY_PATTERN, name.toLowerCase()) ? BY_PATTERN[name.toLowerCase()] : undefined;
  if (pattern !== undefined) return pattern(folder, options);
  const extension = extname(name).toLowerCase();
  const make = Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined;
  if (make === undefined) throw unknownForm(spec, extension);
  return make(spec, options);
}

/** Makes one target of several specifications: the target itself for one, else a composite that names its parts by their specifications. */
export function targetsFor(
  specs: readonly string[],
  options: TargetOptions & {
    /** Told as soon as one of several targets fails while others go on. */
    readonly onFailure?: (failure: TargetFailure) => void;
  } = {},
): OutputTarget {
  const targets = specs.map((spec) => ({ name: spec, target: targetFor(spec, options) }));
  if (targets.length === 1 && targets[0] !== undefined) return targets[0].target;
  const twice = specs.find((spec, index) => specs.indexOf(spec) !== index);
  if (twice !== undefined) {
    throw new DreamloopError(ERROR_CODES.invalidValue, `output ${JSON.stringify(twice)}: named twice; name it once`);
  }
  return new CompositeOutputTarget({ targets, onFailure: options.onFailure });
}

function unknownForm(spec: string, extension: string): DreamloopError {
  const near = extension === "" ? undefined : nearest(extension, Object.keys(BY_EXTENSION));
  const folder =
    extension === "" && spec !== "" ? ` For a folder of pictures write ${JSON.stringify(`${spec}/`)}.` : "";
  const hint = near === undefined ? folder : ` Did you mean ${near}?`;
  const forms = TARGET_FORMS.map(([form, meaning]) => `${form} (${meaning})`).join(", ");
  return new DreamloopError(
    ERROR_CODES.invalidValue,
    `output ${JSON.stringify(spec)}: no target of that form.${hint} Forms: ${forms}`,
  );
}
