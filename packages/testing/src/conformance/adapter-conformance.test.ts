import { inputMapping, type ModelAdapter } from "@dreamloop/core";
import { describe, test } from "vitest";
import { changedWorld, changeResults, type WorldChanges } from "../fakes/changed-world.ts";
import { fakeWorld, type FakeWorldOptions } from "../fakes/fake-world.ts";
import { adapterConformance } from "./adapter-conformance.ts";
import { registerCases } from "./conformance-case.ts";
import { rejectionCases } from "./rejection-cases.ts";
import type { WorldConformanceOptions } from "./world-under-test.ts";

const base: FakeWorldOptions = { stepCount: Infinity, framesPerStep: 2, firstStepFrames: 1, maxSessions: 4 };

/** A fake world in which some things are replaced. */
function changedFake(changes: WorldChanges, options: FakeWorldOptions = {}): ModelAdapter {
  return changedWorld(fakeWorld({ ...base, ...options }).adapter, changes);
}

function optionsFor(adapter: ModelAdapter): WorldConformanceOptions {
  return {
    adapter,
    initial: { initial: { prompt: "sun" } },
    stepInputs: (index) => ({ step: { action: index * 3 } }),
  };
}

describe("a right adapter passes", () => {
  registerCases(test, adapterConformance(optionsFor(fakeWorld(base).adapter)));
});

describe("the suite of adapters", () => {
  const suite = (adapter: ModelAdapter, rest: Partial<WorldConformanceOptions> = {}) =>
    adapterConformance({ ...optionsFor(adapter), ...rest });
  const withMapping = (mapping: Partial<Parameters<typeof inputMapping>[0]>): ModelAdapter =>
    fakeWorld({
      ...base,
      mapping: inputMapping<unknown>({ name: "broken", producesStep: ["action"], ...mapping }),
    }).adapter;
  const broken = rejectionCases(suite(fakeWorld(base).adapter), [
    {
      fault: "an adapter that loads while it validates",
      rejectedBy: "it has the shape of an adapter and accepts its configuration without loading",
      message: /answers at once and loads nothing; found: it returned object/,
      cases: suite(changedFake({ adapter: () => ({ validateConfig: () => Promise.resolve() as unknown as void }) })),
    },
    {
      fault: "an adapter that lets every option pass",
      rejectedBy: "L1: a runtime option that it does not know is refused",
      message: /unknown runtime option is refused; found: the call succeeded/,
      cases: suite(
        changedFake({
          adapter: () => ({
            runtimeOptionsSchema: { "~standard": { version: 1, vendor: "broken", validate: (value) => ({ value }) } },
          }),
        }),
      ),
    },
    {
      fault: "an adapter that promises another size",
      rejectedBy: "what it says of its sessions before loading is what the runtime says",
      message: /describe\(config\) and runtime\.describe\(\) agree/,
      cases: suite(changedFake({ adapter: () => ({ describe: fakeWorld({ ...base, width: 9 }).adapter.describe }) })),
    },
    {
      fault: "a mapping that is no value of inputMapping",
      rejectedBy: "its mapping is valid for its own model and has a serialisable state",
      message: /made by inputMapping/,
      cases: suite(
        changedFake({ adapter: (adapter) => ({ defaultInputMapping: () => ({ ...adapter.defaultInputMapping() }) }) }),
      ),
    },
    {
      fault: "a mapping whose state cannot be written down",
      rejectedBy: "its mapping is valid for its own model and has a serialisable state",
      message: /state of a mapping is plain JSON/,
      cases: suite(withMapping({ createState: () => ({ held: new Set() }) })),
    },
    {
      fault: "a mapping that counts in its own state",
      rejectedBy: "F2: its mapping is a function of inputs and state, and changes neither",
      message: /never changes the state/,
      cases: suite(
        withMapping({
          createState: () => ({ steps: 0 }),
          mapStepInputs: ({ modelInputs: inputs, state }) => {
            (state as { steps: number }).steps += 1;
            return { inputs, state };
          },
        }),
      ),
    },
    {
      fault: "a mapping that makes a field which the model does not know",
      rejectedBy: "A10: devices at rest make a step that the model knows and accepts",
      message: /only declared fields; found: .*"acton"/,
      cases: suite(withMapping({ mapStepInputs: ({ state }) => ({ inputs: { step: { acton: 1 } }, state }) })),
    },
    {
      fault: "a mapping that makes more than it says",
      rejectedBy: "A10: devices at rest make a step that the model knows and accepts",
      message: /producesStep what it makes; found: action/,
      cases: suite(
        withMapping({ producesStep: [], mapStepInputs: ({ state }) => ({ inputs: { step: { action: 1 } }, state }) }),
      ),
    },
    {
      fault: "a model that refuses devices at rest",
      rejectedBy: "A10: devices at rest make a step that the model knows and accepts",
      message: /neutral value of every modality/,
      cases: suite(
        changedFake({
          session: changeResults((result, _, inputs) => {
            if (inputs.step.action === 0) throw new Error("an action is needed");
            return result;
          }),
        }),
      ),
    },
    {
      fault: "a load that cannot be cancelled",
      rejectedBy: "a load that was cancelled is refused as cancelled",
      message: /with a fired signal rejects; found: the call succeeded/,
      cases: suite(
        changedFake({
          adapter: (adapter) => ({ createRuntime: (config) => adapter.createRuntime(config, {}) }),
        }),
      ),
    },
    {
      fault: "a runtime that starts sessions after its end",
      rejectedBy: "a runtime closes once and starts no session afterwards",
      message: /closed runtime starts no session; found: the call succeeded/,
      cases: suite(changedFake({ runtime: () => ({ close: () => undefined }) })),
    },
    {
      fault: "runtimes that share what the first close frees",
      rejectedBy: "closing one runtime leaves another of the same adapter working",
      message: /closing one harms no other; found: closed: freed/,
      cases: (() => {
        let freed = false;
        return suite(
          changedFake({
            runtime: (runtime) => ({
              close: async () => {
                freed = true;
                await runtime.close();
              },
            }),
            session: changeResults((result) => {
              if (freed) throw Object.assign(new Error("freed"), { name: "closed" });
              return result;
            }),
          }),
        );
      })(),
    },
  ]);
  registerCases(test, broken);
});
