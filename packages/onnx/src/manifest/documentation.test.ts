import { readFileSync } from "node:fs";
import { inferenceConfig, modelInputs } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { bundleAdapter } from "../adapter/bundle-adapter.ts";
import { openBundle } from "../plan/open-bundle.ts";
import { checkBundleFiles } from "../adapter/check-bundle.ts";
import { FAULT_CODES } from "../faults/fault.ts";
import { contentFiles, nodeEngine, sha256Hex } from "../node/index.ts";
import { SOURCE_FORMS, PIPELINE_TARGET_FORMS } from "../plan/reference.ts";
import { packBundle, standInModel, type BundleContents } from "../testing/index.ts";
import { worldJsonSchema, type JsonSchemaNode } from "./json-schema.ts";
import type { WorldManifestInput } from "./world-manifest.ts";

const page = readFileSync(new URL("../../../../docs/bundles.md", import.meta.url), "utf8");

function example(name: string): WorldManifestInput {
  const found = new RegExp(`<!-- example: ${name} -->\\s+\`\`\`json\\n(.*?)\n\`\`\``, "s").exec(page);
  return JSON.parse(found?.[1] ?? "no such example") as WorldManifestInput;
}

/** The bundle of an example, as its reader would make it: graphs with the interface that the manifest says. */
function bundleOf({ files: _, ...manifest }: WorldManifestInput): BundleContents {
  const models = Object.fromEntries(
    Object.values(manifest.graphs).map((graph) => [graph.file.replace(/\.onnx$/, ""), standInModel(graph)]),
  );
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
  const files = { "words.json": encode('{"a": 1, "calm": 2, "sea": 3, "storm": 4}'), "README.md": encode("# Card") };
  return packBundle({ manifest, models, files, digest: sha256Hex });
}

describe("docs/bundles.md", () => {
  test.each(["step", "latent"])(
    "H1: its example %s passes the check and runs, made by nothing but the page",
    async (name) => {
      const engine = nodeEngine();
      const files = contentFiles(bundleOf(example(name)));
      expect(await checkBundleFiles(files, { level: "run", engine })).toMatchObject({ level: "run", faults: [] });
      const { bundle } = await openBundle(files);
      if (bundle === undefined) throw new Error("no bundle");
      const adapter = bundleAdapter({ bundle, engine });
      const runtime = await adapter.createRuntime(inferenceConfig({ modelId: adapter.modelId }), {});
      const session = await runtime.startSession(modelInputs(), { seed: 1 });
      for (let index = 0; index < 9; index += 1) {
        const { output } = await session.step(modelInputs(), {});
        expect(output?.data.length).toBeGreaterThan(0);
        await session.finalizeStep?.({});
      }
      await runtime.close();
    },
  );

  test("names every key of the format", () => {
    const keys = new Set<string>();
    const visit = (node: JsonSchemaNode): void => {
      for (const [name, inner] of Object.entries(node.properties ?? {})) {
        keys.add(name);
        visit(inner);
      }
      for (const inner of node.anyOf ?? node.oneOf ?? []) visit(inner);
      if (typeof node.additionalProperties === "object") visit(node.additionalProperties);
      if (node.items !== undefined) visit(node.items);
    };
    const schema = worldJsonSchema();
    visit(schema);
    for (const inner of Object.values(schema.$defs ?? {})) visit(inner);
    const missing = [...keys].filter((key) => !page.includes(`\`${key}\``) && !page.includes(`"${key}"`));
    expect(missing.filter((key) => !new RegExp(`\\b${key.replace("$", "\\$")}\\b`).test(page))).toEqual([]);
  });

  test("explains every kind of fault, source and target", () => {
    const codes = Object.values(FAULT_CODES).filter((code) => !page.includes(`\`${code}\``));
    expect(codes).toEqual([]);
    const forms = `${SOURCE_FORMS}, ${PIPELINE_TARGET_FORMS}`.split(/, | or /);
    expect(forms.filter((form) => !page.includes(`\`${form}\``))).toEqual([]);
  });
});
