import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { toyStepWorld } from "@dreamloop/onnx/toy";

const CARD = fileURLToPath(new URL("../../worlds/drive/MODEL_CARD.md", import.meta.url));

/** A folder with a small world bundle and a real model card; who asked for it removes it. */
export function worldWithCard(): string {
  const folder = mkdtempSync(join(tmpdir(), "dreamloop-card-world-"));
  const contents = toyStepWorld((bytes) => createHash("sha256").update(bytes).digest("hex"));
  for (const [path, bytes] of Object.entries(contents)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  cpSync(CARD, join(folder, "MODEL_CARD.md"));
  return folder;
}
