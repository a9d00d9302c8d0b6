import { open } from "node:fs/promises";
import { resolve } from "node:path";
import {
  DreamloopError,
  ERROR_CODES,
  isDreamloopError,
  type Mapping,
  type ModelAdapter,
  type VideoChunkInput,
} from "@dreamloop/core";
import { imageInputSize, type ImageInputSize } from "@dreamloop/node";
import { pictureFrame } from "@dreamloop/outputs";
import { markUsage } from "../program/exit-code-of.ts";
import { didYouMean, usageError } from "../program/usage-error.ts";
import { UNNAMED_IMAGE } from "../settings/image-files.ts";
import type { SessionSettings } from "../settings/run-settings.ts";

/** Bytes and pixels of a person's own picture: what a camera can make, and not a disk image by mistake. */
const MAX_IMAGE_BYTES = 268_435_456;
const MAX_IMAGE_PIXELS = 200_000_000;

/** What a world starts from. */
export interface StartInputs {
  /** The initial inputs, pictures among them. */
  readonly initial: Mapping;
  /** Files of the pictures by the input that takes them; absent: none. */
  readonly images?: Readonly<Record<string, string>>;
}

/**
 * Reads the pictures that a world starts from, each cropped to cover the size that its input takes. Refuses names that the world lacks, files that
 * are not there, and what is no picture.
 */
export async function startInputs(
  adapter: ModelAdapter,
  settings: Pick<SessionSettings, "initial" | "images" | "world">,
  cwd: string,
): Promise<StartInputs> {
  const { initial, images = {}, world = adapter.modelId } = settings;
  const sizes = imageSizes(adapter);
  const files = new Map<string, string>();
  const frames = new Map<string, VideoChunkInput>();
  for (const [given, file] of Object.entries(images)) {
    const name = inputName(given, [...sizes.keys()], world);
    if (Object.hasOwn(initial, name)) throw usageError(`--image ${name}: --initial gives it as well; leave one out`);
    // The name that was left out on the command line stands above the one in a configuration file.
    if (files.has(name) && given !== UNNAMED_IMAGE) continue;
    files.set(name, file);
  }
  for (const [name, file] of files)
    frames.set(name, await readImage(name, file, sizes.get(name) as ImageInputSize, cwd));
  if (files.size === 0) return { initial };
  return { initial: { ...initial, ...Object.fromEntries(frames) }, images: Object.fromEntries(files) };
}

function imageSizes({ modelInputSchema }: ModelAdapter): ReadonlyMap<string, ImageInputSize> {
  const sizes = new Map<string, ImageInputSize>();
  for (const field of modelInputSchema.initialFields) {
    const size = imageInputSize(field);
    if (size !== undefined) sizes.set(field.name, size);
  }
  return sizes;
}

function inputName(given: string, names: readonly string[], world: string): string {
  const [only, ...others] = names;
  if (only === undefined) throw usageError(`--image: ${world} starts from no picture; leave it out`);
  if (given === UNNAMED_IMAGE) {
    if (others.length === 0) return only;
    throw usageError(`--image: ${world} takes several pictures (${names.join(", ")}); say which: --image ${only}=FILE`);
  }
  if (names.includes(given)) return given;
  const hint = didYouMean(given, names);
  throw usageError(
    `--image ${given}: ${world} has no picture input of that name.${hint} It takes: ${names.join(", ")}`,
  );
}

async function readImage(name: string, file: string, size: ImageInputSize, cwd: string): Promise<VideoChunkInput> {
  const bytes = await readBytes(name, file, resolve(cwd, file));
  try {
    return await pictureFrame(bytes, { ...size, maxPixels: MAX_IMAGE_PIXELS });
  } catch (error) {
    if (!isDreamloopError(error)) throw error;
    throw markUsage(new DreamloopError(error.code, `--image ${name}: ${file}: ${error.message}`, { cause: error }));
  }
}

async function readBytes(name: string, file: string, full: string): Promise<Uint8Array> {
  try {
    const handle = await open(full);
    try {
      const facts = await handle.stat();
      if (facts.isDirectory()) throw usageError(`--image ${name}: ${file} is a folder; name a picture`);
      if (facts.size > MAX_IMAGE_BYTES) {
        throw usageError(`--image ${name}: ${file} has ${facts.size} bytes, at most ${MAX_IMAGE_BYTES} are read`);
      }
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (cause) {
    if (isDreamloopError(cause)) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new DreamloopError(ERROR_CODES.notFound, `--image ${name}: ${file}: there is no such file`);
    throw usageError(`--image ${name}: ${file} cannot be read: ${message}`);
  }
}
