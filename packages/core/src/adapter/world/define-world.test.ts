import { adapterConformance, FakeClock, RecordingTarget, registerCases, sessionConformance } from "@dreamloop/testing";
import { describe, expect, it, test } from "vitest";
import { modality } from "../../canonical/modality.ts";
import { deviceConverter } from "../../canonical/device-converter.ts";
import { keyboardToDriverCommand } from "../../canonical/converters/keyboard.ts";
import { runBatch } from "../../drivers/batch-driver.ts";
import { eventListSource } from "../../inputs/event-list-source.ts";
import { assertModelAdapter, type ModelAdapter } from "../model-adapter.ts";
import { modelInputs } from "../../mapping/model-inputs.ts";
import { stepRequest } from "../../mapping/step-request.ts";
import { canonicalInputs } from "../../canonical/canonical-inputs.ts";
import { defineWorld } from "./define-world.ts";
import { input } from "./input.ts";

const VIDEO = { width: 2, height: 1, framesPerSecond: 10 };

/** A world whose first pixel is its count, the throttle, the length of its prompt; the second a random number. */
function counting(extra: Partial<Parameters<typeof defineWorld>[0]> = {}): ModelAdapter {
  return defineWorld({
    id: "counting",
    video: VIDEO,
    inputs: {
      initial: { prompt: input.text({ default: "a", live: true }), from: input.number({ default: 0, integer: true }) },
      step: { throttle: input.number({ min: 0, max: 1 }) },
    },
    controls: { drive: "driver_command" },
    map: ({ controls }) => ({ throttle: controls.drive.throttle }),
    start: ({ initial }) => ({ count: initial.from }),
    step: ({ inputs, initial, state, frames, random }) => {
      frames.set([state.count, 100 * inputs.throttle, initial.prompt.length, random("noise").nextInteger(256)]);
      return { frames, state: { count: state.count + 1 } };
    },
    ...(extra as object),
  });
}

async function pixelsOf(
  options: Partial<Parameters<typeof runBatch>[0]> & { readonly adapter: ModelAdapter },
): Promise<number[][]> {
  const target = new RecordingTarget();
  await runBatch({ clock: new FakeClock(), outputs: [target], stepLimit: 4, checkFrames: false, ...options });
  return target.results.map(({ pixels }) => [...pixels]);
}

describe("a world that defineWorld made", () => {
  const options = {
    adapter: counting(),
    stepInputs: (stepIndex: number) => ({ step: { throttle: (stepIndex % 3) / 2 } }),
  };
  registerCases(test, adapterConformance(options));
  registerCases(
    test,
    sessionConformance({ ...options, update: { prompt: "snow" }, badStep: { step: { throttle: 2 } } }),
  );

  it("runs under a driver: events reach the step through its controls, prompts through its live inputs", async () => {
    const source = eventListSource({
      events: [
        { timestampSeconds: 0.1, eventType: "key_down", payload: { code: "KeyW" } },
        { timestampSeconds: 0.15, eventType: "key_up", payload: { code: "KeyW" } },
        { timestampSeconds: 0.2, eventType: "prompt_set", payload: { prompt: "snow" } },
      ],
      endSeconds: 0.4,
    });
    const frames = await pixelsOf({ adapter: counting(), source, initialInputs: { initial: { from: 7 } } });
    expect(frames.map((frame) => frame.slice(0, 3))).toEqual([
      [7, 0, 1],
      [8, 100, 1],
      [9, 0, 4],
      [10, 0, 4],
    ]);
  });

  it("G2: draws by seed and step alone", async () => {
    const noise = async (seed: number): Promise<unknown> =>
      (await pixelsOf({ adapter: counting(), seed, source: driverless() })).map((frame) => frame[3]);
    expect(await noise(5)).toEqual(await noise(5));
    expect(await noise(5)).not.toEqual(await noise(6));
  });

  it("keeps an update over a reset, and the defaults of what is not given", async () => {
    const source = eventListSource({
      events: [
        { timestampSeconds: 0, eventType: "prompt_set", payload: { prompt: "snow" } },
        { timestampSeconds: 0.1, eventType: "reset", payload: {} },
      ],
      endSeconds: 0.4,
    });
    const frames = await pixelsOf({ adapter: counting(), source });
    expect(frames.map((frame) => frame.slice(0, 3)).slice(0, 2)).toEqual([
      [0, 0, 4],
      [0, 0, 4],
    ]);
  });
});

