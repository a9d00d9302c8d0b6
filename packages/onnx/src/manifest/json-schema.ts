import { z } from "zod";
import { worldManifestSchema } from "./world-schema.ts";

/** A node of a JSON Schema, as far as it is looked into here. */
export interface JsonSchemaNode {
  /** For people. */
  readonly description?: string;
  /** Schemas of named properties. */
  readonly properties?: Readonly<Record<string, JsonSchemaNode>>;
  /** Schema of all other properties, or `false` when there may be none. */
  readonly additionalProperties?: JsonSchemaNode | boolean;
  /** Schema of list entries. */
  readonly items?: JsonSchemaNode;
  /** Alternatives. */
  readonly anyOf?: readonly JsonSchemaNode[];
  /** Alternatives of which exactly one fits. */
  readonly oneOf?: readonly JsonSchemaNode[];
  /** The one value that fits. */
  readonly const?: unknown;
  /** Where the schema is written instead, as `#/$defs/NAME`. */
  readonly $ref?: string;
  /** Schemas that are used in several places. */
  readonly $defs?: Readonly<Record<string, JsonSchemaNode>>;
}

/** The JSON Schema (draft 2020-12) of `world.json`, made from the schema that reads it. */
export function worldJsonSchema(): JsonSchemaNode {
  const schema = z.toJSONSchema(worldManifestSchema, { io: "input", target: "draft-2020-12" });
  return {
    ...schema,
    title: "Dreamloop world bundle",
    description: "The manifest world.json of a world bundle.",
  } as JsonSchemaNode;
}

/** The schema nodes that may describe what lies at `path` of `value`; alternatives with another `type` or `update` are left out. */
export function schemaNodesAt(root: JsonSchemaNode, value: unknown, path: readonly PropertyKey[]): JsonSchemaNode[] {
  let nodes = alternatives([root], value, root);
  let current = value;
  for (const key of path) {
    const inner = nodes.flatMap((node) => childrenOf(node, key));
    current =
      typeof current === "object" && current !== null ? (current as Record<PropertyKey, unknown>)[key] : undefined;
    nodes = alternatives(inner, current, root);
  }
  return nodes;
}

function childrenOf(node: JsonSchemaNode, key: PropertyKey): JsonSchemaNode[] {
  if (typeof key === "number") return node.items === undefined ? [] : [node.items];
  const named = node.properties?.[String(key)];
  if (named !== undefined) return [named];
  return typeof node.additionalProperties === "object" ? [node.additionalProperties] : [];
}

function alternatives(nodes: readonly JsonSchemaNode[], value: unknown, root: JsonSchemaNode): JsonSchemaNode[] {
  const flat = nodes.flatMap((each): readonly JsonSchemaNode[] => {
    const node = resolved(each, root);
    return [node, ...(node.anyOf ?? node.oneOf ?? []).map((choice) => resolved(choice, root))];
  });
  return flat.filter((node) =>
    ["type", "update"].every((tag) => {
      const wanted = node.properties?.[tag]?.const;
      const found = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[tag] : undefined;
      return wanted === undefined || found === undefined || wanted === found;
    }),
  );
}

function resolved(node: JsonSchemaNode, root: JsonSchemaNode): JsonSchemaNode {
  const name = node.$ref?.split("/").pop();
  return (name === undefined ? undefined : root.$defs?.[name]) ?? node;
}
