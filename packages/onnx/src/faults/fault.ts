import { DreamloopError, ERROR_CODES } from "@dreamloop/core";

/** Name of the manifest within a bundle: the file that most faults are in. */
export const MANIFEST_FILE = "world.json";

/** The stable names of what can be wrong with a bundle. */
export const FAULT_CODES = {
  /** There is no `world.json`. */
  manifestMissing: "manifest_missing",
  /** A file that has to be JSON is not, or is too large to be read. */
  notJson: "not_json",
  /** The manifest is of another version of the format. */
  formatVersion: "format_version",
  /** A key that the format does not know. */
  unknownKey: "unknown_key",
  /** A key that has to be there is not. */
  missingKey: "missing_key",
  /** A value of the wrong type or out of range. */
  invalidValue: "invalid_value",
  /** A precision or element type that the engine does not compute with. */
  unsupportedPrecision: "unsupported_precision",
  /** A path that leads out of the bundle or is not written as it has to be. */
  pathUnsafe: "path_unsafe",
  /** A file that is named does not exist. */
  fileMissing: "file_missing",
  /** A file is named that `files` does not list. */
  fileUnlisted: "file_unlisted",
  /** A file has another size than `files` says. */
  fileSize: "file_size",
  /** An `.onnx` file is larger than 1 MiB, so its weights are not external data. */
  graphTooLarge: "graph_too_large",
  /** An `.onnx` file cannot be read. */
  graphUnreadable: "graph_unreadable",
  /** The graph has an input or output that the manifest lacks, or the other way round. */
  graphPort: "graph_port",
  /** An input or output has another element type in the graph than in the manifest. */
  graphDtype: "graph_dtype",
  /** An input or output has another shape in the graph than in the manifest. */
  graphShape: "graph_shape",
  /** The graph draws random numbers of its own, so that no run of it can be repeated. */
  randomOperator: "random_operator",
  /** A graph gave other numbers for the same inputs. */
  notRepeatable: "not_repeatable",
  /** The graph is of a version of the operator set, or of a set, that the engine does not run. */
  opset: "opset",
  /** A key stands twice in one object. */
  duplicateKey: "duplicate_key",
  /** Weights, constants and states need more memory than there is. */
  memory: "memory",
  /** External data lie outside of their file. */
  externalData: "external_data",
  /** A reference names something that does not exist, or not at this point. */
  reference: "reference",
  /** A reference leads to a tensor of another type or shape than is needed. */
  referenceType: "reference_type",
  /** A counter would leave the range of its element type. */
  counterRange: "counter_range",
  /** Frames are missing, or not of the declared size. */
  frames: "frames",
  /** A schedule or sampler setting cannot work. */
  sampler: "sampler",
  /** The domain is not known or does not fit. */
  domain: "domain",
  /** The neutral action is missing or is not neutral. */
  neutralAction: "neutral_action",
  /** A file's SHA-256 differs. */
  hash: "hash",
  /** The engine refuses a graph. */
  loadFailed: "load_failed",
  /** The warm-up step failed. */
  warmUp: "warm_up",
  /** The warm-up step gave NaN or infinity. */
  badFrame: "bad_frame",
  /** The first frames are not the reference frames. */
  referenceFrames: "reference_frames",
} as const;

/** One of `FAULT_CODES`. */
export type FaultCode = (typeof FAULT_CODES)[keyof typeof FAULT_CODES];

/** One thing that is wrong with a bundle: what was expected, what was found, how to mend it. */
export interface Fault {
  /** The stable name of the kind of fault. */
  readonly code: FaultCode;
  /** The file that the fault is in. */
  readonly file: string;
  /** Where in the manifest, such as `graphs.denoise.inputs.x.shape`, or `line 3, column 14` of what is no JSON; empty for the file as a whole. */
  readonly path: string;
  /** What was expected. */
  readonly expected: string;
  /** What was found. */
  readonly found: string;
  /** What to do. */
  readonly mend: string;
}

/** One fault as text: where, expected, found, mend. */
export function describeFault(fault: Fault): string {
  const place = fault.path === "" ? fault.file : `${fault.file}: ${fault.path}`;
  return `${place}: expected ${fault.expected}, found ${fault.found}. ${fault.mend} (${fault.code})`;
}

/** Faults that a message lists before the rest is only counted. */
export const LISTED_FAULTS = 20;

/** The first `LISTED_FAULTS` faults as lines of text, and a last line that counts the rest. */
export function faultLines(faults: readonly Fault[]): readonly string[] {
  const lines = faults.slice(0, LISTED_FAULTS).map(describeFault);
  if (faults.length > LISTED_FAULTS) lines.push(`and ${faults.length - LISTED_FAULTS} more`);
  return lines;
}

/** Every fault once, in order: one cause may be met in several places of the check. */
export function distinctFaults(faults: readonly Fault[]): readonly Fault[] {
  const seen = new Set<string>();
  return faults.filter((fault) => {
    const key = fault.code === FAULT_CODES.fileMissing ? `${fault.code} ${fault.file}` : JSON.stringify(fault);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** The error `bundle_invalid` with all faults in `details.faults` and the first few in its message. */
export function bundleError(location: string, found: readonly Fault[]): DreamloopError {
  const faults = distinctFaults(found);
  const lines = faultLines(faults).map((line) => `  ${line}`);
  const count = faults.length === 1 ? "1 fault" : `${faults.length} faults`;
  return new DreamloopError(ERROR_CODES.bundleInvalid, `world bundle ${location} has ${count}:\n${lines.join("\n")}`, {
    details: { faults },
  });
}