/** A source without events that could drive. */
function driverless(): ReturnType<typeof eventListSource> {
  return eventListSource({ events: [], endSeconds: 0.4 });
}

describe("defineWorld", () => {
  it("makes an adapter that says what it needs and what it is", () => {
    const words = { promptVocabulary: ["snow"], promptSuggestions: ["a snowy night"] };
    const adapter = counting({ title: "Count", description: "Counts.", version: "3", ...words });
    assertModelAdapter(adapter);
    expect(adapter).toMatchObject({ modelId: "counting", version: "3", title: "Count", ...words });
    expect(adapter.modelInputSchema.initialFields).toMatchObject([
      { name: "prompt", required: false, updatePolicy: "step_boundary" },
      { name: "from", required: false, updatePolicy: "session_start" },
    ]);
    expect(adapter.modelInputSchema.stepFields).toMatchObject([{ name: "throttle", required: true }]);
    const mapping = adapter.defaultInputMapping();
    expect(mapping).toMatchObject({
      name: "counting+conditioning",
      producesStep: ["throttle"],
      producesUpdate: ["prompt"],
    });
    expect(mapping.consumes.map(({ name }) => name)).toEqual(["driver_command"]);
    expect(adapter.describe?.({ runtimeOptions: {} } as never)).toMatchObject({
      worldId: "counting",
      deterministic: true,
    });
    expect(adapter.converters).toBeUndefined();
  });

  it("needs only an id, a video and a step", async () => {
    const adapter = defineWorld({ id: "least", video: VIDEO, step: ({ frames }) => ({ frames: frames.fill(9) }) });
    expect(await pixelsOf({ adapter, stepLimit: 2 })).toEqual([Array(6).fill(9), Array(6).fill(9)]);
    expect(adapter.defaultInputMapping().name).toBe("identity");
  });

  it("lets dynamics run between controls and model, by the world's own time and seeded random numbers", async () => {
    const adapter = defineWorld({
      id: "dynamic",
      video: { ...VIDEO, framesPerStep: 2, firstStepFrames: 1 },
      inputs: { step: { speed: input.number(), noise: input.number() } },
      controls: { drive: "driver_command" },
      dynamics: {
        start: ({ random }) => ({ speed: 0, noise: random("n").nextInteger(100) }),
        step: ({ state, controls, durationSeconds, random }) => ({
          speed: state.speed + 100 * controls.drive.throttle * durationSeconds,
          noise: random("n").nextInteger(100),
        }),
      },
      map: ({ dynamics }) => dynamics,
      step: ({ inputs, frames, frameCount, durationSeconds }) => {
        frames.set([inputs.speed, inputs.noise, frameCount, 100 * durationSeconds]);
        return { frames };
      },
    });
    const key = { timestampSeconds: 0, eventType: "key_down", payload: { code: "KeyW" } };
    const run = async (seed: number): Promise<number[][]> =>
      pixelsOf({ adapter, seed, stepLimit: 3, source: eventListSource({ events: [key], endSeconds: 1 }) });
    const frames = await run(1);
    expect(frames.map(([speed, , count, duration]) => [speed, count, duration])).toEqual([
      [10, 1, 10],
      [30, 2, 20],
      [50, 2, 20],
    ]);
    expect(new Set(frames.map(([, noise]) => noise)).size).toBeGreaterThan(1);
    expect(await run(1)).toEqual(frames);
    expect(await run(2)).not.toEqual(frames);
  });

  it("has its own converters beside the standard ones, which they replace by name", () => {
    const CRANE = modality<{ pull: number }>({ name: "crane", neutral: { pull: 0 } });
    const crane = deviceConverter({
      name: "crane",
      consumes: ["axis_set"],
      produces: CRANE,
      createState: () => null,
      convert: () => ({ value: { pull: 1 }, state: null }),
    });
    const keys = keyboardToDriverCommand({ bindings: { throttle: ["KeyT"] } });
    const adapter = defineWorld({
      id: "own",
      video: VIDEO,
      inputs: { step: { pull: input.number() } },
      controls: { crane: CRANE, drive: "driver_command" },
      converters: [crane, keys],
      map: ({ controls }) => ({ pull: controls.crane.pull + controls.drive.throttle }),
      step: ({ frames }) => ({ frames }),
    });
    const names = adapter.converters?.map(({ name }) => name) ?? [];
    expect(names.slice(0, 2)).toEqual(["crane", "keyboard_driver_command"]);
    expect(names).toContain("gamepad_driver_command");
    expect(names).not.toContain("keyboard_camera_motion");
    expect(new Set(names).size).toBe(names.length);
  });

  it("gives optional controls as they are and absent ones as undefined", () => {
    const adapter = defineWorld({
      id: "optional",
      video: VIDEO,
      inputs: { step: { turn: input.number({ optional: true }) } },
      optionalControls: { look: "look_delta" },
      map: ({ controls }) => ({ turn: controls.look?.deltaX }),
      step: ({ frames }) => ({ frames }),
    });
    const mapping = adapter.defaultInputMapping();
    const turn = (values: Record<string, Record<string, unknown>>): unknown => {
      const context = {
        canonical: canonicalInputs({ values }),
        request: stepRequest({ stepIndex: 0 }),
        modelInputs: modelInputs(),
      };
      return mapping.mapStepInputs({ ...context, state: mapping.createState(0) }).inputs.step?.turn;
    };
    expect(turn({ look_delta: { deltaX: 3, deltaY: 0 } })).toBe(3);
    expect(turn({})).toBeUndefined();
    expect(mapping.consumes).toEqual([]);
  });
});

