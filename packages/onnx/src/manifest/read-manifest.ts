import { describeFound, isPlainObject, nearest } from "@dreamloop/core/internal";
import type { z } from "zod";
import { FAULT_CODES, type Fault, MANIFEST_FILE } from "../faults/fault.ts";
import { REDUCED_PRECISION_TYPES } from "./element-types.ts";
import { duplicateKeys, jsonFaultPlace, pathText } from "./json-place.ts";
import { schemaNodesAt, worldJsonSchema, type JsonSchemaNode } from "./json-schema.ts";
import type { WorldManifest } from "./world-manifest.ts";
import { FORMAT_VERSION, worldManifestSchema } from "./world-schema.ts";

/** The outcome of reading a manifest: the manifest, or all the faults that the schema finds. */
export type ManifestReading =
  | {
      /** The manifest with its defaults filled in. */
      readonly manifest: WorldManifest;
      /** None. */
      readonly faults: readonly [];
    }
  | {
      /** Absent, as there are faults. */
      readonly manifest?: undefined;
      /** What is wrong, at least one. */
      readonly faults: readonly Fault[];
    };

/** Reads the text of a `world.json`; unknown and missing keys are faults. */
export function readManifestText(text: string): ManifestReading {
  const { value, faults } = readJsonText(MANIFEST_FILE, text);
  if (faults.length === 0) return readManifest(value);
  return { faults: value === undefined ? faults : [...faults, ...readManifest(value).faults] };
}

/** A text as JSON, and what is wrong with it; without a value where it is no JSON at all. A byte order mark is passed over. */
export function readJsonText(
  file: string,
  text: string,
): { readonly value?: unknown; readonly faults: readonly Fault[] } {
  const json = text.replace(/^\uFEFF/, "");
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    return { faults: [notJsonFault(file, error, json)] };
  }
  const faults = duplicateKeys(json).map(({ path, place }): Fault => {
    const found = `a second one at ${place}`;
    return { code: FAULT_CODES.duplicateKey, file, path, expected: "each key once", found, mend: "Keep one of them." };
  });
  return { value, faults };
}

/** Reads a manifest that has been parsed already. */
export function readManifest(value: unknown): ManifestReading {
  const version =
    typeof value === "object" && value !== null ? (value as { formatVersion?: unknown }).formatVersion : undefined;
  if (version !== undefined && version !== FORMAT_VERSION) {
    const fault: Fault = {
      code: FAULT_CODES.formatVersion,
      file: MANIFEST_FILE,
      path: "formatVersion",
      expected: `the number ${FORMAT_VERSION}`,
      found: describeFound(version),
      mend: "Write the manifest for that version, or use a release of Dreamloop that reads this one.",
    };
    return { faults: [fault] };
  }
  const result = worldManifestSchema.safeParse(value, { reportInput: true });
  if (result.success) return { manifest: result.data, faults: [] };
  const parsed: Parsed = { value, schema: worldJsonSchema() };
  return { faults: result.error.issues.flatMap((issue) => faultsOf(issue, [], parsed)) };
}

/** The fault of a file that is no JSON; `text` is what it holds, where that could be read. */
export function notJsonFault(file: string, error: unknown, text?: string): Fault {
  const place = text === undefined ? undefined : jsonFaultPlace(text);
  return {
    code: FAULT_CODES.notJson,
    file,
    path: place ?? "",
    expected: "JSON",
    found: error instanceof Error ? error.message : String(error),
    mend: "Correct the syntax; comments and trailing commas are not JSON.",
  };
}

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** A manifest with faults and the schema that its keys are looked up in. */
interface Parsed {
  readonly value: unknown;
  readonly schema: JsonSchemaNode;
}

function faultsOf(issue: Issue, prefix: Path, parsed: Parsed): Fault[] {
  const path = [...prefix, ...issue.path];
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => unknownKey(key, path, parsed));
    case "invalid_union":
      return [unionFault(issue, path, parsed)];
    case "invalid_key":
      return [invalidKey(issue, path)];
    case "invalid_element":
      return issue.issues.flatMap((inner) => faultsOf(inner, path, parsed));
    default:
      return [valueFault(issue, path)];
  }
}

function unknownKey(key: string, path: Path, parsed: Parsed): Fault {
  const known = schemaNodesAt(parsed.schema, parsed.value, path).flatMap((node) => Object.keys(node.properties ?? {}));
  const near = nearest(key, known);
  return {
    code: FAULT_CODES.unknownKey,
    file: MANIFEST_FILE,
    path: pathText([...path, key]),
    expected: known.length === 0 ? "no such key" : `only the keys ${[...new Set(known)].join(", ")}`,
    found: JSON.stringify(key),
    mend: near === undefined ? "Remove the key." : `Did you mean ${JSON.stringify(near)}? Otherwise remove the key.`,
  };
}

