import { describe, expect, it } from "vitest";
import { undeclaredModelInputs } from "./undeclared-inputs.ts";

const MODEL = { initialFields: ["prompt"], stepFields: ["command"] };

describe("undeclaredModelInputs", () => {
  it("lists by slot what the schema does not declare, with the name that was probably meant", () => {
    const inputs = {
      initial: { prompt: "x", promt: "y" },
      step: { command: 1, throttle: 2, prompt: "z" },
      update: { promt: "y", command: 1 },
    };
    expect(undeclaredModelInputs(MODEL, inputs)).toEqual([
      { slot: "initial", name: "promt", nearest: "prompt" },
      { slot: "step", name: "throttle" },
      { slot: "step", name: "prompt" },
      { slot: "update", name: "promt", nearest: "prompt" },
      { slot: "update", name: "command" },
    ]);
  });

  it("finds nothing where all is declared, and does not mind what is absent", () => {
    expect(undeclaredModelInputs(MODEL, { step: { command: 1 } })).toEqual([]);
    expect(undeclaredModelInputs(MODEL, {})).toEqual([]);
  });
});
