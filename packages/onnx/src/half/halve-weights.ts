import { float16Bits } from "../manifest/float16.ts";
import { castNode, FLOAT16, FLOAT32, GRAPH, HALF_SUFFIX, TENSOR, textOf, withGraph } from "./onnx-fields.ts";
import {
  bytesField,
  fieldNumber,
  fieldString,
  integerField,
  joined,
  rawFields,
  type RawField,
} from "./protobuf-edit.ts";

/** Elements from which on a weight is stored in 16 bits; smaller ones, such as scales, are not worth their error. */
export const MIN_HALVED_ELEMENTS = 64;

/** The largest number that 16 bits hold; a weight with a larger one stays as it is. */
const LARGEST = 65_504;

/** Alignment of weights in a file. */
const ALIGNMENT = 64;

/** A bundle's graphs and the files of their weights, by path. */
export interface GraphFiles {
  /** `.onnx` files. */
  readonly models: Readonly<Record<string, Uint8Array>>;
  /** Files of external data. */
  readonly weights: Readonly<Record<string, Uint8Array>>;
}

/** A stretch of a file that holds one weight. */
interface Stretch {
  readonly offset: number;
  readonly length: number;
  readonly isFloat: boolean;
}

/** Where a stretch of a file of weights lies afterwards. */
interface Moved {
  readonly offset: number;
  readonly length: number;
  readonly isHalf: boolean;
}

/**
 * Stores the large weights of graphs in 16 bits: each is followed by a node that converts it to 32 bits, in which everything is computed as before. Weights that
 * several graphs share stay shared. `besides` gives the path of external data from that of a graph and the location it names.
 */
export function halveWeights(
  { models, weights }: GraphFiles,
  besides: (model: string, location: string) => string,
): GraphFiles {
  const stretches = new Map<string, Map<string, Stretch>>();
  for (const [path, model] of Object.entries(models)) {
    for (const tensor of tensorsOf(model)) {
      const external = externalOf(tensor.fields);
      if (external === undefined) continue;
      const file = besides(path, external.location);
      const bytes = weights[file] ?? new Uint8Array();
      const length = external.length ?? bytes.length - external.offset;
      const known = stretches.get(file) ?? new Map<string, Stretch>();
      stretches.set(file, known);
      const key = `${external.offset}+${length}`;
      const isFloat = tensor.type === FLOAT32 && canBeHalf(floatsIn(bytes, external.offset, length));
      known.set(key, { offset: external.offset, length, isFloat: isFloat && (known.get(key)?.isFloat ?? true) });
    }
  }
  const moved = new Map<string, Map<string, Moved>>();
  const halved: Record<string, Uint8Array> = {};
  for (const [file, bytes] of Object.entries(weights)) {
    const { content, places } = packed(bytes, [...(stretches.get(file)?.values() ?? [])]);
    halved[file] = content;
    moved.set(file, places);
  }
  const rewritten = Object.entries(models).map(([path, model]) => [
    path,
    halveModel(model, (location, offset, length) => {
      const file = besides(path, location);
      return moved.get(file)?.get(`${offset}+${length ?? (weights[file]?.length ?? 0) - offset}`);
    }),
  ]);
  return { models: Object.fromEntries(rewritten) as Record<string, Uint8Array>, weights: halved };
}

function packed(
  bytes: Uint8Array,
  stretches: readonly Stretch[],
): { readonly content: Uint8Array; readonly places: Map<string, Moved> } {
  const parts: Uint8Array[] = [];
  const places = new Map<string, Moved>();
  let at = 0;
  for (const { offset, length, isFloat } of [...stretches].sort((a, b) => a.offset - b.offset || a.length - b.length)) {
    const part = isFloat ? halfBytes(floatsIn(bytes, offset, length)) : bytes.slice(offset, offset + length);
    const gap = (ALIGNMENT - (at % ALIGNMENT)) % ALIGNMENT;
    parts.push(new Uint8Array(gap), part);
    at += gap;
    places.set(`${offset}+${length}`, { offset: at, length: part.length, isHalf: isFloat });
    at += part.length;
  }
  return { content: joined(parts), places };
}

