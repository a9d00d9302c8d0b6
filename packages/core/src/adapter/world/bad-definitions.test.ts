import { describe, expect, it } from "vitest";
import { modality } from "../../canonical/modality.ts";
import { defineWorld } from "./define-world.ts";
import { input } from "./input.ts";

const GOOD = {
  id: "bad",
  video: { width: 2, height: 1, framesPerSecond: 10 },
  step: ({ frames }: { readonly frames: Uint8Array }) => ({ frames }),
};
const map = (): object => ({});

describe("defineWorld from plain JavaScript", () => {
  it.each<[object, RegExp]>([
    [{ id: " " }, /World\.id: expected a string that is not blank/],
    [{ version: 2 }, /World\.version/],
    [{ video: undefined }, /World\.video: expected an object with width, height/],
    [{ video: { width: 0, height: 1, framesPerSecond: 1 } }, /SessionDescription\.width \(in World\("bad"\)\.video\)/],
    [{ video: { width: 1, height: 1 } }, /SessionDescription\.framesPerSecond \(in World\("bad"\)\.video\)/],
    [{ video: { ...GOOD.video, colour: "srgb" } }, /SessionDescription\.colour/],
    [{ titel: "x" }, /World\.titel: unknown key; did you mean "title"\?/],
    [{ step: undefined }, /World\.step: expected a function/],
    [{ start: {} }, /World\.start: expected a function/],
    [{ load: 1 }, /World\.load/],
    [{ close: 1 }, /World\.close/],
    [{ facts: {} }, /World\.facts/],
    [{ options: {} }, /World\.options: expected a Standard Schema/],
    [{ inputs: [] }, /World\.inputs/],
    [{ inputs: { steps: {} } }, /World\.inputs\.steps: .*"step"/],
    [{ inputs: { initial: { prompt: "text" } } }, /World\.inputs\.initial\.prompt: expected input\.text\(\)/],
    [{ inputs: { initial: { " ": input.text() } } }, /World\.inputs\.initial/],
    [{ inputs: { step: { x: input.number({ default: 0, live: true }) } } }, /World\.inputs\.step\.x\.live/],
    [
      { inputs: { initial: { a: input.text({ optional: true }) }, alternatives: [["b"]] } },
      /World\.inputs\.alternatives/,
    ],
    [
      { inputs: { initial: { a: input.text() }, alternatives: [["a"]] } },
      /World\.inputs\.initial\.a: expected an optional/,
    ],
    [
      { inputs: { initial: { prompt: input.text({ live: true }), mood: input.text({ live: "prompt" }) } } },
      /World\.inputs\.initial\.mood\.live: .*"prompt" does not follow/,
    ],
    [{ inputs: { step: { x: input.number() } } }, /World\.map: .*step input "x"/],
    [{ controls: { drive: "driver_comand" }, map }, /World\.controls\.drive: .*driver_command, camera_motion/],
    [{ controls: { drive: { name: "plain" } }, map }, /World\.controls\.drive/],
    [{ controls: ["driver_command"], map }, /World\.controls/],
    [{ controls: { news: "conditioning" }, map }, /World\.controls\.news: .*optionalControls/],
    [{ controls: { a: "actions" }, optionalControls: { a: "look_delta" }, map }, /World\.optionalControls\.a/],
    [{ controls: { drive: "driver_command" } }, /World\.map: .*controls/],
    [{ optionalControls: { drive: "driver_command" } }, /World\.map: .*optionalControls/],
    [{ dynamics: { start: map, step: map } }, /World\.map: .*dynamics/],
    [{ dynamics: { start: map }, map }, /World\.dynamics\.step: expected a function/],
    [{ dynamics: { start: map, step: map, stop: map }, map }, /World\.dynamics\.stop/],
    [{ converters: [{}] }, /World\.converters\[0\]: .*deviceConverter/],
    [{ promptVocabulary: "snow" }, /World\.promptVocabulary/],
    [{ promptSuggestions: ["snow".repeat(21)] }, /World\.promptSuggestions\[0\]/],
    [{ promptSuggestions: Array.from({ length: 25 }, () => "snow") }, /World\.promptSuggestions/],
    [{ supports: { backend: [] } }, /World\.supports\.backend: .*"backends"/],
    [{ maxSessions: 0 }, /World\.maxSessions/],
    [{ maxSteps: 1.5 }, /World\.maxSteps/],
  ])("refuses %o", (extra, message) => {
    expect(() => defineWorld({ ...GOOD, ...extra })).toThrow(message);
  });

  it("refuses what is no definition", () => {
    for (const value of [undefined, null, 3, []])
      expect(() => defineWorld(value as never)).toThrow(/World: expected an object/);
  });

  it("takes a modality of one's own as a control", () => {
    const controls = { crane: modality<{ pull: number }>({ name: "crane", neutral: { pull: 0 } }) };
    expect(() => defineWorld({ ...GOOD, controls, map })).not.toThrow();
  });
});

describe("input", () => {
  it.each<[() => unknown, RegExp]>([
    [() => input.text({ defualt: "x" } as never), /input\.text\.defualt: .*"default"/],
    [() => input.text(3 as never), /input\.text\(options\)/],
    [() => input.text({ default: 3 } as never), /input\.text\.default: expected a string/],
    [() => input.text({ default: "long", maxLength: 3 }), /input\.text\.default: expected at most 3/],
    [() => input.text({ maxLength: 0 }), /input\.text\.maxLength/],
    [() => input.text({ optional: "yes" } as never), /input\.text\.optional/],
    [() => input.text({ default: "a", optional: true } as never), /input\.text\.optional: expected nothing/],
    [() => input.text({ live: "promt" } as never), /input\.text\.live: .*prompt, negativePrompt/],
    [() => input.text({ description: 3 } as never), /input\.text\.description/],
    [() => input.number({ default: 2, max: 1 }), /input\.number\.default: .*at most 1/],
    [() => input.number({ default: 0.5, integer: true }), /input\.number\.default: expected an integer/],
    [() => input.number({ min: Number.NaN }), /input\.number\.min/],
    [() => input.flag({ default: 1 } as never), /input\.flag\.default/],
    [() => input.choice([]), /input\.choice\(values\)/],
    [() => input.choice(["day"], { default: "night" } as never), /input\.choice\.default: expected one of "day"/],
    [() => input.image(undefined as never), /input\.image\(options\): expected an object/],
    [() => input.image({ width: 0, height: 4 }), /input\.image\.width/],
    [() => input.image({ width: 8, height: 4, live: true } as never), /input\.image\.live: unknown key/],
    [() => input.value({ schema: 3 } as never), /input\.value\.schema: expected a Standard Schema/],
  ])("refuses %s", (make, message) => {
    expect(make).toThrow(message);
  });

  it("says whether it has to be given", () => {
    expect(input.number().presence).toBe("required");
    expect(input.number({ optional: true }).presence).toBe("optional");
    expect(input.flag({ default: false }).presence).toBe("defaulted");
    expect(input.value<Float32Array>().field).toEqual({ required: true, updatePolicy: "session_start" });
  });
});
