import { type Fault, FAULT_CODES, type FaultCode } from "../faults/fault.ts";
import { besidePath, type BundleFiles, SMALL_FILE_BYTES, unsafePathReason } from "../manifest/bundle-files.ts";
import { REDUCED_PRECISION_TYPES } from "../manifest/element-types.ts";
import { describeSignature, type Dimension, type GraphPort } from "../manifest/tensor.ts";
import type { GraphDeclaration, PortDeclaration } from "../manifest/world-manifest.ts";
import { portName } from "../plan/graph-ports.ts";
import { type FileNaming, isListed } from "./check-files.ts";
import { type OnnxModel, readOnnxModel } from "./onnx-file/model-reader.ts";

/** Compares every graph's file with what the manifest says of it. Reads `.onnx` files of up to 1 MiB and no weights. */
export async function checkGraphs(files: BundleFiles, manifest: FileNaming): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  for (const [name, graph] of Object.entries(manifest.graphs)) {
    // A file that is missing or badly named has its fault already.
    if (unsafePathReason(graph.file) !== undefined) continue;
    const facts = await files.stat(graph.file);
    if (facts === undefined) continue;
    if (facts.bytes > SMALL_FILE_BYTES) {
      faults.push(tooLarge(name, graph.file, facts.bytes));
      continue;
    }
    const model = await readModel(files, name, graph.file, faults);
    if (model === undefined) continue;
    faults.push(...comparePorts(name, graph, model), ...opsetFaults(name, graph.file, model));
    faults.push(...randomFaults(name, graph.file, model));
    faults.push(...checkExternalData(name, graph.file, model, manifest));
  }
  return faults;
}

/** Paths, relative to the `.onnx` file's folder, of the external data that a graph refers to. */
export async function externalDataOf(files: BundleFiles, path: string): Promise<readonly string[]> {
  const model = readOnnxModel(await files.read(path));
  return [...new Set(model.externalData.map(({ location }) => location))];
}

function tooLarge(name: string, file: string, bytes: number): Fault {
  return {
    code: FAULT_CODES.graphTooLarge,
    file,
    path: `graphs.${name}.file`,
    expected: `at most ${SMALL_FILE_BYTES} bytes, the weights being external data`,
    found: `${bytes} bytes`,
    mend: "Save the model with external data: onnx.save_model(model, path, save_as_external_data=True).",
  };
}

async function readModel(
  files: BundleFiles,
  name: string,
  file: string,
  faults: Fault[],
): Promise<OnnxModel | undefined> {
  try {
    return readOnnxModel(await files.read(file));
  } catch (error) {
    faults.push({
      code: FAULT_CODES.graphUnreadable,
      file,
      path: `graphs.${name}.file`,
      expected: "an ONNX model",
      found: error instanceof Error ? error.message : String(error),
      mend: "Export or copy the file again.",
    });
    return undefined;
  }
}

/** Versions of the standard operator set that ONNX Runtime 1.30 runs; https://onnxruntime.ai/docs/reference/compatibility.html. */
const SUPPORTED_OPSETS = { least: 7, greatest: 26 };

/** Sets of operators that are built into ONNX Runtime; the standard one has two names. */
const BUILT_IN_DOMAINS = ["", "ai.onnx", "ai.onnx.ml", "ai.onnx.preview", "com.microsoft", "com.microsoft.nchwc"];

function opsetFaults(name: string, file: string, model: OnnxModel): readonly Fault[] {
  const { least, greatest } = SUPPORTED_OPSETS;
  const shared = { code: FAULT_CODES.opset, file, path: `graphs.${name}.file` };
  return Object.entries(model.opsets).flatMap(([domain, version]): Fault[] => {
    if (!BUILT_IN_DOMAINS.includes(domain) && !model.functionDomains.includes(domain)) {
      const expected = "operators of the standard set, or of ONNX Runtime's own";
      const mend = "Export with standard operators only; a bundle cannot bring code for others.";
      return [{ ...shared, expected, found: `the set ${JSON.stringify(domain)}`, mend }];
    }
    if ((domain !== "" && domain !== "ai.onnx") || (version >= least && version <= greatest)) return [];
    const expected = `opset ${least} to ${greatest} of the standard operators`;
    return [{ ...shared, expected, found: `opset ${version}`, mend: `Export with opset_version=18, say.` }];
  });
}

/** Numbers that a graph draws by itself come from one generator for all sessions, which no seed sets back. */
function randomFaults(name: string, file: string, { randomOperators }: OnnxModel): readonly Fault[] {
  if (randomOperators.length === 0) return [];
  const listed = [
    ...new Set(randomOperators.map(({ type, name: node }) => (node === "" ? type : `${type} (${node})`))),
  ];
  const isDropout = randomOperators.every(({ type }) => type.endsWith("Dropout"));
  return [
    {
      code: FAULT_CODES.randomOperator,
      file,
      path: `graphs.${name}`,
      expected: "a graph that gives the same numbers for the same inputs",
      found: `${listed.slice(0, 5).join(", ")}${listed.length > 5 ? ` and ${listed.length - 5} more` : ""}`,
      mend: isDropout
        ? "Export in evaluation mode: model.eval() before torch.onnx.export."
        : 'Give the graph the noise as an input: name a stream in "randomStreams" and feed noise:NAME.',
    },
  ];
}

