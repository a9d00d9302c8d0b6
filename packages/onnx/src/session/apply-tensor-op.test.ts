import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { floatsOf, tensorOf, type Tensor, type TensorDtype } from "../manifest/tensor.ts";
import type { TensorOpDeclaration } from "../manifest/world-manifest.ts";
import { joinedSignature, signatureAfter } from "../plan/tensor-ops.ts";
import { applyTensorOp, castTensor, concatTensors } from "./apply-tensor-op.ts";

const counting = (shape: readonly number[], dtype: TensorDtype = "float32"): Tensor =>
  tensorOf(
    dtype,
    shape,
    Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, index) => index),
  );
const numbers = ({ data }: Tensor): number[] => [...data].map(Number);

describe("tensor operations", () => {
  test.each<[TensorOpDeclaration, number[], number[]]>([
    [{ reshape: [3, -1] }, [3, 2], [0, 1, 2, 3, 4, 5]],
    [{ transpose: [1, 0] }, [3, 2], [0, 3, 1, 4, 2, 5]],
    [{ unsqueeze: -1 }, [2, 3, 1], [0, 1, 2, 3, 4, 5]],
    [{ tile: [1, 2] }, [2, 6], [0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5]],
    [{ slice: { axis: 1, start: -2 } }, [2, 2], [1, 2, 4, 5]],
    [{ slice: { axis: 0, start: 0, end: 1 } }, [1, 3], [0, 1, 2]],
    [{ scale: 2, offset: -1 }, [2, 3], [-1, 1, 3, 5, 7, 9]],
    [{ clamp: [1, 4] }, [2, 3], [1, 1, 2, 3, 4, 4]],
    [{ cast: "int64" }, [2, 3], [0, 1, 2, 3, 4, 5]],
  ])("%j on [2, 3] gives what NumPy gives", (op, shape, values) => {
    const result = applyTensorOp(op, counting([2, 3]));
    expect(result.shape).toEqual(shape);
    expect(numbers(result)).toEqual(values);
  });

  test("expand repeats axes of length 1, and squeeze removes one", () => {
    const wide = applyTensorOp({ expand: [2, 3] }, counting([2, 1]));
    expect([wide.shape, numbers(wide)]).toEqual([
      [2, 3],
      [0, 0, 0, 1, 1, 1],
    ]);
    expect(applyTensorOp({ squeeze: 1 }, counting([2, 1])).shape).toEqual([2]);
  });

  test("parts are joined along any axis, 64-bit integers too", () => {
    const joined = concatTensors([counting([2, 1], "int64"), counting([2, 2], "int64")], 1);
    expect([joined.shape, numbers(joined)]).toEqual([
      [2, 3],
      [0, 0, 1, 1, 2, 3],
    ]);
  });

  test("a cast cuts off towards zero, stays within the type, and makes 0 of NaN", () => {
    const floats = tensorOf("float32", [5], [-1.9, 2.9, 300, NaN, 0]);
    expect(numbers(castTensor(floats, "uint8"))).toEqual([0, 2, 255, 0, 0]);
    expect(numbers(castTensor(floats, "int32"))).toEqual([-1, 2, 300, 0, 0]);
    expect(numbers(castTensor(floats, "bool"))).toEqual([1, 1, 1, 1, 0]);
    expect([...floatsOf(castTensor(tensorOf("float32", [2], [0.5, -3]), "float16"))]).toEqual([0.5, -3]);
  });

  test("what is planned is what comes out, for every shape and every operation that is allowed on it", () => {
    const axis = fc.integer({ min: -4, max: 3 });
    const op: fc.Arbitrary<TensorOpDeclaration> = fc.oneof(
      fc.record({ reshape: fc.array(fc.constantFrom(-1, 1, 2, 3, 4, 6), { maxLength: 3 }) }),
      fc.record({ transpose: fc.shuffledSubarray([0, 1, 2]) }),
      fc.record({ squeeze: axis }),
      fc.record({ unsqueeze: axis }),
      fc.record({ expand: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }) }),
      fc.record({ tile: fc.array(fc.integer({ min: 1, max: 2 }), { maxLength: 3 }) }),
      fc.record({
        slice: fc.record({ axis, start: fc.integer({ min: -4, max: 4 }), end: fc.option(axis, { nil: undefined }) }),
      }),
      fc.record({ cast: fc.constantFrom<TensorDtype>("float16", "int64", "uint8") }),
    );
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }), op, (shape, each) => {
        const planned = signatureAfter(each, { dtype: "float32", shape });
        if ("refused" in planned) return;
        const { dtype, shape: found, data } = applyTensorOp(each, counting(shape));
        expect({ dtype, shape: found }).toEqual(planned);
        expect(data.length).toBe(found.reduce((product, length) => product * length, 1));
      }),
    );
  });

  test("what cannot be is refused with what it would take", () => {
    const signature = { dtype: "int32" as const, shape: [2, "any" as const] };
    const refusal = (each: TensorOpDeclaration): string => JSON.stringify(signatureAfter(each, signature));
    expect(refusal({ reshape: [2] })).toMatch(/every axis has a known length/);
    expect(refusal({ scale: 2, offset: 0 })).toMatch(/cast before/);
    expect(refusal({ slice: { axis: 1, start: 0 } })).toMatch(/known length/);
    expect(refusal({ transpose: [0] })).toMatch(/each axis from 0 to 1 once/);
    expect(joinedSignature([signature, { dtype: "int32", shape: [3, 2] }], 1)).toHaveProperty("refused");
    expect(joinedSignature([signature, { dtype: "int32", shape: [2, 2] }], -1)).toEqual({
      dtype: "int32",
      shape: [2, "any"],
    });
  });
});
