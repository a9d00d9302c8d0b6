import { axisOf, sliceBounds } from "../plan/tensor-ops.ts";
import {
  allocate,
  elementCount,
  floatsOf,
  floatTensor,
  isFloatDtype,
  tensorOf,
  type Tensor,
  type TensorData,
  type TensorDtype,
} from "../manifest/tensor.ts";
import type { TensorOpDeclaration } from "../manifest/world-manifest.ts";

/** Does one operation on a tensor whose type and shape have been compared; the tensor itself is not changed. */
export function applyTensorOp(op: TensorOpDeclaration, tensor: Tensor): Tensor {
  const { dtype, shape, data } = tensor;
  if ("reshape" in op) {
    const known = elementCount(op.reshape.filter((length) => length !== -1));
    const open = data.length / known;
    return { dtype, shape: op.reshape.map((length) => (length === -1 ? open : length)), data };
  }
  if ("squeeze" in op) {
    const at = axisOf(op.squeeze, shape.length);
    return { dtype, shape: shape.filter((_, axis) => axis !== at), data };
  }
  if ("unsqueeze" in op) {
    const at = axisOf(op.unsqueeze, shape.length + 1) ?? 0;
    return { dtype, shape: [...shape.slice(0, at), 1, ...shape.slice(at)], data };
  }
  if ("transpose" in op) {
    const strides = stridesOf(shape);
    return gathered(tensor, {
      shape: op.transpose.map((axis) => shape[axis]),
      strides: op.transpose.map((axis) => strides[axis]),
    });
  }
  if ("expand" in op) {
    const strides = stridesOf(shape).map((stride, axis) => (shape[axis] === 1 ? 0 : stride));
    return gathered(tensor, { shape: op.expand, strides });
  }
  if ("tile" in op) return tiled(tensor, op.tile);
  if ("slice" in op) {
    const at = axisOf(op.slice.axis, shape.length) ?? 0;
    const [start, end] = sliceBounds(op.slice, shape[at]);
    const strides = stridesOf(shape);
    const sliced = shape.map((length, axis) => (axis === at ? end - start : length));
    return gathered(tensor, { shape: sliced, strides, offset: start * strides[at] });
  }
  if ("cast" in op) return castTensor(tensor, op.cast);
  const floats = floatsOf(tensor);
  const change =
    "scale" in op
      ? (value: number): number => value * op.scale + op.offset
      : (value: number): number => Math.min(op.clamp[1], Math.max(op.clamp[0], value));
  return floatTensor(dtype, shape, floats.map(change));
}

/** Joins tensors along an axis. */
export function concatTensors(parts: readonly Tensor[], axis: number): Tensor {
  const [first] = parts;
  const length = parts.reduce((sum, { shape }) => sum + shape[axis], 0);
  const shape = first.shape.map((each, index) => (index === axis ? length : each));
  const data = allocate(first.dtype, elementCount(shape));
  const outer = elementCount(shape.slice(0, axis));
  const inner = elementCount(shape.slice(axis + 1));
  let at = 0;
  for (const part of parts) {
    const stretch = part.shape[axis] * inner;
    for (let index = 0; index < outer; index += 1) {
      copyRange(part.data, index * stretch, { data, at: index * length * inner + at, count: stretch });
    }
    at += stretch;
  }
  return { dtype: first.dtype, shape, data };
}

/** A tensor of another type: floats are cut off towards zero and kept within the range of whole numbers, NaN becomes 0. */
export function castTensor(tensor: Tensor, dtype: TensorDtype): Tensor {
  if (tensor.dtype === dtype) return tensor;
  if (isFloatDtype(dtype)) return floatTensor(dtype, tensor.shape, Float32Array.from(floatsOf(tensor)));
  const numbers = isFloatDtype(tensor.dtype) ? floatsOf(tensor) : tensor.data;
  const [least, greatest] = RANGES[dtype];
  const values = Array.from({ length: numbers.length }, (_, index) => {
    const value = Number(numbers[index]);
    if (dtype === "bool") return value === 0 ? 0 : 1;
    return Number.isNaN(value) ? 0 : Math.min(greatest, Math.max(least, Math.trunc(value)));
  });
  return tensorOf(dtype, tensor.shape, values);
}

const RANGES: Readonly<Record<Exclude<TensorDtype, "float32" | "float16">, readonly [number, number]>> = {
  uint8: [0, 255],
  int8: [-128, 127],
  int32: [-2_147_483_648, 2_147_483_647],
  int64: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  bool: [0, 1],
};

function tiled(tensor: Tensor, repeats: readonly number[]): Tensor {
  return repeats.reduce(
    (whole, count, axis) => (count === 1 ? whole : concatTensors(new Array<Tensor>(count).fill(whole), axis)),
    tensor,
  );
}

function stridesOf(shape: readonly number[]): number[] {
  return shape.map((_, axis) => elementCount(shape.slice(axis + 1)));
}

/** A tensor whose element at a place is that of `source` at the offset plus the place times the strides. */
function gathered(
  { dtype, data }: Tensor,
  view: { readonly shape: readonly number[]; readonly strides: readonly number[]; readonly offset?: number },
): Tensor {
  const { shape, strides, offset = 0 } = view;
  const count = elementCount(shape);
  const result = allocate(dtype, count);
  const place = new Array<number>(shape.length).fill(0);
  let from = offset;
  for (let index = 0; index < count; index += 1) {
    result[index] = data[from];
    for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
      place[axis] += 1;
      from += strides[axis];
      if (place[axis] < shape[axis]) break;
      from -= strides[axis] * shape[axis];
      place[axis] = 0;
    }
  }
  return { dtype, shape, data: result };
}

function copyRange(
  source: TensorData,
  start: number,
  { data, at, count }: { readonly data: TensorData; readonly at: number; readonly count: number },
): void {
  data.set(source.subarray(start, start + count) as never, at);
}
