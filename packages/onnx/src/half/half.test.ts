import { InferenceSession, Tensor } from "onnxruntime-node";
import { describe, expect, test } from "vitest";
import { besidePath } from "../manifest/bundle-files.ts";
import { readOnnxModel } from "../check/onnx-file/model-reader.ts";
import { writeOnnxModel, type OnnxModelInput } from "../testing/index.ts";
import { floatWeight, normalWeight } from "../testing/weights.ts";
import { computeInHalf } from "./compute-in-half.ts";
import { halveWeights, textsOf } from "./halve-weights.ts";
import { GRAPH, MODEL, NODE, textOf } from "./onnx-fields.ts";
import { rawFields } from "./protobuf-edit.ts";

const SIDE = 16;
const edge = { dtype: "float32", shape: [1, SIDE] } as const;

/** Multiplies with a large weight, and adds a small one. */
const product: OnnxModelInput = {
  inputs: [{ name: "x", ...edge }],
  outputs: [{ name: "y", ...edge }],
  nodes: [
    { op: "MatMul", inputs: ["x", "large"], outputs: ["product"] },
    { op: "Add", inputs: ["product", "small"], outputs: ["y"] },
  ],
  initializers: [normalWeight("large", [SIDE, SIDE], 1), floatWeight("small", [1], [0.1234567])],
};

const INPUT = Float32Array.from({ length: SIDE }, (_, index) => Math.fround(0.1 + index / 7));

/** Runs a model; without optimizations nothing takes conversions away that come to nothing on the processor. */
async function run(model: Uint8Array, weights: Readonly<Record<string, Uint8Array>> = {}): Promise<readonly number[]> {
  const session = await InferenceSession.create(model, {
    graphOptimizationLevel: "disabled",
    logSeverityLevel: 4,
    externalData: Object.entries(weights).map(([path, data]) => ({ path, data })),
  });
  const { y } = await session.run({ x: new Tensor("float32", INPUT, [1, SIDE]) });
  await session.release();
  return [...(y?.data as Float32Array)];
}

const apart = (one: readonly number[], other: readonly number[]): number =>
  Math.max(...one.map((value, index) => Math.abs(value - (other[index] ?? NaN))));

describe("N18: weights in 16 bits", () => {
  test("are half the size, within the model or beside it, and give what the rounded weights give", async () => {
    for (const externalData of [undefined, "shared.bin"]) {
      const written = writeOnnxModel({ ...product, ...(externalData === undefined ? {} : { externalData }) });
      const weights = externalData === undefined ? {} : { [externalData]: written.external };
      const halved = halveWeights({ models: { "a.onnx": written.model }, weights }, besidePath);
      const model = halved.models["a.onnx"] ?? new Uint8Array();
      const before = written.model.length + written.external.length;
      const after = model.length + (halved.weights["shared.bin"]?.length ?? 0);
      expect(before - after).toBeGreaterThan(SIDE * SIDE * 2 - 200);
      const expected = await run(written.model, weights);
      const found = await run(model, halved.weights);
      expect(apart(expected, found)).toBeGreaterThan(0);
      expect(apart(expected, found)).toBeLessThan(0.02);
      expect(readOnnxModel(model).inputs).toEqual(readOnnxModel(written.model).inputs);
    }
  });

  test("that several graphs share stay shared", async () => {
    const first = writeOnnxModel({ ...product, externalData: "shared.bin" });
    const models = { "a.onnx": first.model, "b.onnx": first.model };
    const halved = halveWeights({ models, weights: { "shared.bin": first.external } }, besidePath);
    expect(halved.models["b.onnx"]).toEqual(halved.models["a.onnx"]);
    expect(halved.weights["shared.bin"]?.length).toBeLessThan(first.external.length * 0.6);
    expect(await run(halved.models["b.onnx"] ?? new Uint8Array(), halved.weights)).toHaveLength(SIDE);
  });

  test("with a number that 16 bits do not hold stay as they are, and so do small ones and models without large ones", () => {
    const small = writeOnnxModel({
      ...product,
      initializers: [floatWeight("large", [1], [2]), floatWeight("small", [1], [3])],
    });
    const kept = halveWeights({ models: { "a.onnx": small.model }, weights: {} }, besidePath);
    expect(kept.models["a.onnx"]).toEqual(small.model);
    const huge = floatWeight(
      "large",
      [SIDE, SIDE],
      Array.from({ length: SIDE * SIDE }, () => 70_000),
    );
    const large = writeOnnxModel({ ...product, initializers: [huge, floatWeight("small", [1], [3])] });
    expect(halveWeights({ models: { "a.onnx": large.model }, weights: {} }, besidePath).models["a.onnx"]).toEqual(
      large.model,
    );
  });

  test("can be computed with: products take their inputs in 16 bits and give their results in 32, and nothing else changes", async () => {
    const written = writeOnnxModel(product);
    const halved = halveWeights({ models: { "a.onnx": written.model }, weights: {} }, besidePath).models["a.onnx"];
    const model = computeInHalf(halved ?? new Uint8Array());
    expect(nodesOf(model)).toEqual([
      "Cast(large__half) = large",
      "Cast(x) = product__input1__half",
      "MatMul(product__input1__half, large__half) = product__half",
      "Cast(product__half) = product",
      "Add(product, small) = y",
    ]);
    // ONNX Runtime checks the types of such a graph; on the processor it then computes it in 32 bits.
    expect(apart(await run(halved ?? new Uint8Array()), await run(model))).toBeLessThan(0.02);
    expect(computeInHalf(written.model)).toEqual(written.model);
  });
});

/** The nodes of a model in words. */
function nodesOf(model: Uint8Array): readonly string[] {
  const graph = rawFields(model).find(({ number }) => number === MODEL.graph);
  return rawFields(graph?.content ?? new Uint8Array())
    .filter(({ number }) => number === GRAPH.node)
    .map(({ content }) => rawFields(content))
    .map(
      (node) => `${textOf(node, NODE.type)}(${textsOf(node, NODE.input).join(", ")}) = ${textOf(node, NODE.output)}`,
    );
}
