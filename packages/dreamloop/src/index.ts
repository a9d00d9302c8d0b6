/**
 * What someone needs who writes a world or runs one from a program: the public interface of `@dreamloop/core`. The other packages are
 * `dreamloop/node`, `dreamloop/outputs`, `dreamloop/worlds`, `dreamloop/onnx`, `dreamloop/server`, `dreamloop/client`, `dreamloop/protocol` and `dreamloop/testing`.
 */
export * from "@dreamloop/core";
