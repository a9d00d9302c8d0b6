import { createHash } from "node:crypto";
import type { InferenceConfig, RunStatisticsFacts } from "@dreamloop/core";
import { environmentFacts } from "@dreamloop/node";

/** What a statistics file says beside its figures: the machine, and a hash by which equal configurations are recognised. */
export function statisticsFacts(config: InferenceConfig): RunStatisticsFacts {
  const configHash = createHash("sha256").update(JSON.stringify(config)).digest("hex");
  return { environment: environmentFacts(), configHash };
}