function halveModel(
  model: Uint8Array,
  movedTo: (location: string, offset: number, length: number | undefined) => Moved | undefined,
): Uint8Array {
  return withGraph(model, (graph) => {
    // Old exporters list initializers among the inputs: those may be fed, and stay.
    const inputs = new Set(
      graph.filter(({ number }) => number === GRAPH.input).map(({ content }) => textOf(rawFields(content), 1)),
    );
    const casts: Uint8Array[] = [];
    const fields = graph.map((field) => {
      if (field.number !== GRAPH.initializer) return field.raw;
      const tensor = rawFields(field.content);
      const name = textOf(tensor, TENSOR.name);
      const external = externalOf(tensor);
      const place = external === undefined ? undefined : movedTo(external.location, external.offset, external.length);
      const inline = external === undefined && typeOf(tensor) === FLOAT32 ? inlineFloats(tensor) : undefined;
      const isHalf = !inputs.has(name) && (place?.isHalf === true || (inline !== undefined && canBeHalf(inline)));
      const edited = tensor.flatMap((each): readonly Uint8Array[] => {
        if (each.number === TENSOR.external && place !== undefined) return [movedEntry(each, place)];
        if (!isHalf) return [each.raw];
        if (each.number === TENSOR.type) return [integerField(TENSOR.type, FLOAT16)];
        if (each.number === TENSOR.name) return [bytesField(TENSOR.name, `${name}${HALF_SUFFIX}`)];
        if (each.number === TENSOR.raw || each.number === TENSOR.floats) return [];
        return [each.raw];
      });
      if (isHalf) casts.push(castNode(`${name}${HALF_SUFFIX}`, name, FLOAT32));
      if (isHalf && inline !== undefined) edited.push(bytesField(TENSOR.raw, halfBytes(inline)));
      return bytesField(GRAPH.initializer, joined(edited));
    });
    return [...casts, ...fields];
  });
}

function movedEntry(field: RawField, { offset, length }: Moved): Uint8Array {
  const entry = rawFields(field.content);
  const key = textOf(entry, 1);
  if (key === "offset") return pair(key, `${offset}`);
  if (key === "length") return pair(key, `${length}`);
  return key === "checksum" ? new Uint8Array() : field.raw;
}

function pair(key: string, value: string): Uint8Array {
  return bytesField(TENSOR.external, joined([bytesField(1, key), bytesField(2, value)]));
}

interface TensorFields {
  readonly type: number;
  readonly fields: readonly RawField[];
}

function tensorsOf(model: Uint8Array): readonly TensorFields[] {
  const graph = rawFields(model).find(({ number }) => number === 7);
  return rawFields(graph?.content ?? new Uint8Array())
    .filter(({ number }) => number === GRAPH.initializer)
    .map(({ content }) => ({ fields: rawFields(content), type: typeOf(rawFields(content)) }));
}

function typeOf(tensor: readonly RawField[]): number {
  const field = tensor.find(({ number }) => number === TENSOR.type);
  return field === undefined ? 0 : fieldNumber(field);
}

function externalOf(
  tensor: readonly RawField[],
): { readonly location: string; readonly offset: number; readonly length: number | undefined } | undefined {
  const entries = new Map(
    tensor
      .filter(({ number }) => number === TENSOR.external)
      .map(({ content }) => [textOf(rawFields(content), 1), textOf(rawFields(content), 2)]),
  );
  const location = entries.get("location");
  if (location === undefined) return undefined;
  const length = entries.get("length");
  return {
    location,
    offset: Number(entries.get("offset") ?? 0),
    length: length === undefined ? undefined : Number(length),
  };
}

/** The floats of a tensor whose elements stand in the model itself. */
function inlineFloats(tensor: readonly RawField[]): Float32Array | undefined {
  const raw = tensor.find(({ number }) => number === TENSOR.raw);
  if (raw !== undefined) return floatsIn(raw.content, 0, raw.content.length);
  const floats = tensor.filter(({ number }) => number === TENSOR.floats).map(({ content }) => content);
  const bytes = joined(floats);
  return bytes.length === 0 ? undefined : floatsIn(bytes, 0, bytes.length);
}

/** A copy, since elements have to be aligned. */
function floatsIn(bytes: Uint8Array, offset: number, length: number): Float32Array {
  const whole = Math.floor(length / 4) * 4;
  return new Float32Array(bytes.slice(offset, offset + whole).buffer);
}

function canBeHalf(values: Float32Array): boolean {
  return values.length >= MIN_HALVED_ELEMENTS && values.every((value) => Math.abs(value) <= LARGEST);
}

function halfBytes(values: Float32Array): Uint8Array {
  const halves = Uint16Array.from(values, float16Bits);
  return new Uint8Array(halves.buffer);
}

/** The text of every string field of a number, in order. */
export function textsOf(fields: readonly RawField[], number: number): readonly string[] {
  return fields.filter((field) => field.number === number).map(fieldString);
}
