import { castNode, FLOAT16, FLOAT32, GRAPH, HALF_SUFFIX, NODE, TENSOR, textOf, withGraph } from "./onnx-fields.ts";
import { textsOf } from "./halve-weights.ts";
import { bytesField, fieldNumber, joined, rawFields, type RawField } from "./protobuf-edit.ts";

/** Operators that take most of the time, and whose weights are those that are stored in 16 bits. */
const HEAVY_OPERATORS: ReadonlySet<string> = new Set(["Conv", "ConvTranspose", "Gemm", "MatMul"]);

/**
 * Makes a graph whose weights are stored in 16 bits compute with them: products and convolutions with such a weight take their other inputs in 16 bits too, and give
 * their results back in 32. Everything else stays in 32 bits, sums over many elements among it. A graph without such weights stays as it is.
 */
export function computeInHalf(model: Uint8Array): Uint8Array {
  return withGraph(model, (graph) => {
    const halves = halfWeights(graph);
    return graph.flatMap((field) => {
      if (field.number !== GRAPH.node) return [field.raw];
      const node = rawFields(field.content);
      const inputs = textsOf(node, NODE.input);
      const isHeavy = HEAVY_OPERATORS.has(textOf(node, NODE.type)) && inputs.some((name) => halves.has(name));
      return isHeavy ? inHalf(node, halves) : [field.raw];
    });
  });
}

/** Weights in 32 bits that are made of weights in 16 bits, by their names. */
function halfWeights(graph: readonly RawField[]): ReadonlySet<string> {
  const stored = new Set(
    graph
      .filter(({ number }) => number === GRAPH.initializer)
      .map(({ content }) => rawFields(content))
      .filter((tensor) => tensor.some((field) => field.number === TENSOR.type && fieldNumber(field) === FLOAT16))
      .map((tensor) => textOf(tensor, TENSOR.name)),
  );
  const casts = graph
    .filter(({ number }) => number === GRAPH.node)
    .map(({ content }) => rawFields(content))
    .filter((node) => textOf(node, NODE.type) === "Cast");
  return new Set(
    casts.flatMap((node) => {
      const input = textOf(node, NODE.input);
      const output = textOf(node, NODE.output);
      return stored.has(input) && input === `${output}${HALF_SUFFIX}` ? [output] : [];
    }),
  );
}

/** A node with conversions of its other inputs before it, and of its result behind it. */
function inHalf(node: readonly RawField[], halves: ReadonlySet<string>): readonly Uint8Array[] {
  const output = textOf(node, NODE.output);
  const before: Uint8Array[] = [];
  let index = 0;
  const fields = node.map((field) => {
    if (field.number === NODE.output) return bytesField(NODE.output, `${output}${HALF_SUFFIX}`);
    if (field.number !== NODE.input) return field.raw;
    const name = textOf([field], NODE.input);
    index += 1;
    // An optional input that is left out.
    if (name === "") return field.raw;
    if (halves.has(name)) return bytesField(NODE.input, `${name}${HALF_SUFFIX}`);
    const converted = `${output}__input${index}${HALF_SUFFIX}`;
    before.push(castNode(name, converted, FLOAT16));
    return bytesField(NODE.input, converted);
  });
  return [...before, bytesField(GRAPH.node, joined(fields)), castNode(`${output}${HALF_SUFFIX}`, output, FLOAT32)];
}
