import { elementCount, isFixedShape, isFloatDtype, type Dimension, type TensorSignature } from "../manifest/tensor.ts";
import type { TensorOpDeclaration } from "../manifest/world-manifest.ts";

/** What an operation needs and did not get. */
export interface RefusedOp {
  /** What was expected, for a fault. */
  readonly refused: string;
}

/** Elements that a tensor within a pipeline may have: 1 GiB of float32. */
const MAX_ELEMENTS = 2 ** 28;

/** The type and shape that an operation makes of another, or what it would need. */
export function signatureAfter(op: TensorOpDeclaration, before: TensorSignature): TensorSignature | RefusedOp {
  const after = resultOf(op, before);
  if ("refused" in after || !isFixedShape(after.shape) || elementCount(after.shape) <= MAX_ELEMENTS) return after;
  return { refused: `at most ${MAX_ELEMENTS} elements` };
}

/** The type and shape of tensors joined along an axis, or what they would have to be like. */
export function joinedSignature(parts: readonly TensorSignature[], axis: number): TensorSignature | RefusedOp {
  const [first] = parts;
  const at = axisOf(axis, first.shape.length);
  if (at === undefined) return { refused: `an axis of ${first.shape.length}` };
  const isAlike = parts.every(
    ({ dtype, shape }) =>
      dtype === first.dtype &&
      shape.length === first.shape.length &&
      shape.every((length, index) => index === at || length === first.shape[index]),
  );
  if (!isAlike) return { refused: `parts of one type, equal in every axis but axis ${at}` };
  const lengths: readonly Dimension[] = parts.map(({ shape }) => shape[at]);
  const total = isFixedShape(lengths) ? lengths.reduce((sum, length) => sum + length, 0) : "any";
  return { dtype: first.dtype, shape: withAxis(first.shape, at, total) };
}

/** The bounds of a slice of an axis of `length`: negative ones count from its end, as in Python. */
export function sliceBounds(
  { start, end }: { readonly start: number; readonly end?: number | undefined },
  length: number,
): readonly [start: number, end: number] {
  const bound = (value: number): number => Math.min(length, Math.max(0, value < 0 ? value + length : value));
  return [bound(start), end === undefined ? length : bound(end)];
}

/** The axis from 0 that a number stands for, negative ones counting from the last; `undefined` when there is none. */
export function axisOf(axis: number, axes: number): number | undefined {
  const at = axis < 0 ? axis + axes : axis;
  return at >= 0 && at < axes ? at : undefined;
}

function resultOf(op: TensorOpDeclaration, { dtype, shape }: TensorSignature): TensorSignature | RefusedOp {
  if ("reshape" in op) return reshaped(op.reshape, { dtype, shape });
  if ("transpose" in op) {
    const isOrder = op.transpose.length === shape.length && new Set(op.transpose).size === shape.length;
    if (!isOrder || op.transpose.some((axis) => axis >= shape.length)) {
      return { refused: `each axis from 0 to ${shape.length - 1} once` };
    }
    return { dtype, shape: op.transpose.map((axis) => shape[axis]) };
  }
  if ("squeeze" in op) {
    const at = axisOf(op.squeeze, shape.length);
    if (at === undefined || shape[at] !== 1) return { refused: "an axis of length 1" };
    return { dtype, shape: shape.filter((_, index) => index !== at) };
  }
  if ("unsqueeze" in op) {
    const at = axisOf(op.unsqueeze, shape.length + 1);
    if (at === undefined || shape.length === 8) return { refused: `a place from 0 to ${shape.length}, 8 axes at most` };
    return { dtype, shape: [...shape.slice(0, at), 1, ...shape.slice(at)] };
  }
  if ("expand" in op) {
    const fits =
      op.expand.length === shape.length && op.expand.every((each, axis) => shape[axis] === 1 || shape[axis] === each);
    return fits
      ? { dtype, shape: op.expand }
      : { refused: "the same shape but for axes of length 1, which become longer" };
  }
  if ("tile" in op) {
    if (op.tile.length !== shape.length) return { refused: `a number of repetitions for each of ${shape.length} axes` };
    return { dtype, shape: shape.map((length, axis) => (length === "any" ? "any" : length * op.tile[axis])) };
  }
  if ("slice" in op) {
    const at = axisOf(op.slice.axis, shape.length);
    const length = at === undefined ? undefined : shape[at];
    if (at === undefined || typeof length !== "number") return { refused: "an axis of a known length" };
    const [start, end] = sliceBounds(op.slice, length);
    return end > start ? { dtype, shape: withAxis(shape, at, end - start) } : { refused: "at least one element" };
  }
  if ("cast" in op) return { dtype: op.cast, shape };
  if (!isFloatDtype(dtype)) return { refused: "float32 or float16, so cast before" };
  if ("clamp" in op && op.clamp[0] > op.clamp[1]) return { refused: "the lower bound first" };
  return { dtype, shape };
}

function reshaped(wanted: readonly number[], { dtype, shape }: TensorSignature): TensorSignature | RefusedOp {
  if (!isFixedShape(shape)) return { refused: "a tensor whose every axis has a known length" };
  const count = elementCount(shape);
  const open = wanted.filter((length) => length === -1).length;
  const known = elementCount(wanted.filter((length) => length !== -1));
  if (open > 1) return { refused: "-1 once at most" };
  if (open === 1 ? count % known !== 0 : count !== known) return { refused: `a shape of ${count} elements` };
  return { dtype, shape: wanted.map((length) => (length === -1 ? count / known : length)) };
}

function withAxis(shape: readonly Dimension[], axis: number, length: Dimension): readonly Dimension[] {
  return shape.map((each, index) => (index === axis ? length : each));
}
