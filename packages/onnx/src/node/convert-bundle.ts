import { cp, mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { isPlainObject } from "@dreamloop/core/internal";
import { recordReference, type RecordReferenceOptions } from "../adapter/record-reference.ts";
import { externalDataOf } from "../check/check-graphs.ts";
import { bundleError, MANIFEST_FILE } from "../faults/fault.ts";
import { halveWeights } from "../half/halve-weights.ts";
import type { Engine } from "../load/engine.ts";
import { besidePath } from "../manifest/bundle-files.ts";
import { manifestText, type RawManifest } from "../manifest/reference-manifest.ts";
import { openBundle } from "../plan/open-bundle.ts";
import { sha256Hex } from "./bundle-contents.ts";
import { folderFiles } from "./folder-files.ts";
import { nodeEngine } from "./node-engine.ts";

/** What `convertBundle` takes beside the folders. */
export interface ConvertBundleOptions extends Omit<RecordReferenceOptions, "engine"> {
  /** What runs the graphs for the comparison; default ONNX Runtime in Node. */
  readonly engine?: Engine | undefined;
}

/** What came of a conversion. */
export interface ConvertedBundle {
  /** Bytes of graphs and weights before. */
  readonly bytesBefore: number;
  /** Bytes of graphs and weights now. */
  readonly bytesAfter: number;
  /** First frames that were compared. */
  readonly comparedFrames: number;
  /** The largest difference of a colour value in them, of 255. */
  readonly largestDifference: number;
  /** How alike they are, in decibels; null where they are equal in every bit. */
  readonly psnr: number | null;
}

/**
 * Writes the bundle of a folder into a new one with its weights stored in 16 bits, and compares the first frames of both. Graphs compute in 32 bits as before unless a
 * configuration asks for `fp16` on a device that can. Throws `bundle_invalid`, `output_failed` where the target holds something, and what goes wrong in a load.
 */
export async function convertBundle(
  folder: string,
  target: string,
  options: ConvertBundleOptions = {},
): Promise<ConvertedBundle> {
  const { engine = nodeEngine(), ...how } = options;
  const root = resolve(folder);
  const out = resolve(target);
  const files = folderFiles(root);
  const { bundle, raw, faults } = await openBundle(files);
  if (bundle === undefined || !isPlainObject(raw)) throw bundleError(files.location, faults);
  if (bundle.manifest.weights === "fp16") {
    throw new DreamloopError(ERROR_CODES.invalidValue, `${folder}: its weights are stored in 16 bits already`);
  }
  const before = await recordReference(files, { ...how, engine });
  const models: Record<string, Uint8Array> = {};
  const weights: Record<string, Uint8Array> = {};
  for (const { file } of Object.values(bundle.manifest.graphs)) {
    models[file] ??= await files.read(file);
    for (const location of await externalDataOf(files, file)) {
      const path = besidePath(file, location);
      weights[path] ??= await files.read(path);
    }
  }
  const halved = halveWeights({ models, weights }, besidePath);
  const written = { ...halved.models, ...halved.weights };
  await requireEmpty(out);
  await cp(root, out, { recursive: true, filter: (path) => !path.endsWith(".part") });
  for (const [path, content] of Object.entries(written)) {
    const place = join(out, ...path.split("/"));
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, content);
  }
  await writeFile(join(out, MANIFEST_FILE), manifestText(halfManifest(raw, written)));
  const after = await recordReference(folderFiles(out), { ...how, engine });
  const sizeOf = (contents: Readonly<Record<string, Uint8Array>>): number =>
    Object.values(contents).reduce((sum, { length }) => sum + length, 0);
  return {
    bytesBefore: sizeOf(models) + sizeOf(weights),
    bytesAfter: sizeOf(written),
    comparedFrames: before.count,
    ...difference(before.pixels, after.pixels),
  };
}

/** The manifest of the converted bundle: its reference frames were made elsewhere, and are compared by PSNR. */
function halfManifest(raw: RawManifest, written: Readonly<Record<string, Uint8Array>>): RawManifest {
  const listed = isPlainObject(raw.files) ? raw.files : {};
  const files: Record<string, unknown> = { ...listed };
  for (const [path, content] of Object.entries(written)) {
    files[path] = { bytes: content.length, sha256: sha256Hex(content) };
  }
  const manifest = { ...raw, weights: "fp16", files };
  if (!isPlainObject(raw.referenceFrames)) return manifest;
  const { environment: _, ...referenceFrames } = raw.referenceFrames;
  return { ...manifest, referenceFrames };
}

async function requireEmpty(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const [found] = await readdir(folder);
  if (found === undefined) return;
  throw new DreamloopError(
    ERROR_CODES.outputFailed,
    `${folder}: expected a new or empty folder, found ${JSON.stringify(found)} in it; choose another`,
  );
}

function difference(before: Uint8Array, after: Uint8Array): Pick<ConvertedBundle, "largestDifference" | "psnr"> {
  let largestDifference = 0;
  let squares = 0;
  for (const [index, value] of before.entries()) {
    const apart = Math.abs(value - (after[index] ?? 0));
    largestDifference = Math.max(largestDifference, apart);
    squares += apart * apart;
  }
  const psnr = squares === 0 ? null : 10 * Math.log10((255 * 255 * before.length) / squares);
  return { largestDifference, psnr: psnr === null ? null : Math.round(psnr * 100) / 100 };
}
