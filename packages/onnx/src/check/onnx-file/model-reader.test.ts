import { isDreamloopError } from "@dreamloop/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readOnnxModel } from "./model-reader.ts";
import { writeOnnxModel } from "../../testing/model-writer.ts";
import { ProtobufWriter } from "../../testing/protobuf-writer.ts";

const model = writeOnnxModel({
  inputs: [
    { name: "x", dtype: "float32", shape: [1, "any", 3] },
    { name: "ids", dtype: "int64", shape: [] },
  ],
  outputs: [{ name: "y", dtype: "bfloat16", shape: [2] }],
  nodes: [{ op: "MatMul", inputs: ["x", "w"], outputs: ["y"], attributes: { note: "a", size: 3, sizes: [1, 2] } }],
  initializers: [
    { name: "w", dtype: "float32", shape: [3, 2], data: new Float32Array(6) },
    { name: "v", dtype: "float32", shape: [2], data: new Float32Array(2) },
  ],
  externalData: "weights.bin",
});

describe("readOnnxModel", () => {
  test("finds names, types and shapes of inputs and outputs", () => {
    const read = readOnnxModel(model.model);
    expect(read.inputs).toEqual([
      { name: "x", dtype: "float32", shape: [1, "any", 3] },
      { name: "ids", dtype: "int64", shape: [] },
    ]);
    expect(read.outputs).toEqual([{ name: "y", dtype: "bfloat16", shape: [2] }]);
    expect(read.opsets).toEqual({ "": 16 });
  });

  test("finds where the weights lie in other files", () => {
    expect(readOnnxModel(model.model).externalData).toEqual([
      { tensor: "w", location: "weights.bin", offset: 0, length: 24 },
      { tensor: "v", location: "weights.bin", offset: 24, length: 8 },
    ]);
    expect(model.external.length).toBe(32);
  });

  test("does not ask for inputs that have an initializer, as old exporters list them", () => {
    const both = writeOnnxModel({
      inputs: [
        { name: "x", dtype: "float32", shape: [1] },
        { name: "w", dtype: "float32", shape: [1] },
      ],
      outputs: [],
      nodes: [],
      initializers: [{ name: "w", dtype: "float32", shape: [1], data: new Float32Array(1) }],
    });
    expect(readOnnxModel(both.model).inputs.map(({ name }) => name)).toEqual(["x"]);
  });

  test("looks for external data in constants and in subgraphs too", () => {
    const entry = (key: string, value: string) => new ProtobufWriter().bytes(1, key).bytes(2, value);
    const tensor = new ProtobufWriter().bytes(8, "deep").bytes(13, entry("location", "../out.bin"));
    const constant = new ProtobufWriter().bytes(5, new ProtobufWriter().bytes(1, "value").bytes(5, tensor));
    const inner = new ProtobufWriter().bytes(1, constant);
    const node = new ProtobufWriter().bytes(5, new ProtobufWriter().bytes(1, "body").bytes(6, inner));
    const bytes = new ProtobufWriter().bytes(7, new ProtobufWriter().bytes(1, node)).finish();
    expect(readOnnxModel(bytes).externalData).toEqual([
      { tensor: "deep", location: "../out.bin", offset: 0, length: undefined },
    ]);
  });

  test("an unknown rank is no shape at all, and a negative length is an open one", () => {
    const shape = new ProtobufWriter().bytes(1, new ProtobufWriter().integer(1, -1)).bytes(1, new ProtobufWriter());
    const port = (name: string, type: ProtobufWriter) =>
      new ProtobufWriter().bytes(1, name).bytes(2, new ProtobufWriter().bytes(1, type));
    const graph = new ProtobufWriter()
      .bytes(11, port("a", new ProtobufWriter().integer(1, 1)))
      .bytes(11, port("b", new ProtobufWriter().integer(1, 99).bytes(2, shape)));
    expect(readOnnxModel(new ProtobufWriter().bytes(7, graph).finish()).inputs).toEqual([
      { name: "a", dtype: "float32", shape: undefined },
      { name: "b", dtype: "type 99", shape: ["any", "any"] },
    ]);
  });

  test("refuses what is no model, wherever it is cut", () => {
    for (let length = 0; length < model.model.length; length += 1) {
      try {
        readOnnxModel(model.model.subarray(0, length));
      } catch (error) {
        expect(isDreamloopError(error, "invalid_value")).toBe(true);
      }
    }
    expect(() => readOnnxModel(new Uint8Array())).toThrow(/expected a graph/);
  });

  test("never does anything but read or refuse arbitrary bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          readOnnxModel(bytes);
        } catch (error) {
          expect(isDreamloopError(error, "invalid_value")).toBe(true);
        }
      }),
    );
  });
});
