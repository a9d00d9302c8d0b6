import { FAULT_CODES } from "../check/fault.ts";
import type { SampleItemDeclaration } from "../manifest/world-manifest.ts";
import type { FaultList } from "./fault-list.ts";

/** The schedules of a sample item by number of denoising steps; faults where two are equally long or none is the default. */
export function planSchedules(
  item: SampleItemDeclaration,
  path: string,
  faults: FaultList,
): ReadonlyMap<number, readonly number[]> {
  const schedules = new Map<number, readonly number[]>();
  item.schedules.forEach((levels, index) => {
    const steps = levels.length - 1;
    if (schedules.has(steps)) {
      faults.add(
        FAULT_CODES.sampler,
        `${path}.schedules[${index}]`,
        "another number of levels than the schedules before",
        `a second list of ${levels.length}`,
        "The number of denoising steps chooses the schedule, so each number may stand once.",
      );
    }
    schedules.set(steps, levels);
  });
  if (!schedules.has(item.defaultSteps)) {
    faults.add(
      FAULT_CODES.sampler,
      `${path}.defaultSteps`,
      `one of ${[...schedules.keys()].join(", ")}: a schedule has one level more than steps`,
      String(item.defaultSteps),
      "Add a schedule of that length, or change the default.",
    );
  }
  return schedules;
}