function comparePorts(name: string, graph: GraphDeclaration, model: OnnxModel): readonly Fault[] {
  const faults: Fault[] = [];
  for (const side of ["inputs", "outputs"] as const) {
    const found = new Map(model[side].map((port) => [port.name, port]));
    for (const [declaredName, declared] of Object.entries(graph[side])) {
      const port = found.get(portName(graph, declaredName));
      const path = `graphs.${name}.${side}.${declaredName}`;
      if (port === undefined) faults.push(missingPort(graph, declaredName, path, [...found.keys()]));
      else faults.push(...comparePort(declared, port, graph.file, path));
    }
  }
  const known = new Set(Object.keys(graph.inputs).map((each) => portName(graph, each)));
  for (const port of model.inputs) {
    if (known.has(port.name)) continue;
    faults.push({
      code: FAULT_CODES.graphPort,
      file: graph.file,
      path: `graphs.${name}.inputs`,
      expected: `only the inputs ${[...known].join(", ") || "(none)"}`,
      found: `the input ${JSON.stringify(port.name)}, ${describePort(port)}`,
      mend: "Declare it; a run has to feed every input.",
    });
  }
  return faults;
}

/** Where the graph has the name behind a prefix, the mend says which: compile wrappers add them. */
function missingPort(graph: GraphDeclaration, name: string, path: string, found: readonly string[]): Fault {
  const wrapped = found.find((each) => each.endsWith(`.${name}`) && each !== name);
  const prefix = wrapped?.slice(0, wrapped.length - name.length);
  const mend =
    prefix === undefined
      ? "Correct the name; it has to be that of the file."
      : `Add "stripPrefix": ${JSON.stringify(prefix)} to the graph, as a wrapper put that before its names.`;
  return {
    code: FAULT_CODES.graphPort,
    file: graph.file,
    path,
    expected: `a tensor ${JSON.stringify(portName(graph, name))} in the graph`,
    found: found.length === 0 ? "none at all" : `only ${found.map((each) => JSON.stringify(each)).join(", ")}`,
    mend,
  };
}

function comparePort(declared: PortDeclaration, found: GraphPort, file: string, path: string): readonly Fault[] {
  const faults: Fault[] = [];
  const add = (code: FaultCode, mend: string): void => {
    faults.push({ code, file, path, expected: describeSignature(declared), found: describePort(found), mend });
  };
  if (REDUCED_PRECISION_TYPES.includes(found.dtype)) {
    add(FAULT_CODES.unsupportedPrecision, "Export in float32, or let the graph cast at its inputs and outputs.");
  } else if (declared.dtype !== found.dtype) {
    add(FAULT_CODES.graphDtype, "Write the type that the graph has.");
  }
  if (found.shape !== undefined && !declaredFits(declared.shape, found.shape)) {
    add(FAULT_CODES.graphShape, 'Write the shape that the graph has; "any" only where the graph leaves the axis open.');
  }
  return faults;
}

function declaredFits(declared: readonly Dimension[], found: readonly Dimension[]): boolean {
  return (
    declared.length === found.length &&
    declared.every((length, axis) => found[axis] === "any" || found[axis] === length)
  );
}

function describePort(port: GraphPort): string {
  return port.shape === undefined
    ? `${port.dtype} of unknown shape`
    : describeSignature({ dtype: port.dtype, shape: port.shape });
}

function checkExternalData(name: string, file: string, model: OnnxModel, manifest: FileNaming): readonly Fault[] {
  const path = `graphs.${name}.file`;
  const faults = new Map<string, Fault>();
  for (const { tensor, location, offset, length } of model.externalData) {
    const unsafe = unsafePathReason(location);
    const target = besidePath(file, location);
    const listed = Object.hasOwn(manifest.files, target) ? manifest.files[target] : undefined;
    if (unsafe !== undefined) {
      faults.set(location, {
        code: FAULT_CODES.pathUnsafe,
        file,
        path,
        expected: "external data within the bundle, named relative to the .onnx file",
        found: `${JSON.stringify(location)}: ${unsafe}`,
        mend: "Save the model again with a plain file name for its external data.",
      });
    } else if (!isListed(manifest, target)) {
      faults.set(location, {
        code: FAULT_CODES.fileUnlisted,
        file,
        path,
        expected: 'external data that "files" lists',
        found: JSON.stringify(target),
        mend: "Add the file to the bundle and to files, with its size and SHA-256.",
      });
    } else if (listed !== undefined && !(offset >= 0 && offset + (length ?? 0) <= listed.bytes)) {
      faults.set(location, {
        code: FAULT_CODES.externalData,
        file: target,
        path,
        expected: `${offset + (length ?? 0)} bytes for the tensor ${JSON.stringify(tensor)}`,
        found: `${listed.bytes} bytes`,
        mend: "The .onnx file and its data belong to different exports; copy both again.",
      });
    }
  }
  return [...faults.values()];
}
