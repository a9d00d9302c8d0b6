/**
 * Writes the golden bit patterns of random streams and exact maths anew: `npx tsx scripts/make-golden-values.ts`. They
 * change only when the definition of a stream or function does, which breaks the replay of every older trace.
 */
import { writeFileSync } from "node:fs";
import { format } from "prettier";
import { computeGoldenValues } from "../packages/core/src/foundation/random/golden/golden-values.ts";

const target = new URL("../packages/core/src/foundation/random/golden/golden-values.json", import.meta.url);
writeFileSync(target, await format(JSON.stringify(computeGoldenValues()), { parser: "json", printWidth: 120 }));
