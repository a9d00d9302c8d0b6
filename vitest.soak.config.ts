import { mergeConfig } from "vitest/config";
import base from "./vitest.config.ts";

/** Long runs: minutes each, one at a time, with the garbage collector at hand for tests that measure memory. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [] } },
  {
    test: {
      include: ["packages/*/src/**/*.soak.ts"],
      testTimeout: 30 * 60_000,
      maxWorkers: 1,
      execArgv: ["--expose-gc"],
    },
  },
);
