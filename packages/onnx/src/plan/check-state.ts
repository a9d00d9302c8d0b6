import { FAULT_CODES } from "../check/fault.ts";
import { elementCount } from "../engine/tensor.ts";
import type { AppendedStateDeclaration, ConstantDeclaration, WorldManifest } from "../manifest/world-manifest.ts";
import type { FaultList } from "./fault-list.ts";

/** Notes faults in the declarations of states and constants. */
export function checkState(manifest: WorldManifest, faults: FaultList): void {
  for (const [name, constant] of Object.entries(manifest.constants))
    checkConstant(constant, `constants.${name}`, faults);
  for (const [name, state] of Object.entries(manifest.state)) {
    const path = `state.${name}`;
    if (state.update === "append") checkAppended(state, path, faults);
    else if (typeof state.initial === "string") {
      checkInitial(state.initial, state, `${path}.initial`, manifest.constants, faults);
    } else if (state.dtype !== "float32" && !Number.isSafeInteger(state.initial)) {
      faults.add(
        FAULT_CODES.invalidValue,
        `${path}.initial`,
        "a whole number",
        String(state.initial),
        "Correct the value.",
      );
    }
  }
}

function checkConstant(constant: ConstantDeclaration, path: string, faults: FaultList): void {
  if ((constant.data === undefined) === (constant.file === undefined)) {
    faults.add(
      FAULT_CODES.invalidValue,
      path,
      "either data or file",
      constant.data === undefined ? "neither" : "both",
      "Keep one of them.",
    );
  }
  const count = elementCount(constant.shape);
  if (constant.data !== undefined && constant.data.length !== count) {
    faults.add(
      FAULT_CODES.invalidValue,
      `${path}.data`,
      `${count} numbers for the shape [${constant.shape.join(", ")}]`,
      String(constant.data.length),
      "Correct the shape or the data.",
    );
  }
  if (constant.dtype !== "float32" && constant.data?.some((value) => !Number.isSafeInteger(value)) === true) {
    faults.add(
      FAULT_CODES.invalidValue,
      `${path}.data`,
      "whole numbers",
      "a fraction",
      "Correct the data or the dtype.",
    );
  }
}

function checkInitial(
  name: string,
  state: { readonly dtype: string; readonly shape: readonly number[] },
  path: string,
  constants: WorldManifest["constants"],
  faults: FaultList,
): void {
  const constant = Object.hasOwn(constants, name) ? constants[name] : undefined;
  if (constant === undefined) {
    faults.addUnknown(FAULT_CODES.reference, path, "a constant", name, Object.keys(constants));
  } else if (constant.dtype !== state.dtype || constant.shape.join() !== state.shape.join()) {
    faults.add(
      FAULT_CODES.referenceType,
      path,
      `${state.dtype}[${state.shape.join(", ")}]`,
      `${constant.dtype}[${constant.shape.join(", ")}]`,
      "Give both the same type and shape.",
    );
  }
}

function checkAppended(state: AppendedStateDeclaration, path: string, faults: FaultList): void {
  const places = state.window + state.sink;
  const length = state.shape[state.axis];
  const openAxes = state.shape.filter((axisLength, axis) => axisLength === "any" && axis !== state.axis).length;
  const expected = state.padding === "zeros" ? places : "any";
  if (length === undefined) {
    faults.add(
      FAULT_CODES.invalidValue,
      `${path}.axis`,
      `an axis of the shape, 0 to ${state.shape.length - 1}`,
      String(state.axis),
      "Correct the axis or the shape.",
    );
  } else if (length !== expected || openAxes > 0) {
    faults.add(
      FAULT_CODES.invalidValue,
      `${path}.shape`,
      state.padding === "zeros"
        ? `window + sink = ${places} along axis ${state.axis} and numbers elsewhere`
        : `"any" along axis ${state.axis} and numbers elsewhere`,
      `[${state.shape.join(", ")}]`,
      "Correct the shape, the window, the sink or the padding.",
    );
  }
  if (state.padding === "none" && state.align !== "end") {
    faults.add(
      FAULT_CODES.invalidValue,
      `${path}.align`,
      "no align beside padding none",
      state.align,
      "Remove it: without padding there is nothing to align.",
    );
  }
  if (state.fullLimit !== undefined && (state.padding !== "none" || state.fullLimit < places)) {
    faults.add(
      FAULT_CODES.invalidValue,
      `${path}.fullLimit`,
      `at least window + sink = ${places}, with padding none`,
      String(state.fullLimit),
      "Only a graph whose cache axis is open can keep everything.",
    );
  }
}
