import { FAULT_CODES } from "../faults/fault.ts";
import {
  describeSignature,
  elementCount,
  isFixedShape,
  TENSOR_DTYPES,
  type TensorDtype,
  type TensorSignature,
} from "../manifest/tensor.ts";
import type { WorldManifest } from "../manifest/world-manifest.ts";
import type { FaultList } from "../faults/fault-list.ts";
import { RUNTIME_COUNTERS, STATE_PROPERTIES, type Source } from "./reference.ts";

/** The largest whole number up to which every one of them can be told apart. */
const LARGEST_COUNT: Readonly<Record<TensorDtype, number>> = {
  float32: 16_777_216,
  float16: 2048,
  uint8: 255,
  int8: 127,
  int32: 2_147_483_647,
  int64: Number.MAX_SAFE_INTEGER,
  bool: 1,
};

type Counter = Extract<Source, { readonly kind: "state_property" | "runtime" }>;

/** Whether a fact about a state tensor fits where it is used; notes a fault if not. */
export function checkStateProperty(
  source: Extract<Source, { readonly kind: "state_property" }>,
  needed: TensorSignature,
  path: string,
  states: WorldManifest["state"],
  faults: FaultList,
): boolean {
  const state = states[source.name];
  if (state?.update !== "append") {
    faults.add({
      code: FAULT_CODES.reference,
      path,
      expected: "a state tensor with update append",
      found: `${JSON.stringify(source.name)}, which is replaced`,
      mend: "Only appended state has a length and positions.",
    });
    return false;
  }
  const places = state.window + state.sink;
  switch (source.property) {
    case STATE_PROPERTIES.length:
      return checkBounded(source, Math.max(places, state.fullLimit ?? 0), needed, path, faults);
    case STATE_PROPERTIES.position:
      return checkBounded(source, Infinity, needed, path, faults);
    default:
      break;
  }
  const { extend = 0 } = source;
  const entries = state.padding === "zeros" ? places + extend : undefined;
  const fits =
    entries === undefined
      ? needed.shape.filter((length) => length === "any").length === 1 &&
        needed.shape.every((length) => length === "any" || length === 1)
      : isFixedShape(needed.shape) && elementCount(needed.shape) === entries;
  if (!fits) {
    const found =
      entries === undefined
        ? 'one number for each valid entry, so one axis is "any" and the others have length 1'
        : `one number for each of ${entries} places`;
    addTypeFault(faults, path, needed, found);
    return false;
  }
  return source.property === STATE_PROPERTIES.mask || checkRange(source, Infinity, needed, path, faults);
}

/** Whether a counter of the runtime fits where it is used; notes a fault if not. */
export function checkRuntimeCounter(
  source: Extract<Source, { readonly kind: "runtime" }>,
  needed: TensorSignature,
  path: string,
  faults: FaultList,
): boolean {
  return checkBounded(source, Infinity, needed, path, faults);
}

/** Whether a single number fits, into anything but truth values; notes a fault if not. */
export function checkSingle(needed: TensorSignature, path: string, faults: FaultList): boolean {
  const fits = isFixedShape(needed.shape) && elementCount(needed.shape) === 1;
  if (fits && needed.dtype !== TENSOR_DTYPES.bool) return true;
  addTypeFault(faults, path, needed, "a single number");
  return false;
}

/** Notes that something of another type or shape is needed. */
export function addTypeFault(faults: FaultList, path: string, needed: TensorSignature, found: string): void {
  faults.add({
    code: FAULT_CODES.referenceType,
    path,
    expected: describeSignature(needed),
    found,
    mend: "Correct the declaration that is wrong, or refer to something else.",
  });
}

function checkBounded(
  source: Counter,
  largest: number,
  needed: TensorSignature,
  path: string,
  faults: FaultList,
): boolean {
  if (!checkRange(source, largest, needed, path, faults)) return false;
  // A position, or the index of a frame, that is fed to several elements counts on from one to the next.
  const countsOn =
    source.kind === "runtime" ? source.counter === RUNTIME_COUNTERS.frameIndex : source.property === "position";
  const isRow = isFixedShape(needed.shape) && needed.dtype !== TENSOR_DTYPES.bool;
  return (countsOn && isRow) || checkSingle(needed, path, faults);
}

function checkRange(
  source: Counter,
  largest: number,
  needed: TensorSignature,
  path: string,
  faults: FaultList,
): boolean {
  const reached = source.modulo === undefined ? largest : Math.min(largest, source.modulo - 1);
  const limit = LARGEST_COUNT[needed.dtype];
  if (reached <= limit || (reached === Infinity && needed.dtype === TENSOR_DTYPES.int64)) return true;
  faults.add({
    code: FAULT_CODES.counterRange,
    path,
    expected: `a counter of at most ${limit}, the last number that ${needed.dtype} can count to`,
    found: reached === Infinity ? "a counter without an end" : `a counter up to ${reached}`,
    mend: 'Use int64 in the graph, or write {"from": …, "modulo": N} where the model repeats its positions.',
  });
  return false;
}
