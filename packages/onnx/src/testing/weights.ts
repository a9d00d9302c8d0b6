import { randomStream } from "@dreamloop/core";
import { elementCount } from "../manifest/tensor.ts";
import type { OnnxInitializer } from "./model-writer.ts";

/** A weight matrix of normally distributed numbers, the same each time. */
export function normalWeight(name: string, shape: readonly number[], deviation: number): OnnxInitializer {
  const data = new Float32Array(elementCount(shape));
  randomStream({ seed: 0, step: 0, stream: `toy.${name}` }).fillNormal(data);
  return { name, dtype: "float32", shape, data: data.map((value) => value * deviation) };
}

/** A weight with given numbers. */
export function floatWeight(name: string, shape: readonly number[], values: readonly number[]): OnnxInitializer {
  return { name, dtype: "float32", shape, data: Float32Array.from(values) };
}

/** A constant of whole numbers, such as the axes of an operator. */
export function integerWeight(name: string, values: readonly number[]): OnnxInitializer {
  return { name, dtype: "int64", shape: [values.length], data: BigInt64Array.from(values.map(BigInt)) };
}
