/** World bundles on ONNX Runtime, in Node: the public interface of `@dreamloop/onnx` and of its Node engine. */
export * from "@dreamloop/onnx";
export * from "@dreamloop/onnx/node";
