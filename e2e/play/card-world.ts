import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { toyFlowWorld, toyPictureWorld, toyStepWorld, type BundleContents } from "@dreamloop/onnx/testing";

const CARD = fileURLToPath(new URL("../../worlds/drive/MODEL_CARD.md", import.meta.url));

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** A folder with a small world bundle and a real model card; who asked for it removes it. */
export function worldWithCard(): string {
  const folder = written("card", toyStepWorld(sha256));
  cpSync(CARD, join(folder, "MODEL_CARD.md"));
  return folder;
}

/** A folder with a small world that offers prompts of its author's; who asked for it removes it. */
export function worldWithSuggestions(): string {
  return written("suggestions", toyFlowWorld(sha256));
}

/** A folder with a small world under the id `wordy` that has words and offers no prompts; who asked for it removes it. */
export function worldWithWords(): string {
  const contents = toyFlowWorld(sha256);
  const manifest = manifestOf(contents) as { inputs: { initial: { prompt: Record<string, unknown> } } };
  const { suggestions: _, ...prompt } = manifest.inputs.initial.prompt;
  return written(
    "words",
    withManifest(contents, { ...manifest, id: "wordy", inputs: { ...manifest.inputs, initial: { prompt } } }),
  );
}

/** A folder with a small world under the id `damaged` whose weights are not what its manifest says; who asked for it removes it. */
export function damagedWorld(): string {
  const contents = toyFlowWorld(sha256);
  const damaged = { ...contents, "decode.bin": contents["decode.bin"]?.map((byte) => byte ^ 255) ?? new Uint8Array() };
  return written("damaged", withManifest(damaged, { ...manifestOf(contents), id: "damaged" }));
}

/** A folder with a small world that shows the picture that it is started from; who asked for it removes it. */
export function pictureWorld(): string {
  return written("picture", toyPictureWorld(sha256));
}

/** A folder with the same under the id `pictured`, which does not start without one; who asked for it removes it. */
export function worldThatNeedsPicture(): string {
  const contents = toyPictureWorld(sha256);
  const manifest = manifestOf(contents) as { inputs: { initial: { first_frame: object } } };
  const first_frame = { ...manifest.inputs.initial.first_frame, required: true };
  const inputs = { ...manifest.inputs, initial: { first_frame } };
  return written("pictured", withManifest(contents, { ...manifest, id: "pictured", title: "Pictured", inputs }));
}

function manifestOf(contents: BundleContents): object {
  return JSON.parse(new TextDecoder().decode(contents["world.json"])) as object;
}

function withManifest(contents: BundleContents, manifest: object): BundleContents {
  return { ...contents, "world.json": new TextEncoder().encode(JSON.stringify(manifest)) };
}

function written(name: string, contents: BundleContents): string {
  const folder = mkdtempSync(join(tmpdir(), `dreamloop-${name}-world-`));
  for (const [path, bytes] of Object.entries(contents)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  return folder;
}
