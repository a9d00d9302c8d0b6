import { isDreamloopError } from "@dreamloop/core";
import { memoryFiles } from "../manifest/memory-files.ts";
import { nodeEngine } from "./node-engine.ts";
import { sha256Hex } from "./bundle-contents.ts";

/** A model that adds a number to itself. */
const MODEL = Buffer.from(
  "CAg6OQoOCgF4CgF4EgF5IgNBZGQSBWdyYXBoWg8KAXgSCgoICAESBAoCCAFiDwoBeRIKCggIARIECgIIAUIECgAQEA==",
  "base64",
);

/** Tries one device, and writes as JSON why it cannot be used, or null. A process of its own, since a driver may end it. */
async function probe(device: string): Promise<string | null> {
  const files = memoryFiles({ location: "probe", contents: { "probe.onnx": MODEL }, digest: sha256Hex });
  try {
    const source = { files, path: "probe.onnx", externalData: [] };
    const graph = await nodeEngine().createGraph(source, { threads: 1, device });
    const { y } = await graph.run({ x: { dtype: "float32", shape: [1], data: Float32Array.of(1.5) } }, ["y"]);
    await graph.close();
    return y?.data[0] === 3 ? null : `it computed ${String(y?.data[0])} in place of 3`;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return isDreamloopError(error) ? message.replace(`device ${device}: `, "") : message;
  }
}

void probe(process.argv[2] ?? "cpu").then((reason) => {
  process.stdout.write(`${JSON.stringify({ reason })}\n`, () => process.exit(0));
});
