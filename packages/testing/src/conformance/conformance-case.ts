import { DreamloopError, ERROR_CODES, isDreamloopError, type ErrorCode } from "@dreamloop/core";

/** One promise of a contract and its proof; independent of any test framework. */
export interface ConformanceCase {
  /** What is promised, as the title of a test. */
  readonly name: string;
  /** Resolves when the promise holds, and rejects with the contract and what was found when it does not. */
  readonly run: () => Promise<void>;
}

/** How a test framework takes a test: `test` of vitest, `test` of node:test. */
export type RegisterTest = (name: string, run: () => Promise<void>) => unknown;

/** Hands every case of a suite to a test framework: `registerCases(test, adapterConformance({ adapter }))`. */
export function registerCases(register: RegisterTest, cases: readonly ConformanceCase[]): void {
  for (const { name, run } of cases) register(name, run);
}

/** Throws unless `holds`: the message gives the contract and what was found instead. */
export function expectContract(holds: boolean, contract: string, found: string): asserts holds {
  if (holds) return;
  throw new DreamloopError(ERROR_CODES.invalidState, `contract: ${contract}; found: ${found}`);
}

/** Runs `call` and gives what it threw or rejected with; `undefined` when it succeeded. */
export async function outcomeOf(call: () => unknown): Promise<{ readonly error: unknown } | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    return { error };
  }
}

/** Throws unless `call` is refused with a `DreamloopError`, of one of `codes` where given. */
export async function refused(call: () => unknown, contract: string, codes?: readonly ErrorCode[]): Promise<void> {
  const outcome = await outcomeOf(call);
  expectContract(outcome !== undefined, contract, "the call succeeded");
  const { error } = outcome;
  expectContract(isDreamloopError(error), `${contract}, with a DreamloopError`, describeError(error));
  if (codes === undefined) return;
  expectContract(codes.includes(error.code), `${contract}, with the code ${codes.join(" or ")}`, describeError(error));
}

/** Throws unless `call` succeeds. */
export async function succeeds<T>(call: () => T | Promise<T>, contract: string): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw new DreamloopError(ERROR_CODES.invalidState, `contract: ${contract}; found: ${describeError(error)}`, {
      cause: error,
    });
  }
}

/** An error in one line. */
export function describeError(error: unknown): string {
  if (isDreamloopError(error)) return `${error.code}: ${error.message}`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** Whether two values are equal by value: JSON, typed arrays, `undefined` and non-finite numbers included. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false;
  if (ArrayBuffer.isView(one) && ArrayBuffer.isView(other)) return hasEqualBytes(bytesOf(one), bytesOf(other));
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(other, key) &&
      isEqual((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]),
  );
}

/** The bytes under a typed array, without a copy. */
export function bytesOf(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/** Whether two runs of bytes are the same. */
export function hasEqualBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

/** Freezes a value in depth, typed arrays excepted (they cannot be frozen). */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const entry of Object.values(value)) deepFreeze(entry);
  return value;
}
