import type { Bundle } from "../bundle/open-bundle.ts";
import { bytesPerElement, tensorOf, type Tensor, type TensorData, type TensorDtype } from "../engine/tensor.ts";
import type { ConstantDeclaration } from "../manifest/world-manifest.ts";

/** The constants of a bundle; those that lie in files are read. */
export async function readConstants({ files, manifest }: Bundle): Promise<ReadonlyMap<string, Tensor>> {
  const constants = new Map<string, Tensor>();
  for (const [name, declaration] of Object.entries(manifest.constants)) {
    const { dtype, shape, data, file } = declaration;
    if (file === undefined) constants.set(name, tensorOf(dtype, shape, data ?? []));
    else constants.set(name, tensorOfBytes(declaration, await files.read(file)));
  }
  return constants;
}

function tensorOfBytes({ dtype, shape }: ConstantDeclaration, bytes: Uint8Array): Tensor {
  // A copy of its own, since the bytes may lie anywhere in a larger buffer and elements have to be aligned.
  return { dtype, shape, data: arrayOver(dtype, bytes.slice().buffer, bytes.length / bytesPerElement(dtype)) };
}

/** Elements are little-endian, as is every machine that the engines run on. */
function arrayOver(dtype: TensorDtype, buffer: ArrayBufferLike, length: number): TensorData {
  switch (dtype) {
    case "float32":
      return new Float32Array(buffer, 0, length);
    case "int32":
      return new Int32Array(buffer, 0, length);
    case "int64":
      return new BigInt64Array(buffer, 0, length);
    case "int8":
      return new Int8Array(buffer, 0, length);
    case "uint8":
    case "bool":
      return new Uint8Array(buffer, 0, length);
  }
}
