import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { elementTypeName } from "../../manifest/element-types.ts";
import type { Dimension, GraphPort } from "../../manifest/tensor.ts";
import { fieldText, packedIntegers, type ProtobufField, protobufFields } from "./protobuf-reader.ts";

/** A stretch of a file that holds the elements of one initializer. */
export interface ExternalData {
  /** Name of the initializer. */
  readonly tensor: string;
  /** Path relative to the folder of the `.onnx` file, as the file writes it. */
  readonly location: string;
  /** First byte. */
  readonly offset: number;
  /** Bytes, or `undefined` up to the end of the file. */
  readonly length: number | undefined;
}

/** What the first phase of a check needs to know of an `.onnx` file. */
export interface OnnxModel {
  /** Version of the file format. */
  readonly irVersion: number;
  /** Version of each operator set by domain; the standard one has the domain `""`. */
  readonly opsets: Readonly<Record<string, number>>;
  /** Inputs that have no initializer: those that a run must feed. */
  readonly inputs: readonly GraphPort[];
  /** Outputs. */
  readonly outputs: readonly GraphPort[];
  /** Weights that lie in other files. */
  readonly externalData: readonly ExternalData[];
}

interface Collected {
  readonly externalData: ExternalData[];
}

/**
 * Reads the interface of an ONNX model (https://onnx.ai/onnx/repo-docs/IR.html), going into subgraphs for their external
 * data only. Throws `invalid_value` when the bytes are no ONNX model.
 */
export function readOnnxModel(bytes: Uint8Array): OnnxModel {
  let irVersion = 0;
  let graph: Uint8Array | undefined;
  const opsets: Record<string, number> = {};
  for (const field of protobufFields(bytes)) {
    if (field.number === 1 && field.integer !== undefined) irVersion = Number(field.integer);
    if (field.number === 7) graph = field.bytes;
    if (field.number === 8) readOpset(field, opsets);
  }
  if (graph === undefined) {
    throw new DreamloopError(ERROR_CODES.invalidValue, "ONNX model: expected a graph, found a message without one");
  }
  const collected: Collected = { externalData: [] };
  const { inputs, outputs } = readGraph(graph, collected);
  return { irVersion, opsets, inputs, outputs, externalData: collected.externalData };
}

function readOpset(field: ProtobufField, opsets: Record<string, number>): void {
  let domain = "";
  let version = 0;
  for (const inner of protobufFields(field.bytes ?? new Uint8Array())) {
    if (inner.number === 1) domain = fieldText(inner);
    if (inner.number === 2 && inner.integer !== undefined) version = Number(inner.integer);
  }
  opsets[domain] = version;
}

function readGraph(bytes: Uint8Array, collected: Collected): Pick<OnnxModel, "inputs" | "outputs"> {
  const inputs: GraphPort[] = [];
  const outputs: GraphPort[] = [];
  const initializers = new Set<string>();
  for (const field of protobufFields(bytes)) {
    const content = field.bytes ?? new Uint8Array();
    if (field.number === 1) readNode(content, collected);
    if (field.number === 5) initializers.add(readTensor(content, collected));
    if (field.number === 11) inputs.push(readPort(content));
    if (field.number === 12) outputs.push(readPort(content));
  }
  // Old exporters list every initializer among the inputs too; those need no feed.
  return { inputs: inputs.filter(({ name }) => !initializers.has(name)), outputs };
}

/** Attributes may hold tensors (5, 10) and subgraphs (6, 11). */
function readNode(bytes: Uint8Array, collected: Collected): void {
  for (const field of protobufFields(bytes)) {
    if (field.number !== 5) continue;
    for (const inner of protobufFields(field.bytes ?? new Uint8Array())) {
      const content = inner.bytes ?? new Uint8Array();
      if (inner.number === 5 || inner.number === 10) readTensor(content, collected);
      if (inner.number === 6 || inner.number === 11) readGraph(content, collected);
    }
  }
}

function readTensor(bytes: Uint8Array, collected: Collected): string {
  let name = "";
  const entries: Record<string, string> = {};
  for (const field of protobufFields(bytes)) {
    if (field.number === 8) name = fieldText(field);
    if (field.number !== 13) continue;
    const [key, value] = readPair(field);
    entries[key] = value;
  }
  if (entries.location !== undefined) {
    collected.externalData.push({
      tensor: name,
      location: entries.location,
      offset: Number(entries.offset ?? 0),
      length: entries.length === undefined ? undefined : Number(entries.length),
    });
  }
  return name;
}

function readPair(field: ProtobufField): [string, string] {
  const pair: [string, string] = ["", ""];
  for (const inner of protobufFields(field.bytes ?? new Uint8Array())) {
    if (inner.number === 1 || inner.number === 2) pair[inner.number - 1] = fieldText(inner);
  }
  return pair;
}

function readPort(bytes: Uint8Array): GraphPort {
  let name = "";
  let dtype = "no tensor";
  let shape: readonly Dimension[] | undefined;
  for (const field of protobufFields(bytes)) {
    if (field.number === 1) name = fieldText(field);
    if (field.number !== 2) continue;
    for (const type of protobufFields(field.bytes ?? new Uint8Array())) {
      if (type.number === 1) ({ dtype, shape } = readTensorType(type.bytes ?? new Uint8Array()));
    }
  }
  return { name, dtype, shape };
}

function readTensorType(bytes: Uint8Array): Pick<GraphPort, "dtype" | "shape"> {
  let dtype = elementTypeName(0);
  let shape: readonly Dimension[] | undefined;
  for (const field of protobufFields(bytes)) {
    if (field.number === 1) dtype = elementTypeName(Number(packedIntegers(field)[0] ?? 0));
    if (field.number === 2) shape = readShape(field.bytes ?? new Uint8Array());
  }
  return { dtype, shape };
}

/** A dimension is a number (1) or a symbol (2); an empty one is unknown, and some exporters write unknown as negative. */
function readShape(bytes: Uint8Array): readonly Dimension[] {
  const shape: Dimension[] = [];
  for (const field of protobufFields(bytes)) {
    if (field.number !== 1) continue;
    let dimension: Dimension = "any";
    for (const inner of protobufFields(field.bytes ?? new Uint8Array())) {
      if (inner.number === 1 && inner.integer !== undefined && inner.integer >= 0n) dimension = Number(inner.integer);
    }
    shape.push(dimension);
  }
  return shape;
}
