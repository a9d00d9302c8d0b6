import { nearest } from "@dreamloop/core";
import type { Fault, FaultCode } from "../check/fault.ts";
import { MANIFEST_FILE } from "../manifest/world-schema.ts";

/** Collects faults of the manifest. */
export class FaultList {
  /** What has been found so far. */
  readonly faults: Fault[] = [];

  /** Adds a fault of `world.json`. */
  add(code: FaultCode, path: string, expected: string, found: string, mend: string): void {
    this.faults.push({ code, file: MANIFEST_FILE, path, expected, found, mend });
  }

  /** Adds a fault for a name that is not among the known ones, hinting at the nearest. */
  addUnknown(code: FaultCode, path: string, what: string, name: string, known: readonly string[]): void {
    const near = nearest(name, known);
    const expected =
      known.length === 0 ? `${what}, of which there is none here` : `${what}: one of ${known.join(", ")}`;
    const mend = near === undefined ? "Correct the name." : `Did you mean ${JSON.stringify(near)}?`;
    this.add(code, path, expected, JSON.stringify(name), mend);
  }
}
