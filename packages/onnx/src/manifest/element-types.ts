/** ONNX element types (`TensorProto.DataType`) by number; the gap at 0 means "undefined". */
export const ONNX_ELEMENT_TYPES: readonly (string | undefined)[] = [
  undefined,
  "float32",
  "uint8",
  "int8",
  "uint16",
  "int16",
  "int32",
  "int64",
  "string",
  "bool",
  "float16",
  "float64",
  "uint32",
  "uint64",
  "complex64",
  "complex128",
  "bfloat16",
  "float8e4m3fn",
  "float8e4m3fnuz",
  "float8e5m2",
  "float8e5m2fnuz",
  "uint4",
  "int4",
  "float4e2m1",
];

/** Element types that cannot stand at the edge of a graph; a bundle has to convert them inside its graphs. */
export const REDUCED_PRECISION_TYPES: readonly string[] = [
  "bfloat16",
  "float8e4m3fn",
  "float8e4m3fnuz",
  "float8e5m2",
  "float8e5m2fnuz",
  "float4e2m1",
];

/** The name of an ONNX element type, `type 99` for a number that is not known. */
export function elementTypeName(number: number): string {
  return ONNX_ELEMENT_TYPES[number] ?? `type ${number}`;
}
