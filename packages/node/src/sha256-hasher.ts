import { createHash } from "node:crypto";
import type { FrameHasher } from "@dreamloop/core";

/** SHA-256 by Node's own cryptography: for frames, model inputs and payloads. It answers at once and holds nothing. */
export const sha256FrameHasher: FrameHasher = Object.freeze({
  /** The digest of the parts joined, as 64 hexadecimal digits in lower case. */
  digest(parts: readonly Uint8Array[]): string {
    const hash = createHash("sha256");
    for (const part of parts) hash.update(part);
    return hash.digest("hex");
  },
});
