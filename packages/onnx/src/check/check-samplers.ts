import type { FaultList } from "../plan/fault-list.ts";
import type { PlannedItem, PlannedSample, WorldPlan } from "../plan/world-plan.ts";
import type { SamplerRegistry } from "../sampler/sampler.ts";
import { FAULT_CODES } from "./fault.ts";

/** Notes samplers that are not known, and noise levels that they refuse. */
export function checkSamplers(plan: WorldPlan, samplers: SamplerRegistry, faults: FaultList): void {
  const phases = [plan.condition, plan.start, plan.firstStep, plan.firstFinalize, plan.step, plan.finalize];
  const items = new Map<string, PlannedItem>(phases.flat().map((item) => [item.path, item]));
  for (const item of items.values()) {
    if (item.type !== "sample" && item.type !== "add_noise") continue;
    const sampler = Object.hasOwn(samplers, item.sampler) ? samplers[item.sampler] : undefined;
    if (sampler === undefined) {
      faults.addUnknown(FAULT_CODES.sampler, `${item.path}.sampler`, "a sampler", item.sampler, Object.keys(samplers));
    } else if (item.type === "add_noise") {
      const refused = sampler.refusedLevel(item.level);
      if (refused !== undefined) {
        faults.add(FAULT_CODES.sampler, `${item.path}.level`, refused, String(item.level), "Correct the level.");
      }
    } else {
      checkSchedules(item, sampler.refusedLevels.bind(sampler), faults);
    }
  }
}

function checkSchedules(
  item: PlannedSample,
  refusedLevels: (levels: readonly number[]) => string | undefined,
  faults: FaultList,
): void {
  for (const levels of item.schedules.values()) {
    const refused = refusedLevels(levels);
    if (refused === undefined) continue;
    faults.add(FAULT_CODES.sampler, `${item.path}.schedules`, refused, `[${levels.join(", ")}]`, "Correct the levels.");
  }
}
