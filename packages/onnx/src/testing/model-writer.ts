import { bytesPerElement, type Dimension, type TensorData, type TensorDtype } from "../manifest/tensor.ts";
import { ONNX_ELEMENT_TYPES } from "../manifest/element-types.ts";
import { ProtobufWriter } from "./protobuf-writer.ts";

/** An input or output of a model that is written. */
export interface OnnxPort {
  /** Its name. */
  readonly name: string;
  /** Type of the elements, such as `float32` or `bfloat16`. */
  readonly dtype: string;
  /** Length of each axis; `any` becomes a symbol. */
  readonly shape: readonly Dimension[];
}

/** An attribute of a node: a whole number, a list of them, or a text. Floats are written as `{ float: 0.5 }`. */
export type OnnxAttribute = number | string | readonly number[] | { readonly float: number };

/** One operator call. */
export interface OnnxNode {
  /** The operator, such as `MatMul`. */
  readonly op: string;
  /** Names of what it takes. */
  readonly inputs: readonly string[];
  /** Names of what it gives. */
  readonly outputs: readonly string[];
  /** Its attributes. */
  readonly attributes?: Readonly<Record<string, OnnxAttribute>>;
}

/** A weight. */
export interface OnnxInitializer {
  /** Its name. */
  readonly name: string;
  /** Type of the elements. */
  readonly dtype: TensorDtype;
  /** Length of each axis. */
  readonly shape: readonly number[];
  /** The elements. */
  readonly data: TensorData;
}

/** A model to be written. */
export interface OnnxModelInput {
  /** What a run has to feed. */
  readonly inputs: readonly OnnxPort[];
  /** What a run gives. */
  readonly outputs: readonly OnnxPort[];
  /** The operator calls in an order in which they can run. */
  readonly nodes: readonly OnnxNode[];
  /** The weights. */
  readonly initializers?: readonly OnnxInitializer[];
  /** Name of the file for float weights, relative to that of the model; absent: they are written into the model. */
  readonly externalData?: string;
  /** Version of the standard operator set; default 16. */
  readonly opset?: number;
}

/** The files of a model. */
export interface WrittenModel {
  /** Content of the `.onnx` file. */
  readonly model: Uint8Array;
  /** Content of the file with the weights; empty when they are in the model. */
  readonly external: Uint8Array;
}

/** Numbers of `AttributeProto.AttributeType`. */
const ATTRIBUTE_TYPES = { float: 1, int: 2, string: 3, ints: 7 } as const;
const IR_VERSION = 8;
const EXTERNAL = 1;

/** Writes a small ONNX model (https://onnx.ai/onnx/repo-docs/IR.html): for tests, examples and worlds that need no training. */
export function writeOnnxModel(input: OnnxModelInput): WrittenModel {
  const graph = new ProtobufWriter();
  for (const node of input.nodes) graph.bytes(1, writeNode(node));
  graph.bytes(2, "graph");
  const chunks: Uint8Array[] = [];
  let offset = 0;
  for (const initializer of input.initializers ?? []) {
    const { data } = initializer;
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.length * bytesPerElement(initializer.dtype));
    // Shapes and axes are needed to infer the shapes of other tensors, for which the engine looks into the model only.
    const location = initializer.dtype === "float32" ? input.externalData : undefined;
    graph.bytes(5, writeTensor(initializer, bytes, location, offset));
    if (location === undefined) continue;
    chunks.push(bytes);
    offset += bytes.length;
  }
  for (const port of input.inputs) graph.bytes(11, writePort(port));
  for (const port of input.outputs) graph.bytes(12, writePort(port));
  const opset = new ProtobufWriter().bytes(1, "").integer(2, input.opset ?? 16);
  const model = new ProtobufWriter().integer(1, IR_VERSION).bytes(7, graph).bytes(8, opset);
  return { model: model.finish(), external: joined(chunks, offset) };
}

function writeNode({ op, inputs, outputs, attributes = {} }: OnnxNode): ProtobufWriter {
  const node = new ProtobufWriter();
  for (const name of inputs) node.bytes(1, name);
  for (const name of outputs) node.bytes(2, name);
  node.bytes(4, op);
  for (const [name, value] of Object.entries(attributes)) node.bytes(5, writeAttribute(name, value));
  return node;
}

function writeAttribute(name: string, value: OnnxAttribute): ProtobufWriter {
  const attribute = new ProtobufWriter().bytes(1, name);
  if (typeof value === "number") return attribute.integer(3, value).integer(20, ATTRIBUTE_TYPES.int);
  if (typeof value === "string") return attribute.bytes(4, value).integer(20, ATTRIBUTE_TYPES.string);
  if ("float" in value) return attribute.float(2, value.float).integer(20, ATTRIBUTE_TYPES.float);
  for (const each of value) attribute.integer(8, each);
  return attribute.integer(20, ATTRIBUTE_TYPES.ints);
}

function writeTensor(
  { name, dtype, shape }: OnnxInitializer,
  bytes: Uint8Array,
  location: string | undefined,
  offset: number,
): ProtobufWriter {
  const tensor = new ProtobufWriter().packed(1, shape).integer(2, elementTypeNumber(dtype)).bytes(8, name);
  if (location === undefined) return tensor.bytes(9, bytes);
  const entries = { location, offset: String(offset), length: String(bytes.length) };
  for (const [key, value] of Object.entries(entries)) {
    tensor.bytes(13, new ProtobufWriter().bytes(1, key).bytes(2, value));
  }
  return tensor.integer(14, EXTERNAL);
}

function writePort({ name, dtype, shape }: OnnxPort): ProtobufWriter {
  const dimensions = new ProtobufWriter();
  shape.forEach((length, axis) => {
    const dimension = new ProtobufWriter();
    dimensions.bytes(1, length === "any" ? dimension.bytes(2, `axis_${axis}`) : dimension.integer(1, length));
  });
  const type = new ProtobufWriter().integer(1, elementTypeNumber(dtype)).bytes(2, dimensions);
  return new ProtobufWriter().bytes(1, name).bytes(2, new ProtobufWriter().bytes(1, type));
}

function elementTypeNumber(dtype: string): number {
  return ONNX_ELEMENT_TYPES.indexOf(dtype);
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
