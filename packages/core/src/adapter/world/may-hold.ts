/** Values that are looked at in a state at most; a state that is larger may hold anything. */
const MAX_VALUES = 16_384;

/**
 * Whether a value may reach `buffer`: itself, or a view of it, anywhere in its lists, mappings, maps and sets. What cannot be looked into
 * (functions, class instances, getters, states of more than 16,384 values) may hold anything, so that the answer is yes.
 */
export function mayHold(value: unknown, buffer: ArrayBufferLike): boolean {
  const waiting: unknown[] = [value];
  const seen = new Set<object>();
  let left = MAX_VALUES;
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "function") return true;
    if (typeof next !== "object" || next === null || seen.has(next)) continue;
    seen.add(next);
    if (next === buffer || (ArrayBuffer.isView(next) && next.buffer === buffer)) return true;
    const inner = partsOf(next);
    if (inner === undefined || inner.length > left) return true;
    left -= inner.length;
    for (const part of inner) waiting.push(part);
  }
  return false;
}

/** What an object holds; nothing known for an object that cannot be looked into. */
function partsOf(value: object): readonly unknown[] | undefined {
  if (ArrayBuffer.isView(value)) return [];
  switch (Object.prototype.toString.call(value)) {
    case "[object Array]":
      return (value as unknown[]).length > MAX_VALUES ? undefined : (value as unknown[]);
    case "[object Map]":
      return [...(value as ReadonlyMap<unknown, unknown>)].flat();
    case "[object Set]":
      return [...(value as ReadonlySet<unknown>)];
    case "[object ArrayBuffer]":
    case "[object SharedArrayBuffer]":
    case "[object Date]":
    case "[object RegExp]":
      return [];
    case "[object Object]":
      return ownValues(value);
    default:
      return undefined;
  }
}

function ownValues(value: object): readonly unknown[] | undefined {
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return undefined;
  if (prototype !== null && !Object.hasOwn(prototype, "isPrototypeOf")) return undefined;
  const values: unknown[] = [];
  for (const key of Reflect.ownKeys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    if (property?.get !== undefined) return undefined;
    values.push(property?.value);
  }
  return values;
}
