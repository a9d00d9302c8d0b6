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
  /** Sets of operators that the model defines itself, as functions. */
  readonly functionDomains: readonly string[];
  /** Inputs that have no initializer: those that a run must feed. */
  readonly inputs: readonly GraphPort[];
  /** Outputs. */
  readonly outputs: readonly GraphPort[];
  /** Weights that lie in other files. */
  readonly externalData: readonly ExternalData[];
  /** Operators that draw random numbers of their own, subgraphs and functions included. */
  readonly randomOperators: readonly RandomOperator[];
}

/** An operator that draws random numbers of its own. */
export interface RandomOperator {
  /** Its type, such as `RandomNormalLike`. */
  readonly type: string;
  /** Name of the node; empty where it has none. */
  readonly name: string;
}

/** Operators of the standard set, and of ONNX Runtime's own, that draw from a generator which nobody outside can set back. */
const RANDOM_OPERATORS: ReadonlySet<string> = new Set([
  ...["RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "Bernoulli", "Sampling"],
]);

/** Operators that drop elements at random in training, and which of their inputs says that this is training. */
const DROPOUT_OPERATORS: Readonly<Record<string, number>> = {
  Dropout: 2,
  BiasDropout: 4,
  BitmaskDropout: 2,
  BitmaskBiasDropout: 4,
};

interface Collected {
  readonly externalData: ExternalData[];
  readonly randomOperators: RandomOperator[];
  /** Names of tensors that are known to be false, such as `training_mode` of a model that was exported for inference. */
  readonly falseTensors: Set<string>;
  /** Dropouts by the tensor that says whether this is training. */
  readonly dropouts: { readonly operator: RandomOperator; readonly training: string }[];
}

/**
 * Reads the interface of an ONNX model (https://onnx.ai/onnx/repo-docs/IR.html), going into subgraphs and functions for their
 * external data and random operators only. Throws `invalid_value` when the bytes are no ONNX model.
 */
export function readOnnxModel(bytes: Uint8Array): OnnxModel {
  let irVersion = 0;
  let graph: Uint8Array | undefined;
  const functions: Uint8Array[] = [];
  const opsets: Record<string, number> = {};
  for (const field of protobufFields(bytes)) {
    if (field.number === 1 && field.integer !== undefined) irVersion = Number(field.integer);
    if (field.number === 7) graph = field.bytes;
    if (field.number === 8) readOpset(field, opsets);
    if (field.number === 25 && field.bytes !== undefined) functions.push(field.bytes);
  }
  if (graph === undefined) {
    throw new DreamloopError(ERROR_CODES.invalidValue, "ONNX model: expected a graph, found a message without one");
  }
  const collected: Collected = { externalData: [], randomOperators: [], falseTensors: new Set(), dropouts: [] };
  const { inputs, outputs } = readGraph(graph, collected);
  const functionDomains = functions.map((content) => readFunction(content, collected));
  const { externalData, randomOperators, dropouts, falseTensors } = collected;
  for (const { operator, training } of dropouts) {
    if (!falseTensors.has(training)) randomOperators.push(operator);
  }
  return { irVersion, opsets, functionDomains, inputs, outputs, externalData, randomOperators };
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
    if (field.number === 5) {
      const { name, isFalse } = readTensor(content, collected);
      initializers.add(name);
      if (isFalse) collected.falseTensors.add(name);
    }
    if (field.number === 11) inputs.push(readPort(content));
    if (field.number === 12) outputs.push(readPort(content));
  }
  // Old exporters list every initializer among the inputs too; those need no feed.
  return { inputs: inputs.filter(({ name }) => !initializers.has(name)), outputs };
}

/** A function of the model's own: its nodes are field 7. Gives the set that it belongs to. */
function readFunction(bytes: Uint8Array, collected: Collected): string {
  let domain = "";
  for (const field of protobufFields(bytes)) {
    if (field.number === 7) readNode(field.bytes ?? new Uint8Array(), collected);
    if (field.number === 10) domain = fieldText(field);
  }
  return domain;
}

/** Attributes may hold tensors (5, 10) and subgraphs (6, 11). */
function readNode(bytes: Uint8Array, collected: Collected): void {
  const inputs: string[] = [];
  const outputs: string[] = [];
  let name = "";
  let type = "";
  let holdsFalse = false;
  for (const field of protobufFields(bytes)) {
    if (field.number === 1) inputs.push(fieldText(field));
    if (field.number === 2) outputs.push(fieldText(field));
    if (field.number === 3) name = fieldText(field);
    if (field.number === 4) type = fieldText(field);
    if (field.number !== 5) continue;
    for (const inner of protobufFields(field.bytes ?? new Uint8Array())) {
      const content = inner.bytes ?? new Uint8Array();
      if (inner.number === 5 || inner.number === 10) holdsFalse = readTensor(content, collected).isFalse;
      if (inner.number === 6 || inner.number === 11) readGraph(content, collected);
    }
  }
  if (type === "Constant" && holdsFalse) for (const output of outputs) collected.falseTensors.add(output);
  if (RANDOM_OPERATORS.has(type)) collected.randomOperators.push({ type, name });
  const training = Object.hasOwn(DROPOUT_OPERATORS, type) ? inputs[DROPOUT_OPERATORS[type]] : undefined;
  if (training !== undefined && training !== "") collected.dropouts.push({ operator: { type, name }, training });
}

/** Number of the element type of truth values. */
const BOOL = 9;

function readTensor(bytes: Uint8Array, collected: Collected): { readonly name: string; readonly isFalse: boolean } {
  let name = "";
  let elementType = 0;
  let numbers: readonly (number | bigint)[] = [];
  const entries: Record<string, string> = {};
  for (const field of protobufFields(bytes)) {
    if (field.number === 2 && field.integer !== undefined) elementType = Number(field.integer);
    if (field.number === 5) numbers = packedIntegers(field);
    if (field.number === 9) numbers = [...(field.bytes ?? []).slice(0, 2)];
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
  return { name, isFalse: elementType === BOOL && numbers.length === 1 && Number(numbers[0]) === 0 };
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
