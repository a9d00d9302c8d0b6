import { isPlainObject } from "@dreamloop/core/internal";
import type { BundleFiles } from "./bundle-files.ts";
import { MANIFEST_FILE } from "../faults/fault.ts";
import type { ReferenceEnvironment } from "./world-manifest.ts";

/** The file that reference frames are written to. */
export const REFERENCE_FILE = "reference.rgb";

/** A manifest as it was parsed, sound or not. */
export type RawManifest = Readonly<Record<string, unknown>>;

/** What is entered into a manifest. */
export interface ReferenceEntry {
  /** Size of the file. */
  readonly bytes: number;
  /** Its SHA-256. */
  readonly sha256: string;
  /** Frames in it. */
  readonly count: number;
  /** Where they were made; absent: they are compared by PSNR everywhere. */
  readonly environment?: ReferenceEnvironment | undefined;
}

/** The manifest without its reference frames, so that a reference that is out of date keeps nothing from being loaded. */
export function withoutReference(raw: RawManifest): RawManifest {
  const { referenceFrames: _, files, ...rest } = raw;
  if (!isPlainObject(files)) return files === undefined ? rest : { ...rest, files };
  const { [REFERENCE_FILE]: __, ...others } = files;
  return { ...rest, files: others };
}

/** The manifest with new reference frames; everything else stays as and where it is, the limit of the old reference too. */
export function withReference(raw: RawManifest, { bytes, sha256, count, environment }: ReferenceEntry): RawManifest {
  const before = isPlainObject(raw.referenceFrames) ? raw.referenceFrames : {};
  const { environment: _, ...kept } = before;
  return {
    ...raw,
    files: { ...(isPlainObject(raw.files) ? raw.files : {}), [REFERENCE_FILE]: { bytes, sha256 } },
    referenceFrames: { ...kept, file: REFERENCE_FILE, count, ...(environment === undefined ? {} : { environment }) },
  };
}

/** A manifest as text: JSON with two spaces for each level. */
export function manifestText(raw: RawManifest): string {
  return `${JSON.stringify(raw, null, 2)}\n`;
}

/** The files of a bundle, but with another manifest. */
export function withManifest(files: BundleFiles, raw: RawManifest): BundleFiles {
  const bytes = new TextEncoder().encode(manifestText(raw));
  return {
    location: files.location,
    stat: async (path) => (path === MANIFEST_FILE ? { bytes: bytes.length } : files.stat(path)),
    read: async (path, options = {}) => {
      if (path !== MANIFEST_FILE) return files.read(path, options);
      const { offset = 0, length = bytes.length } = options;
      return bytes.slice(offset, offset + length);
    },
    obstacle: async (path) => (path === MANIFEST_FILE ? undefined : files.obstacle(path)),
    sha256: (path, options) => files.sha256(path, options),
    ...(files.nativePath === undefined ? {} : { nativePath: files.nativePath.bind(files) }),
  };
}
