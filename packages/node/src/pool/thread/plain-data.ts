import { isPlainObject, refuse } from "@dreamloop/core/internal";

/** Levels of lists and mappings in a value. */
const MAX_LEVELS = 64;

/**
 * A value as data that crosses threads: functions and what is undefined are left out, and pictures, which have methods, become plain mappings. Typed arrays
 * stay as they are.
 */
export function plainData(value: unknown, path: string, levels = MAX_LEVELS): unknown {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (levels === 0) return refuse(path, `at most ${MAX_LEVELS} levels`, value);
  if (Array.isArray(value)) {
    return Array.from(value as readonly unknown[], (each, index) => plainData(each, `${path}[${index}]`, levels - 1));
  }
  // What is neither plain nor a picture (a date, a map) is cloned as it is.
  if (!isPlainObject(value) && !("data" in value) && !hasMethods(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined && typeof each !== "function")
      .map(([name, each]) => [name, plainData(each, `${path}.${name}`, levels - 1)]),
  );
}

/** Whether cloning would refuse it because of a function among its own fields. */
function hasMethods(value: object): boolean {
  return Object.values(value).some((each) => typeof each === "function");
}
