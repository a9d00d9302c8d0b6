import { MANIFEST_FILE } from "../faults/fault.ts";
import type { BundleContents, Digest } from "../manifest/memory-files.ts";
import type { WorldManifestInput } from "../manifest/world-manifest.ts";
import { type OnnxModelInput, writeOnnxModel } from "./model-writer.ts";

/** What `packBundle` takes. */
export interface PackOptions {
  /** The manifest but for its list of files. */
  readonly manifest: Omit<WorldManifestInput, "files">;
  /** Models by name: each becomes `NAME.onnx`, its weights `NAME.bin`. */
  readonly models: Readonly<Record<string, OnnxModelInput>>;
  /** Further files. */
  readonly files?: Readonly<Record<string, Uint8Array>>;
  /** For the list of files. */
  readonly digest: Digest;
}

/** Writes models and manifest of a bundle, with sizes and hashes filled in. */
export function packBundle({ manifest, models, files = {}, digest }: PackOptions): BundleContents {
  const contents: BundleContents = { ...files };
  for (const [name, input] of Object.entries(models)) {
    const { model, external } = writeOnnxModel({ externalData: `${name}.bin`, ...input });
    contents[`${name}.onnx`] = model;
    if (external.length > 0) contents[`${name}.bin`] = external;
  }
  const listed = Object.entries(contents).map(([path, bytes]) => [
    path,
    { bytes: bytes.length, sha256: digest(bytes) },
  ]);
  const whole = { ...manifest, files: Object.fromEntries(listed) as WorldManifestInput["files"] };
  contents[MANIFEST_FILE] = new TextEncoder().encode(`${JSON.stringify(whole, null, 2)}\n`);
  return contents;
}
