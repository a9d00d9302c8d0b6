import type { Dimension } from "../manifest/tensor.ts";
import { ONNX_ELEMENT_TYPES } from "../manifest/element-types.ts";
import type { OnnxModelInput, OnnxNode, OnnxPort } from "./model-writer.ts";
import { integerWeight } from "./weights.ts";

type DeclaredPorts = Readonly<Record<string, { readonly dtype: string; readonly shape: readonly Dimension[] }>>;

/**
 * A model with a declared interface and no network behind it: every element of every output is the tanh of the sum of the
 * inputs' means. With it the wiring of a manifest can be tried before there is a model. Open axes of outputs have length 1.
 */
export function standInModel(declared: {
  readonly inputs: DeclaredPorts;
  readonly outputs: DeclaredPorts;
}): OnnxModelInput {
  const inputs = portsOf(declared.inputs);
  const outputs = portsOf(declared.outputs);
  const means = inputs.flatMap(({ name }): OnnxNode[] => [
    { op: "Cast", inputs: [name], outputs: [`float_${name}`], attributes: { to: numberOf("float32") } },
    { op: "ReduceMean", inputs: [`float_${name}`], outputs: [`mean_${name}`], attributes: { keepdims: 0 } },
  ]);
  const spread = outputs.flatMap(({ name, dtype }): OnnxNode[] => [
    { op: "Expand", inputs: ["bounded", `shape_${name}`], outputs: [`spread_${name}`] },
    { op: "Cast", inputs: [`spread_${name}`], outputs: [name], attributes: { to: numberOf(dtype) } },
  ]);
  return {
    inputs,
    outputs,
    nodes: [
      ...means,
      { op: "Sum", inputs: inputs.map(({ name }) => `mean_${name}`), outputs: ["sum"] },
      { op: "Tanh", inputs: ["sum"], outputs: ["bounded"] },
      ...spread,
    ],
    initializers: outputs.map(({ name, shape }) =>
      integerWeight(
        `shape_${name}`,
        shape.map((length) => (length === "any" ? 1 : length)),
      ),
    ),
  };
}

function portsOf(declared: DeclaredPorts): readonly OnnxPort[] {
  return Object.entries(declared).map(([name, { dtype, shape }]) => ({ name, dtype, shape }));
}

function numberOf(dtype: string): number {
  return ONNX_ELEMENT_TYPES.indexOf(dtype);
}
