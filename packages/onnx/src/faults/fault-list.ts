import { nearest } from "@dreamloop/core/internal";
import { MANIFEST_FILE, type Fault, type FaultCode } from "./fault.ts";

/** A name that is not among the known ones. */
export interface UnknownName {
  /** The kind of fault. */
  readonly code: FaultCode;
  /** Where in the manifest. */
  readonly path: string;
  /** What should have been named, such as `a graph`. */
  readonly what: string;
  /** The name that was found. */
  readonly name: string;
  /** The names that exist. */
  readonly known: readonly string[];
}

/** Collects faults of the manifest. */
export class FaultList {
  /** What has been found so far. */
  readonly faults: Fault[] = [];

  /** Adds a fault; of `world.json` unless it names another file. */
  add(fault: Omit<Fault, "file"> & Partial<Pick<Fault, "file">>): void {
    this.faults.push({ ...fault, file: fault.file ?? MANIFEST_FILE });
  }

  /** Adds a fault for a name that is not among the known ones, hinting at the nearest. */
  addUnknown({ code, path, what, name, known }: UnknownName): void {
    const near = nearest(name, known);
    this.add({
      code,
      path,
      expected: known.length === 0 ? `${what}, of which there is none here` : `${what}: one of ${known.join(", ")}`,
      found: JSON.stringify(name),
      mend: near === undefined ? "Correct the name." : `Did you mean ${JSON.stringify(near)}?`,
    });
  }
}
