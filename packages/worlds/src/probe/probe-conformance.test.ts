import {
  adapterConformance,
  registerCases,
  sessionConformance,
  type SessionConformanceOptions,
} from "@dreamloop/testing";
import { describe, test } from "vitest";
import { probeWorld } from "./probe-world.ts";

type RuntimeOptions = Readonly<Record<string, string | number | boolean>>;

function optionsFor(runtimeOptions: RuntimeOptions): SessionConformanceOptions {
  const config = { runtimeOptions: { width: 96, height: 64, ...runtimeOptions } };
  return {
    adapter: probeWorld,
    config,
    initial: { initial: { prompt: "a clear day" } },
    stepInputs: (index) => ({
      step: {
        inputSequence: 100 + index,
        driverCommand: { throttle: 1, steer: 0.5 - index / 8 },
        actions: { held: index % 2 === 0 ? ["forward"] : ["jump"], pressed: { jump: index } },
        lookDelta: { deltaX: index * 0.25, deltaY: 3 },
      },
    }),
    update: { prompt: "rain" },
    badStep: { step: { driverCommand: { steer: "left" } } },
    failing: {
      config: { runtimeOptions: { ...config.runtimeOptions, failAtStep: 2, failAfterFrames: 1 } },
      stepIndex: 2,
    },
  };
}

describe("the probe world's adapter", () => {
  registerCases(test, adapterConformance(optionsFor({})));
});

describe.each([
  ["one frame a step", {}],
  ["several frames a step, the first step shorter", { framesPerStep: 3, firstStepFrames: 1 }],
  ["float planes", { format: "rgbf32", layout: "cthw", framesPerStep: 2 }],
  ["finalised steps", { finalize: true, framesPerStep: 2 }],
])("the probe world's sessions with %s", (_, options: RuntimeOptions) => {
  registerCases(test, sessionConformance(optionsFor(options)));
});

describe("the probe world with one session at a time", () => {
  const options = { ...optionsFor({ maxSessions: 1 }), interleaves: false };
  registerCases(
    test,
    sessionConformance(options).filter(({ name }) => name.includes("busy")),
  );
});