function invalidKey(issue: Extract<Issue, { code: "invalid_key" }>, path: Path): Fault {
  const name = path[path.length - 1];
  return {
    code: FAULT_CODES.invalidValue,
    file: MANIFEST_FILE,
    path: pathText(path),
    expected: expectedOf(issue.issues[0]) ?? "a valid name",
    found: JSON.stringify(String(name)),
    mend: "Rename it here and wherever it is referred to.",
  };
}

function unionFault(issue: Extract<Issue, { code: "invalid_union" }>, path: Path, parsed: Parsed): Fault {
  const tag = path[path.length - 1];
  const isTag = (tag === "type" || tag === "update") && isPlainObject(issue.input);
  const found: unknown = isTag ? issue.input[tag] : issue.input;
  const described = schemaNodesAt(parsed.schema, parsed.value, path).find((node) => node.description !== undefined);
  const expected = choicesOf(path, parsed) ?? described?.description ?? "one of the forms in docs/bundles.md";
  return withMissing(found, {
    code: FAULT_CODES.invalidValue,
    file: MANIFEST_FILE,
    path: pathText(path),
    expected: expected.replace(/\.$/, ""),
    found: describeFound(found),
    mend: "Write one of the forms that are allowed here.",
  });
}

/** The allowed tags when an object of a tagged union has a wrong tag or none. */
function choicesOf(path: Path, parsed: Parsed): string | undefined {
  const last = path[path.length - 1];
  if (last !== "type" && last !== "update") return undefined;
  const parent = path.slice(0, -1);
  const nodes = schemaNodesAt(parsed.schema, withoutTag(parsed.value, parent), parent);
  const tags = nodes.flatMap((node) => node.properties?.[last]?.const ?? []).map((tag) => JSON.stringify(tag));
  return tags.length === 0 ? undefined : `one of ${[...new Set(tags)].join(", ")}`;
}

/** `root` as far as it is needed to walk to `path`, with nothing at its end. */
function withoutTag(root: unknown, path: Path): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return undefined;
  const inner = typeof root === "object" && root !== null ? (root as Record<PropertyKey, unknown>)[key] : undefined;
  return { [key]: withoutTag(inner, rest) };
}

function valueFault(issue: Issue, path: Path): Fault {
  const input = issue.input;
  const reduced =
    typeof input === "string" && (REDUCED_PRECISION_TYPES.includes(input) || ["fp16", "bf16", "int8"].includes(input));
  const last = path[path.length - 1];
  if (reduced && (last === "dtype" || last === "precision")) {
    return {
      code: FAULT_CODES.unsupportedPrecision,
      file: MANIFEST_FILE,
      path: pathText(path),
      expected: expectedOf(issue) ?? "float32",
      found: describeFound(input),
      mend: "Export the graph in float32, or let it cast at its inputs and outputs.",
    };
  }
  return withMissing(input, {
    code: FAULT_CODES.invalidValue,
    file: MANIFEST_FILE,
    path: pathText(path),
    expected: expectedOf(issue) ?? issue.message,
    found: describeFound(input),
    mend: "Correct the value.",
  });
}

function withMissing(input: unknown, fault: Fault): Fault {
  if (input !== undefined) return fault;
  return { ...fault, code: FAULT_CODES.missingKey, mend: "Add the key." };
}

/** How types are called in messages. */
const KINDS: Readonly<Record<string, string | undefined>> = {
  record: "an object",
  object: "an object",
  array: "a list",
  int: "a whole number",
};

function expectedOf(issue: Issue | undefined): string | undefined {
  if (issue === undefined) return undefined;
  switch (issue.code) {
    case "invalid_type":
      return KINDS[issue.expected] ?? `a ${issue.expected}`;
    case "invalid_value":
      return issue.values.length === 1
        ? JSON.stringify(issue.values[0])
        : `one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "too_big":
      return `${sizeOf(issue.origin)} of at most ${String(issue.maximum)}`;
    case "too_small":
      return `${sizeOf(issue.origin)} ${issue.inclusive === false ? "above" : "of at least"} ${String(issue.minimum)}`;
    case "invalid_format":
      return issue.message;
    default:
      return undefined;
  }
}

function sizeOf(origin: string): string {
  if (origin === "string") return "a length";
  return origin === "array" ? "a number of entries" : "a value";
}
