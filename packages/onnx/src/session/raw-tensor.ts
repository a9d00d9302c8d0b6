import { refuse } from "@dreamloop/core/internal";
import {
  elementCount,
  floatTensor,
  holdsDtype,
  isFloatDtype,
  tensorOf,
  type Tensor,
  type TensorDtype,
} from "../manifest/tensor.ts";

/**
 * Reads numbers that are given as they are: the typed array that belongs to the type, or a list of plain numbers, of
 * exactly the declared size. Throws `invalid_value`.
 */
export function rawTensor(
  signature: { readonly dtype: TensorDtype; readonly shape: readonly number[] },
  value: unknown,
  path: string,
): Tensor {
  const { dtype, shape } = signature;
  const count = elementCount(shape);
  if (holdsDtype(value, dtype)) {
    if (value.length !== count) refuse(path, `${count} elements for the shape [${shape.join(", ")}]`, value.length);
    return { dtype, shape, data: value };
  }
  if (dtype === "float16" && value instanceof Float32Array) {
    if (value.length !== count) refuse(path, `${count} elements for the shape [${shape.join(", ")}]`, value.length);
    return floatTensor(dtype, shape, value);
  }
  if (Array.isArray(value) && value.every((entry) => typeof entry === "number" && Number.isFinite(entry))) {
    const numbers = value as number[];
    if (numbers.length !== count) refuse(path, `${count} numbers for the shape [${shape.join(", ")}]`, value);
    if (!isFloatDtype(dtype) && !numbers.every(Number.isSafeInteger)) refuse(path, "whole numbers", value);
    return tensorOf(dtype, shape, numbers);
  }
  return refuse(path, `the typed array of ${dtype}, or a list of numbers`, value);
}
