/**
 * Writes the golden trace anew, in the first version of the format, which has to be read for good: `npx tsx scripts/make-golden-trace.ts`. It changes only with the trace format or the rules of
 * the loop; a change that old readers cannot take needs a new format version (docs/traces.md).
 */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { recordGoldenTrace } from "../packages/core/src/trace/golden/golden-run.ts";

const hasher = {
  digest: (parts: readonly Uint8Array[]) => createHash("sha256").update(Buffer.concat(parts)).digest("hex"),
};

writeFileSync(
  new URL("../packages/core/src/trace/golden/version-1.trace", import.meta.url),
  (await recordGoldenTrace(hasher)).replace(/"formatVersion":\d+/, '"formatVersion":1'),
);
