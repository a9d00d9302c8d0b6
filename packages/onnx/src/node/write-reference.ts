import { rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { MANIFEST_FILE, bundleError } from "../faults/fault.ts";
import type { Engine } from "../load/engine.ts";
import { readManifest } from "../manifest/read-manifest.ts";
import type { ReferenceEnvironment } from "../manifest/world-manifest.ts";
import { recordReference, type RecordReferenceOptions } from "../adapter/record-reference.ts";
import { manifestText, REFERENCE_FILE, withReference } from "../manifest/reference-manifest.ts";
import { sha256Hex } from "./bundle-contents.ts";
import { folderFiles } from "./folder-files.ts";
import { nodeEngine } from "./node-engine.ts";

/** What `writeReference` takes beside the folder. */
export interface WriteReferenceOptions extends Omit<RecordReferenceOptions, "engine"> {
  /** What runs the graphs; default ONNX Runtime in Node. */
  readonly engine?: Engine | undefined;
  /** Whether the manifest says where the frames were made, so that they are compared bit for bit there; default false. */
  readonly withEnvironment?: boolean | undefined;
}

/** What was written. */
export interface WrittenReference {
  /** Path of the file with the frames within the bundle. */
  readonly file: string;
  /** Frames in it. */
  readonly count: number;
  /** Its size. */
  readonly bytes: number;
  /** Where they were made, as far as the manifest says so. */
  readonly environment?: ReferenceEnvironment;
}

/**
 * Makes the reference frames of the bundle in a folder: writes `reference.rgb`, and its size, hash and count into `world.json`.
 * Throws `bundle_invalid` when the bundle has faults, or what goes wrong in the load; nothing has been written then.
 */
export async function writeReference(folder: string, options: WriteReferenceOptions = {}): Promise<WrittenReference> {
  const root = resolve(folder);
  const { withEnvironment = false, engine = nodeEngine(), ...how } = options;
  const { raw, pixels, count, environment } = await recordReference(folderFiles(root), { ...how, engine });
  if (withEnvironment && environment.processor === "") {
    throw new DreamloopError(
      ERROR_CODES.unavailable,
      "reference frames: this system does not tell its processor, so that frames made here cannot be asked for bit for bit; " +
        "write them without the environment",
    );
  }
  const made = withEnvironment ? { environment } : {};
  const manifest = withReference(raw, { bytes: pixels.length, sha256: sha256Hex(pixels), count, ...made });
  const { faults } = readManifest(manifest);
  if (faults.length > 0) throw bundleError(root, faults);
  await replaceFile(join(root, REFERENCE_FILE), pixels);
  await replaceFile(join(root, MANIFEST_FILE), manifestText(manifest));
  return { file: REFERENCE_FILE, count, bytes: pixels.length, ...made };
}

/** Whoever reads the file meanwhile gets the old or the new content, and a link is replaced, not followed. */
async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const part = `${path}.part`;
  try {
    await rm(part, { force: true });
    await writeFile(part, content, { flag: "wx" });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw new DreamloopError(ERROR_CODES.outputFailed, `${path} cannot be written: ${String(error)}`, { cause: error });
  }
}
