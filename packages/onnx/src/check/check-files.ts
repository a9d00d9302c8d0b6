import { pathFault } from "../manifest/path-fault.ts";
import { MAX_POSTER_BYTES, POSTER_HEAD_BYTES, posterTypeOf } from "@dreamloop/core/internal";
import { type Fault, FAULT_CODES, MANIFEST_FILE } from "../faults/fault.ts";
import { type BundleFiles, unsafePathReason } from "../manifest/bundle-files.ts";
import { bytesPerElement, elementCount } from "../manifest/tensor.ts";
import type { WorldManifest } from "../manifest/world-manifest.ts";

/** The part of a manifest that names files. */
export type FileNaming = Pick<WorldManifest, "files" | "graphs"> &
  Partial<Pick<WorldManifest, "inputs" | "constants" | "model" | "poster" | "video" | "referenceFrames">> & {
    /** Paths that `files` lists with an entry that has faults of its own. */
    readonly faultyFiles?: readonly string[];
  };

/** Whether `files` lists a path, be it with an entry that has faults of its own. */
export function isListed({ files, faultyFiles = [] }: FileNaming, path: string): boolean {
  return Object.hasOwn(files, path) || faultyFiles.includes(path);
}

/** Checks every path and the size of every file; of none but the picture anything is read, and of that only its first bytes. */
export async function checkFiles(files: BundleFiles, manifest: FileNaming): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  for (const [path, { bytes }] of Object.entries(manifest.files)) {
    const at = `files[${JSON.stringify(path)}]`;
    const fault = await pathFault(files, path, at);
    if (fault !== undefined) {
      faults.push(fault);
      continue;
    }
    const facts = await files.stat(path);
    if (facts === undefined || facts.bytes === bytes) continue;
    faults.push({
      code: FAULT_CODES.fileSize,
      file: path,
      path: at,
      expected: `${bytes} bytes`,
      found: `${facts.bytes} bytes`,
      mend: "Copy the file again, or write its size and SHA-256 into the manifest if it was changed on purpose.",
    });
  }
  for (const { path, at } of references(manifest)) {
    if (isListed(manifest, path)) continue;
    faults.push(
      (await pathFault(files, path, at)) ?? {
        code: FAULT_CODES.fileUnlisted,
        file: MANIFEST_FILE,
        path: at,
        expected: 'a file that "files" lists',
        found: JSON.stringify(path),
        mend: "Add it to files with its size and SHA-256.",
      },
    );
  }
  const card = manifest.model?.card;
  if (card !== undefined) {
    const fault = await pathFault(files, card, "model.card");
    if (fault !== undefined) faults.push(fault);
  }
  faults.push(...(await posterFaults(files, manifest.poster)), ...constantSizes(manifest), ...referenceSize(manifest));
  return faults;
}

function references(manifest: FileNaming): readonly { readonly path: string; readonly at: string }[] {
  const found = Object.entries(manifest.graphs).map(([name, { file }]) => ({ path: file, at: `graphs.${name}.file` }));
  for (const [name, input] of Object.entries(manifest.inputs?.initial ?? {})) {
    if (input.type !== "prompt" || input.vocabulary.file === undefined) continue;
    found.push({ path: input.vocabulary.file, at: `inputs.initial.${name}.vocabulary.file` });
  }
  for (const [name, { file }] of Object.entries(manifest.constants ?? {})) {
    if (file !== undefined) found.push({ path: file, at: `constants.${name}.file` });
  }
  const reference = manifest.referenceFrames;
  if (reference !== undefined) found.push({ path: reference.file, at: "referenceFrames.file" });
  if (manifest.poster !== undefined) found.push({ path: manifest.poster, at: "poster" });
  return found;
}

function constantSizes(manifest: FileNaming): readonly Fault[] {
  return Object.entries(manifest.constants ?? {}).flatMap(([name, { file, dtype, shape }]) => {
    const listed = file === undefined ? undefined : manifest.files[file];
    const expected = elementCount(shape) * bytesPerElement(dtype);
    if (listed === undefined || listed.bytes === expected) return [];
    return {
      code: FAULT_CODES.fileSize,
      file: file ?? "",
      path: `constants.${name}`,
      expected: `${expected} bytes for ${dtype}[${shape.join(", ")}]`,
      found: `${listed.bytes} bytes`,
      mend: "Correct dtype or shape; the file holds the elements and nothing else.",
    };
  });
}

function referenceSize({ files, video, referenceFrames }: FileNaming): readonly Fault[] {
  if (video === undefined || referenceFrames === undefined) return [];
  const { file, count } = referenceFrames;
  const expected = count * video.height * video.width * 3;
  const listed = Object.hasOwn(files, file) ? files[file] : undefined;
  if (listed === undefined || listed.bytes === expected) return [];
  return [
    {
      code: FAULT_CODES.fileSize,
      file,
      path: "referenceFrames",
      expected: `${expected} bytes for ${count} frame(s) of ${video.width} x ${video.height} pixels, 3 bytes each`,
      found: `${listed.bytes} bytes`,
      mend: "Correct count, or write the frames anew: dreamloop check FOLDER --write-reference.",
    },
  ];
}

/** What is wrong with a world's picture, reading no more than its first bytes; a missing file is found elsewhere. */
export async function posterFaults(files: BundleFiles, path: string | undefined): Promise<readonly Fault[]> {
  if (path === undefined || unsafePathReason(path) !== undefined) return [];
  const facts = await files.stat(path);
  if (facts === undefined) return [];
  const fault = (expected: string, found: string, mend: string): Fault => ({
    code: FAULT_CODES.invalidValue,
    file: MANIFEST_FILE,
    path: "poster",
    expected,
    found,
    mend,
  });
  if (facts.bytes > MAX_POSTER_BYTES) {
    const found = `${path} of ${facts.bytes} bytes`;
    return [fault(`a picture of at most ${MAX_POSTER_BYTES} bytes`, found, "Make it smaller: 640 × 360 is enough.")];
  }
  const head = await files.read(path, { length: Math.min(facts.bytes, POSTER_HEAD_BYTES) });
  if (posterTypeOf(head) !== undefined) return [];
  const found = `${path}, which begins otherwise`;
  return [fault("a PNG, JPEG or WebP picture", found, "Save the picture in one of these formats.")];
}