describe("the mapping of a world", () => {
  const withMap = (map: () => unknown, dynamics?: unknown): (() => unknown) => {
    const adapter = counting({ map, ...(dynamics === undefined ? {} : { dynamics }) } as never);
    const mapping = adapter.defaultInputMapping();
    const canonical = canonicalInputs({ values: { driver_command: { throttle: 1 } } });
    return () =>
      mapping.mapStepInputs({
        canonical,
        request: stepRequest({ stepIndex: 0 }),
        modelInputs: modelInputs(),
        state: mapping.createState(0),
      });
  };

  it("refuses products that are none or not declared, and dynamics without a state", () => {
    expect(withMap(() => 3)).toThrow(/World\("counting"\)\.map\(\): expected an object/);
    expect(withMap(() => ({ throtle: 1 }))).toThrow(/World\("counting"\)\.map\(\)\.throtle: .*"throttle"/);
    const dynamics = { start: () => 0, step: () => undefined };
    expect(withMap(() => ({ throttle: 1 }), dynamics)).toThrow(/World\("counting"\)\.dynamics\.step\(\)/);
  });

  it("names the control that has no value in a step", () => {
    const mapping = counting().defaultInputMapping();
    const context = {
      canonical: canonicalInputs(),
      request: stepRequest({ stepIndex: 0 }),
      modelInputs: modelInputs(),
    };
    expect(() => mapping.mapStepInputs({ ...context, state: mapping.createState(0) })).toThrow(
      /World\("counting"\)\.controls\.drive: .*"driver_command"/,
    );
  });
});
