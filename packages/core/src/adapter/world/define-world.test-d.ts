import { describe, expectTypeOf, it } from "vitest";
import { modality } from "../../canonical/modality.ts";
import type { DriverCommand, LookDelta } from "../../canonical/modalities.ts";
import type { ModelAdapter } from "../model-adapter.ts";
import type { StandardSchema } from "../../foundation/validate/standard-schema.ts";
import { defineWorld } from "./define-world.ts";
import { input, type ImageInput } from "./input.ts";

const video = { width: 4, height: 4, framesPerSecond: 10 };
const CRANE = modality<{ readonly pull: number }>({ name: "crane", neutral: { pull: 0 } });
declare const schema: StandardSchema<unknown, { readonly size: number }>;

describe("defineWorld", () => {
  it("gives every function the types that follow from the declarations before it", () => {
    const adapter = defineWorld({
      id: "full",
      options: schema,
      video: ({ options }) => ({ width: options.size, height: 4, framesPerSecond: 10 }),
      inputs: {
        initial: {
          prompt: input.text({ live: true }),
          mood: input.choice(["day", "night"], { default: "day" }),
          size: input.number({ optional: true }),
          scene: input.value<Float32Array>({ optional: true }),
          checked: input.value({ schema }),
          first: input.image({ width: 8, height: 4 }),
          second: input.image({ width: 8, height: 4, optional: true }),
        },
        step: { speed: input.number(), lift: input.number({ default: 1 }), stop: input.flag({ optional: true }) },
        alternatives: [["size"], ["scene", "prompt"]],
      },
      controls: { drive: "driver_command", crane: CRANE },
      optionalControls: { look: "look_delta" },
      load: async ({ options, progress, signal }) => {
        expectTypeOf(options.size).toEqualTypeOf<number>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        progress({ stage: "weights", fraction: 1 });
        return { weights: new Float32Array(options.size) };
      },
      close: (model) => {
        expectTypeOf(model).toEqualTypeOf<{ weights: Float32Array<ArrayBuffer> }>();
      },
      dynamics: {
        start: ({ seed }) => ({ speed: seed }),
        step: ({ state, controls, durationSeconds }) => {
          expectTypeOf(controls.drive).toEqualTypeOf<DriverCommand>();
          expectTypeOf(controls.crane).toEqualTypeOf<{ readonly pull: number }>();
          expectTypeOf(controls.look).toEqualTypeOf<LookDelta | undefined>();
          return { speed: state.speed + controls.drive.throttle * durationSeconds };
        },
      },
      map: ({ controls, dynamics }) => ({ speed: dynamics.speed, stop: controls.drive.stop }),
      start: async ({ initial, model }) => ({ cells: model.weights, mood: initial.mood }),
      step: ({ inputs, initial, state, frames, updated, model }) => {
        expectTypeOf(inputs).toEqualTypeOf<{
          readonly speed: number;
          readonly lift: number;
          readonly stop: boolean | undefined;
        }>();
        expectTypeOf(initial.prompt).toEqualTypeOf<string>();
        expectTypeOf(initial.mood).toEqualTypeOf<"day" | "night">();
        expectTypeOf(initial.size).toEqualTypeOf<number | undefined>();
        expectTypeOf(initial.first.data).toEqualTypeOf<Uint8Array>();
        expectTypeOf(initial.second).toEqualTypeOf<ImageInput | undefined>();
        expectTypeOf(initial.scene).toEqualTypeOf<Float32Array | undefined>();
        expectTypeOf(initial.checked).toEqualTypeOf<{ readonly size: number }>();
        expectTypeOf(state.mood).toEqualTypeOf<"day" | "night">();
        expectTypeOf(frames).toEqualTypeOf<Uint8Array>();
        expectTypeOf(updated).toEqualTypeOf<
          readonly ("prompt" | "mood" | "size" | "scene" | "checked" | "first" | "second")[]
        >();
        expectTypeOf(model.weights.length).toEqualTypeOf<number>();
        return { frames, state };
      },
    });
    expectTypeOf(adapter).toEqualTypeOf<ModelAdapter>();
  });

  it("takes a world without inputs, controls and state", () => {
    defineWorld({ id: "least", video, step: ({ frames }) => ({ frames }) });
  });

  it("types the frames by the format", () => {
    defineWorld({
      id: "float",
      video: { ...video, format: "rgbf32" },
      step: ({ frames }) => {
        expectTypeOf(frames).toEqualTypeOf<Float32Array>();
        return { frames };
      },
    });
  });

  it("refuses names of inputs and controls that are not declared", () => {
    const inputs = { initial: { prompt: input.text() }, step: { steer: input.number() } };
    defineWorld({
      id: "names",
      video,
      inputs,
      controls: { drive: "driver_command" },
      map: ({ controls }) => {
        // @ts-expect-error the control is called drive
        void controls.driver;
        // @ts-expect-error the field is called steer
        void controls.drive.stear;
        return { steer: controls.drive.steer };
      },
      step: ({ initial, inputs: { steer }, frames }) => {
        // @ts-expect-error the input is called prompt
        void initial.promt;
        // @ts-expect-error steer is a number
        void steer.length;
        return { frames };
      },
    });
    const step = ({ frames }: { readonly frames: Uint8Array }): { frames: Uint8Array } => ({ frames });
    // @ts-expect-error the modality is called driver_command
    defineWorld({ id: "names", video, controls: { drive: "driver_comand" }, map: () => ({}), step });
    const initial = { prompt: input.text({ optional: true }) };
    // @ts-expect-error alternatives name initial inputs
    defineWorld({ id: "names", video, inputs: { initial, alternatives: [["promt"]] }, step });
  });

  it("refuses products of the mapping that are missing, misspelt, of another type or too many", () => {
    const base = {
      id: "products",
      video,
      inputs: { step: { steer: input.number(), view: input.number({ optional: true }) } },
    };
    defineWorld({ ...base, map: () => ({ steer: 1 }), step: ({ frames }) => ({ frames }) });
    defineWorld({ ...base, map: () => ({ steer: 1, view: 2 }), step: ({ frames }) => ({ frames }) });
    // @ts-expect-error steer is missing
    defineWorld({ ...base, map: () => ({}), step: ({ frames }) => ({ frames }) });
    // @ts-expect-error steer is misspelt
    defineWorld({ ...base, map: () => ({ stear: 1 }), step: ({ frames }) => ({ frames }) });
    // @ts-expect-error steer is a number
    defineWorld({ ...base, map: () => ({ steer: "left" }), step: ({ frames }) => ({ frames }) });
    // @ts-expect-error there is no step input speed
    defineWorld({ ...base, map: () => ({ steer: 1, speed: 2 }), step: ({ frames }) => ({ frames }) });
    // @ts-expect-error an optional one has its type too
    defineWorld({ ...base, map: () => ({ steer: 1, view: true }), step: ({ frames }) => ({ frames }) });
    // @ts-expect-error a required step input needs a map
    defineWorld({ ...base, step: ({ frames }) => ({ frames }) });
  });

  it("refuses a control that may be absent and is used as if it were there", () => {
    defineWorld({
      id: "absent",
      video,
      inputs: { step: { turn: input.number() } },
      optionalControls: { look: "look_delta" },
      // @ts-expect-error look may be absent
      map: ({ controls }) => ({ turn: controls.look.deltaX }),
      step: ({ frames }) => ({ frames }),
    });
  });

  it("refuses outcomes of a step without frames, without state or with another one", () => {
    // @ts-expect-error frames are missing
    defineWorld({ id: "outcome", video, step: () => ({}) });
    // @ts-expect-error the state is missing
    defineWorld({ id: "outcome", video, start: () => ({ x: 1 }), step: ({ frames }) => ({ frames }) });
    defineWorld({
      id: "outcome",
      video,
      start: () => ({ x: 1 }),
      // @ts-expect-error x is a number
      step: ({ frames }) => ({ frames, state: { x: "" } }),
    });
    defineWorld({
      id: "outcome",
      video,
      start: () => ({ x: 1 }),
      step: ({ frames, state }) => {
        // @ts-expect-error the state is replaced, not changed
        state.x = 2;
        return { frames, state };
      },
    });
    defineWorld({
      id: "outcome",
      video,
      inputs: { step: { x: input.number({ default: 0 }) } },
      dynamics: {
        start: () => ({ x: 1 }),
        // @ts-expect-error dynamics keep the type of their state
        step: () => ({ y: 1 }),
      },
      map: ({ dynamics }) => ({ x: dynamics.x }),
      step: ({ frames }) => ({ frames }),
    });
  });

  it("refuses unknown keys of the definition and of inputs, and defaults of another type", () => {
    // @ts-expect-error the key is called title
    defineWorld({ id: "keys", video, titel: "x", step: ({ frames }) => ({ frames }) });
    // @ts-expect-error the rate is missing
    defineWorld({ id: "keys", video: { width: 1, height: 1 }, step: ({ frames }) => ({ frames }) });
    // @ts-expect-error the option is called default
    input.text({ defualt: "x" });
    // @ts-expect-error a text has a text as its default
    input.text({ default: 3 });
    // @ts-expect-error the default is one of the choices
    input.choice(["day", "night"], { default: "noon" });
    // @ts-expect-error A picture has a size.
    input.image({ width: 8 });
    // @ts-expect-error there is no such part of the conditioning
    input.text({ live: "promt" });
  });
});
