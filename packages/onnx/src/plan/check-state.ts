import { FAULT_CODES } from "../faults/fault.ts";
import { elementCount, isFloatDtype } from "../manifest/tensor.ts";
import type { AppendedStateDeclaration, ConstantDeclaration, WorldManifest } from "../manifest/world-manifest.ts";
import type { FaultList } from "../faults/fault-list.ts";

/** Notes faults in the declarations of states and constants. */
export function checkState(manifest: WorldManifest, faults: FaultList): void {
  for (const [name, constant] of Object.entries(manifest.constants))
    checkConstant(constant, `constants.${name}`, faults);
  for (const [name, state] of Object.entries(manifest.state)) {
    const path = `state.${name}`;
    if (state.update === "append") checkAppended(state, path, faults);
    else if (typeof state.initial === "string") {
      checkInitial(state.initial, state, `${path}.initial`, manifest.constants, faults);
    } else if (!isFloatDtype(state.dtype) && !Number.isSafeInteger(state.initial)) {
      faults.add({
        code: FAULT_CODES.invalidValue,
        path: `${path}.initial`,
        expected: "a whole number",
        found: String(state.initial),
        mend: "Correct the value.",
      });
    }
  }
}

function checkConstant(constant: ConstantDeclaration, path: string, faults: FaultList): void {
  if ((constant.data === undefined) === (constant.file === undefined)) {
    faults.add({
      code: FAULT_CODES.invalidValue,
      path,
      expected: "either data or file",
      found: constant.data === undefined ? "neither" : "both",
      mend: "Keep one of them.",
    });
  }
  const count = elementCount(constant.shape);
  if (constant.data !== undefined && constant.data.length !== count) {
    faults.add({
      code: FAULT_CODES.invalidValue,
      path: `${path}.data`,
      expected: `${count} numbers for the shape [${constant.shape.join(", ")}]`,
      found: String(constant.data.length),
      mend: "Correct the shape or the data.",
    });
  }
  if (!isFloatDtype(constant.dtype) && constant.data?.some((value) => !Number.isSafeInteger(value)) === true) {
    faults.add({
      code: FAULT_CODES.invalidValue,
      path: `${path}.data`,
      expected: "whole numbers",
      found: "a fraction",
      mend: "Correct the data or the dtype.",
    });
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
    faults.addUnknown({ code: FAULT_CODES.reference, path, what: "a constant", name, known: Object.keys(constants) });
  } else if (constant.dtype !== state.dtype || constant.shape.join() !== state.shape.join()) {
    faults.add({
      code: FAULT_CODES.referenceType,
      path,
      expected: `${state.dtype}[${state.shape.join(", ")}]`,
      found: `${constant.dtype}[${constant.shape.join(", ")}]`,
      mend: "Give both the same type and shape.",
    });
  }
}

function checkAppended(state: AppendedStateDeclaration, path: string, faults: FaultList): void {
  const places = state.window + state.sink;
  const length = state.shape[state.axis];
  const openAxes = state.shape.filter((axisLength, axis) => axisLength === "any" && axis !== state.axis).length;
  const expected = state.padding === "zeros" ? places : "any";
  if (length === undefined) {
    faults.add({
      code: FAULT_CODES.invalidValue,
      path: `${path}.axis`,
      expected: `an axis of the shape, 0 to ${state.shape.length - 1}`,
      found: String(state.axis),
      mend: "Correct the axis or the shape.",
    });
  } else if (length !== expected || openAxes > 0) {
    faults.add({
      code: FAULT_CODES.invalidValue,
      path: `${path}.shape`,
      expected:
        state.padding === "zeros"
          ? `window + sink = ${places} along axis ${state.axis} and numbers elsewhere`
          : `"any" along axis ${state.axis} and numbers elsewhere`,
      found: `[${state.shape.join(", ")}]`,
      mend: "Correct the shape, the window, the sink or the padding.",
    });
  }
  if (state.padding === "none" && state.align !== "end") {
    faults.add({
      code: FAULT_CODES.invalidValue,
      path: `${path}.align`,
      expected: "no align beside padding none",
      found: state.align,
      mend: "Remove it: without padding there is nothing to align.",
    });
  }
  if (state.fullLimit !== undefined && (state.padding !== "none" || state.fullLimit < places)) {
    faults.add({
      code: FAULT_CODES.invalidValue,
      path: `${path}.fullLimit`,
      expected: `at least window + sink = ${places}, with padding none`,
      found: String(state.fullLimit),
      mend: "Only a graph whose cache axis is open can keep everything.",
    });
  }
}
