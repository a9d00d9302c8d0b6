import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { schemaNodesAt, worldJsonSchema, type JsonSchemaNode } from "./json-schema.ts";

const published = new URL("../../schema/world.schema.json", import.meta.url);

describe("the published JSON Schema", () => {
  test("is what the reader reads: scripts/make-world-schema.ts writes it anew", () => {
    expect(JSON.parse(readFileSync(published, "utf8"))).toEqual(JSON.parse(JSON.stringify(worldJsonSchema())));
  });

  test("allows no key that it does not name", () => {
    const open: string[] = [];
    const visit = (node: JsonSchemaNode, path: string): void => {
      if (node.properties !== undefined && node.additionalProperties !== false) open.push(path);
      for (const [name, inner] of Object.entries(node.properties ?? {})) visit(inner, `${path}.${name}`);
      for (const inner of node.anyOf ?? node.oneOf ?? []) visit(inner, path);
      if (typeof node.additionalProperties === "object") visit(node.additionalProperties, `${path}.*`);
      if (node.items !== undefined) visit(node.items, `${path}[]`);
    };
    const schema = worldJsonSchema();
    visit(schema, "world");
    for (const [name, inner] of Object.entries(schema.$defs ?? {})) visit(inner, name);
    expect(open).toEqual([]);
  });

  test("is walked by the tag of an object", () => {
    const manifest = { state: { keys: { update: "append" } } };
    const nodes = schemaNodesAt(worldJsonSchema(), manifest, ["state", "keys"]);
    const keys = nodes.flatMap((node) => Object.keys(node.properties ?? {}));
    expect(keys).toContain("window");
    expect(keys).not.toContain("initial");
  });
});
