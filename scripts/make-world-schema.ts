import { writeFileSync } from "node:fs";
import { worldJsonSchema } from "../packages/onnx/src/manifest/json-schema.ts";

/** Writes the published JSON Schema of world.json from the schema that reads it: `npx tsx scripts/make-world-schema.ts`. */
const target = new URL("../packages/onnx/schema/world.schema.json", import.meta.url);
writeFileSync(target, `${JSON.stringify(worldJsonSchema(), null, 2)}\n`);
