import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { float16Array, float16Bits, float16Value } from "./float16.ts";

/** The types of tensor elements that may stand at the edge of a graph. */
export const TENSOR_DTYPES = {
  /** 32-bit floating point. */
  float32: "float32",
  /** 16-bit floating point; kept as its bits. */
  float16: "float16",
  /** 8-bit unsigned integers. */
  uint8: "uint8",
  /** 8-bit signed integers. */
  int8: "int8",
  /** 32-bit signed integers. */
  int32: "int32",
  /** 64-bit signed integers. */
  int64: "int64",
  /** Truth values, one byte each: 0 or 1. */
  bool: "bool",
} as const;

/** One of `TENSOR_DTYPES`. */
export type TensorDtype = (typeof TENSOR_DTYPES)[keyof typeof TENSOR_DTYPES];

/** The elements of a tensor, the last axis varying fastest. */
export type TensorData = Float32Array | Uint16Array | Uint8Array | Int8Array | Int32Array | BigInt64Array;

/** A tensor; its data are carried by reference. */
export interface Tensor {
  /** Type of the elements. */
  readonly dtype: TensorDtype;
  /** Length of each axis. */
  readonly shape: readonly number[];
  /** The elements; as many as the shape says. */
  readonly data: TensorData;
}

/** Length of an axis: a number, or `any` where it is only known at run time. */
export type Dimension = number | "any";

/** What is known of a tensor before it exists. */
export interface TensorSignature {
  /** Type of the elements. */
  readonly dtype: TensorDtype;
  /** Length of each axis. */
  readonly shape: readonly Dimension[];
}

/** One input or output of a graph as a file or an engine reports it. */
export interface GraphPort {
  /** Its name in the file. */
  readonly name: string;
  /** Type of the elements as the engine names it, such as `float32`. */
  readonly dtype: string;
  /** Length of each axis, `any` where the file leaves it open; absent where it leaves open even how many axes there are. */
  readonly shape?: readonly Dimension[] | undefined;
}

const ARRAYS = {
  float32: Float32Array,
  float16: Uint16Array,
  uint8: Uint8Array,
  int8: Int8Array,
  int32: Int32Array,
  int64: BigInt64Array,
  bool: Uint8Array,
} as const;

/** Bytes that one element takes. */
export function bytesPerElement(dtype: TensorDtype): number {
  return ARRAYS[dtype].BYTES_PER_ELEMENT;
}

/** The product of the axes' lengths; 1 for a scalar. */
export function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, length) => product * length, 1);
}

/** Whether every axis of `shape` has a known length. */
export function isFixedShape(shape: readonly Dimension[]): shape is readonly number[] {
  return shape.every((length) => length !== "any");
}

/** Zeroed memory for `length` elements. */
export function allocate(dtype: TensorDtype, length: number): TensorData {
  return new ARRAYS[dtype](length);
}

/** Whether `value` is the kind of array that holds elements of `dtype`. */
export function holdsDtype(value: unknown, dtype: TensorDtype): value is TensorData {
  return value instanceof ARRAYS[dtype];
}

/** A tensor with every element set to `value`. */
export function filledTensor(dtype: TensorDtype, shape: readonly number[], value = 0): Tensor {
  const data = allocate(dtype, elementCount(shape));
  if (value !== 0) fillData(data, dtype === "float16" ? float16Bits(value) : value);
  return { dtype, shape, data };
}

/** Sets every element to `value`, which must be whole where the elements are 64-bit integers. */
export function fillData(data: TensorData, value: number): void {
  if (data instanceof BigInt64Array) data.fill(BigInt(value));
  else data.fill(value);
}

/** A tensor made of plain numbers. Throws `invalid_value` when there are too few or too many of them. */
export function tensorOf(dtype: TensorDtype, shape: readonly number[], values: ArrayLike<number>): Tensor {
  const data = allocate(dtype, elementCount(shape));
  if (values.length !== data.length) {
    throw new DreamloopError(
      ERROR_CODES.invalidValue,
      `tensor ${describeSignature({ dtype, shape })}: expected ${data.length} numbers, found ${values.length}`,
    );
  }
  for (let index = 0; index < data.length; index += 1) {
    const value = values[index];
    if (data instanceof BigInt64Array) data[index] = BigInt(value);
    else data[index] = dtype === "float16" ? float16Bits(value) : value;
  }
  return { dtype, shape, data };
}

/** Whether the elements are floating point numbers. */
export function isFloatDtype(dtype: TensorDtype): dtype is "float32" | "float16" {
  return dtype === TENSOR_DTYPES.float32 || dtype === TENSOR_DTYPES.float16;
}

/** The elements as 32-bit floats: the tensor's own memory where it is float32, else a copy. */
export function floatsOf({ dtype, data }: Tensor): Float32Array {
  if (data instanceof Float32Array) return data;
  const floats = new Float32Array(data.length);
  for (let index = 0; index < floats.length; index += 1) {
    const element = Number(data[index]);
    floats[index] = dtype === "float16" ? float16Value(element) : element;
  }
  return floats;
}

/** A tensor of floats in the precision asked for; float32 keeps the memory that it is given. */
export function floatTensor(dtype: TensorDtype, shape: readonly number[], floats: Float32Array): Tensor {
  return { dtype, shape, data: dtype === "float16" ? float16Array(floats) : floats };
}

/** A copy that shares no memory with `tensor`. */
export function copyTensor(tensor: Tensor): Tensor {
  return { dtype: tensor.dtype, shape: [...tensor.shape], data: tensor.data.slice() };
}

/** `float32[1, 3, any]`: how signatures are written in messages. */
export function describeSignature(signature: { readonly dtype: string; readonly shape: readonly Dimension[] }): string {
  return `${signature.dtype}[${signature.shape.join(", ")}]`;
}

/** Whether a tensor of shape `found` may stand where `expected` is declared; `any` fits every length. */
export function fitsShape(expected: readonly Dimension[], found: readonly Dimension[]): boolean {
  if (expected.length !== found.length) return false;
  return expected.every((length, axis) => length === "any" || found[axis] === "any" || found[axis] === length);
}

/**
 * Index of the first element that is NaN or infinite, or −1. Integers are always finite.
 *
 * One sum answers for all elements without a branch each: x · 0 is 0 for every finite x and NaN otherwise.
 */
export function firstNonFinite({ dtype, data }: Tensor): number {
  if (dtype === "float16") return (data as Uint16Array).findIndex((bits) => (bits & 0x7c00) === 0x7c00);
  if (!(data instanceof Float32Array)) return -1;
  let zero = 0;
  for (let index = 0; index < data.length; index += 1) zero += data[index] * 0;
  return zero === 0 ? -1 : data.findIndex((value) => !Number.isFinite(value));
}
