import { FAULT_CODES } from "../faults/fault.ts";
import { isFloatDtype, describeSignature, type Dimension, type TensorSignature } from "../manifest/tensor.ts";
import type { StateDeclaration, WorldManifest } from "../manifest/world-manifest.ts";
import type { FaultList } from "../faults/fault-list.ts";
import type { Target } from "./reference.ts";
import { excludes } from "./scope.ts";
import type { RunCondition } from "./world-plan.ts";

/** Watches over the states and frames that one step, or one start, writes. */
export class TargetChecker {
  readonly #manifest: WorldManifest;
  readonly #faults: FaultList;
  readonly #frameCount: number;
  readonly #written = new Map<string, RunCondition[]>();

  /** `frameCount` is how many frames the step has to give; 0 where it gives none. */
  constructor(manifest: WorldManifest, faults: FaultList, frameCount: number) {
    this.#manifest = manifest;
    this.#faults = faults;
    this.#frameCount = frameCount;
  }

  /** Names of what has been written, `frames` among them. */
  get written(): readonly string[] {
    return [...this.#written.keys()];
  }

  /** Notes a fault when a tensor of this signature may not go to `target`. */
  check(target: Target, signature: TensorSignature, path: string, condition: RunCondition): void {
    if (target.kind === "value") return;
    if (target.kind === "frames") this.#checkFrames(signature, path);
    else if (!this.#checkState(target.name, signature, path)) return;
    this.#once(target.kind === "frames" ? "frames" : `state:${target.name}`, path, condition);
  }

  #once(key: string, path: string, condition: RunCondition): void {
    const before = this.#written.get(key) ?? [];
    if (before.some((other) => !excludes(other, condition))) {
      this.#faults.add({
        code: FAULT_CODES.reference,
        path,
        expected: `${key} written once in a step`,
        found: "a second time",
        mend: 'Write it in one item, or let the items exclude each other by "when" and "unless".',
      });
    }
    this.#written.set(key, [...before, condition]);
  }

  #checkState(name: string, signature: TensorSignature, path: string): boolean {
    const declared = this.#manifest.state;
    const state = Object.hasOwn(declared, name) ? declared[name] : undefined;
    if (state === undefined) {
      this.#faults.addUnknown({
        code: FAULT_CODES.reference,
        path,
        what: "a state tensor",
        name,
        known: Object.keys(declared),
      });
      return false;
    }
    const expected = { dtype: state.dtype, shape: writtenShape(state) };
    const fits =
      signature.dtype === expected.dtype &&
      signature.shape.length === expected.shape.length &&
      expected.shape.every((length, axis) => length === "any" || length === signature.shape[axis]);
    if (!fits) {
      this.#faults.add({
        code: FAULT_CODES.referenceType,
        path,
        expected: describeSignature(expected),
        found: describeSignature(signature),
        mend: `Correct the shape of the state ${JSON.stringify(name)} or of the output.`,
      });
    }
    return true;
  }

  #checkFrames(signature: TensorSignature, path: string): void {
    const { video } = this.#manifest;
    const isFloat = video.range !== "full";
    const dtype = isFloat ? "float32 or float16" : "uint8";
    if (isFloat ? !isFloatDtype(signature.dtype) : signature.dtype !== "uint8") {
      this.#faults.add({
        code: FAULT_CODES.frames,
        path,
        expected: `${dtype}, as video.range is ${JSON.stringify(video.range)}`,
        found: signature.dtype,
        mend: "Correct video.range, or convert in the graph.",
      });
    }
    const { width, height, layout } = video;
    const axes: Readonly<Record<string, number>> = { t: this.#frameCount, c: 3, h: height, w: width };
    const expected = [...layout].map((axis) => axes[axis]);
    if (!sameButOnes(expected, signature.shape)) {
      this.#faults.add({
        code: FAULT_CODES.frames,
        path,
        expected: `[${expected.join(", ")}] for ${this.#frameCount} RGB frame(s) of ${width}×${height} in the layout ${layout}, axes of length 1 aside`,
        found: describeSignature(signature),
        mend: "Correct video.width, height, layout or framesPerStep, or the output's shape.",
      });
    }
  }
}

/** What a graph has to give to a state: the whole tensor, or entries along the axis. */
function writtenShape(state: StateDeclaration): readonly Dimension[] {
  if (state.update === "replace") return state.shape;
  return state.shape.map((length, axis) => (axis === state.axis ? "any" : length));
}

function sameButOnes(expected: readonly number[], found: readonly Dimension[]): boolean {
  const long = (shape: readonly Dimension[]): string => shape.filter((length) => length !== 1).join();
  return long(expected) === long(found);
}
