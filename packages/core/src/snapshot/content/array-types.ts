import { DreamloopError, ERROR_CODES } from "../../foundation/dreamloop-error.ts";
import { refuse } from "../../foundation/validate/reader.ts";

/** Binary data that a trace can hold, carried by reference. */
export type BinaryValue = ArrayBufferView<ArrayBufferLike> | ArrayBufferLike;

interface ArrayKind {
  /** Its name in a trace. */
  readonly name: string;
  /** Bytes of one element. */
  readonly elementBytes: number;
  /** Makes a value of this kind over memory that nobody else uses. */
  readonly make: (buffer: ArrayBuffer) => BinaryValue;
}

const KINDS: Readonly<Record<string, ArrayKind>> = {
  Uint8Array: { name: "uint8", elementBytes: 1, make: (buffer) => new Uint8Array(buffer) },
  Uint8ClampedArray: { name: "uint8-clamped", elementBytes: 1, make: (buffer) => new Uint8ClampedArray(buffer) },
  Int8Array: { name: "int8", elementBytes: 1, make: (buffer) => new Int8Array(buffer) },
  Uint16Array: { name: "uint16", elementBytes: 2, make: (buffer) => new Uint16Array(buffer) },
  Int16Array: { name: "int16", elementBytes: 2, make: (buffer) => new Int16Array(buffer) },
  Uint32Array: { name: "uint32", elementBytes: 4, make: (buffer) => new Uint32Array(buffer) },
  Int32Array: { name: "int32", elementBytes: 4, make: (buffer) => new Int32Array(buffer) },
  Float32Array: { name: "float32", elementBytes: 4, make: (buffer) => new Float32Array(buffer) },
  Float64Array: { name: "float64", elementBytes: 8, make: (buffer) => new Float64Array(buffer) },
  BigInt64Array: { name: "bigint64", elementBytes: 8, make: (buffer) => new BigInt64Array(buffer) },
  BigUint64Array: { name: "biguint64", elementBytes: 8, make: (buffer) => new BigUint64Array(buffer) },
  ArrayBuffer: { name: "buffer", elementBytes: 1, make: (buffer) => buffer },
};

const BY_NAME: ReadonlyMap<string, ArrayKind> = new Map(Object.values(KINDS).map((kind) => [kind.name, kind]));

/** The names of array types in a trace. */
export const ARRAY_TYPE_NAMES: readonly string[] = Object.freeze([...BY_NAME.keys()]);

/** The kind of a binary value, also of one from another realm; `undefined` for everything else. */
function kindOf(value: unknown): ArrayKind | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return KINDS[Object.prototype.toString.call(value).slice(8, -1)];
}

/** Whether a trace can hold `value` as an array: a typed array or an `ArrayBuffer`. */
export function isBinaryValue(value: unknown): value is BinaryValue {
  return kindOf(value) !== undefined;
}

/** The type's name and the bytes of a binary value, which stay its own memory. */
export function arrayBytes(value: BinaryValue): { readonly type: string; readonly bytes: Uint8Array } {
  const kind = kindOf(value) as ArrayKind;
  requireLittleEndian(kind);
  const bytes = ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value);
  return { type: kind.name, bytes };
}

/** Bytes of one element of the named type; refuses an unknown name. */
export function elementBytesOf(type: string, path: string): number {
  return (BY_NAME.get(type) ?? refuse(path, `one of ${ARRAY_TYPE_NAMES.join(", ")}`, type)).elementBytes;
}

/** A binary value of the named type over a copy of `bytes`; refuses an unknown name and a length that is no whole number of elements. */
export function arrayFromBytes(type: string, bytes: Uint8Array, path: string): BinaryValue {
  const elementBytes = elementBytesOf(type, path);
  const kind = BY_NAME.get(type) as ArrayKind;
  requireLittleEndian(kind);
  if (bytes.byteLength % elementBytes !== 0) {
    refuse(path, `a multiple of ${elementBytes} bytes for ${type}`, bytes.byteLength);
  }
  return kind.make(bytes.slice().buffer);
}

/** Traces hold numbers with the least significant byte first, as the memory of every supported platform does. */
function requireLittleEndian(kind: ArrayKind): void {
  if (kind.elementBytes === 1 || new Uint8Array(new Uint16Array([1]).buffer)[0] === 1) return;
  throw new DreamloopError(
    ERROR_CODES.unavailable,
    "traces with arrays of numbers wider than a byte need a little-endian machine",
  );
}
