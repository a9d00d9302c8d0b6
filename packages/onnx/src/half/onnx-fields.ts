import { bytesField, fieldString, integerField, joined, rawFields, type RawField } from "./protobuf-edit.ts";

/* Numbers of the fields that are edited (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto). */

/** Fields of `ModelProto`. */
export const MODEL = { graph: 7 } as const;
/** Fields of `GraphProto`. */
export const GRAPH = { node: 1, initializer: 5, input: 11 } as const;
/** Fields of `TensorProto`. */
export const TENSOR = { dims: 1, type: 2, floats: 4, name: 8, raw: 9, external: 13 } as const;
/** Fields of `NodeProto`. */
export const NODE = { input: 1, output: 2, name: 3, type: 4, attribute: 5 } as const;

/** Element types of tensors. */
export const FLOAT32 = 1;
/** Element types of tensors. */
export const FLOAT16 = 10;

/** What is appended to the name of a weight that is stored in 16 bits. */
export const HALF_SUFFIX = "__half";

const ATTRIBUTE = { name: 1, integer: 3, type: 20 } as const;
const INTEGER_ATTRIBUTE = 2;

/** The model with another graph in it. */
export function withGraph(model: Uint8Array, edit: (graph: readonly RawField[]) => readonly Uint8Array[]): Uint8Array {
  return joined(
    rawFields(model).map(({ number, content, raw }) =>
      number === MODEL.graph ? bytesField(number, joined(edit(rawFields(content)))) : raw,
    ),
  );
}

/** The first field of a number in a message, as text; empty where there is none. */
export function textOf(fields: readonly RawField[], number: number): string {
  const field = fields.find((each) => each.number === number);
  return field === undefined ? "" : fieldString(field);
}

/** A node, as a field of a graph, that converts a tensor to an element type. */
export function castNode(input: string, output: string, type: number): Uint8Array {
  const attribute = joined([
    bytesField(ATTRIBUTE.name, "to"),
    integerField(ATTRIBUTE.integer, type),
    integerField(ATTRIBUTE.type, INTEGER_ATTRIBUTE),
  ]);
  const node = joined([
    bytesField(NODE.input, input),
    bytesField(NODE.output, output),
    bytesField(NODE.name, `${output}__cast`),
    bytesField(NODE.type, "Cast"),
    bytesField(NODE.attribute, attribute),
  ]);
  return bytesField(GRAPH.node, node);
}
