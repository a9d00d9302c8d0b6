import {
  canonicalInputs,
  defaultCanonicalizer,
  eventCatalogue,
  modelInputs,
  stepRequest,
  type InputMapping,
  type Mapping,
} from "@dreamloop/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Tensor } from "../manifest/tensor.ts";
import { readManifest } from "../manifest/read-manifest.ts";
import type { ImageDeclaration, PromptDeclaration, WorldManifest } from "../manifest/world-manifest.ts";
import { controlMappings, neutralTensor } from "../plan/control-mapping.ts";
import { imageTensor } from "../session/image-tensor.ts";
import { InitialEncoder, REFUSED_PROMPTS } from "../session/initial-encoder.ts";
import { PromptEncoder, splitWords } from "../plan/prompt-encoder.ts";
import { conditioningMappings } from "./bundle-mapping.ts";
import { rawTensor } from "../session/raw-tensor.ts";

const numbers = (tensor: Tensor | undefined): number[] => [...(tensor?.data ?? [])].map(Number);

function manifestWith(inputs: object): WorldManifest {
  const { manifest, faults } = readManifest({
    formatVersion: 1,
    id: "inputs",
    title: "Inputs",
    licence: "MIT",
    files: {},
    video: { width: 2, height: 2, framesPerSecond: 10, layout: "tchw", range: "unit" },
    inputs,
    graphs: {},
    pipeline: { step: [{ type: "set", from: "constant:black", to: "frames" }] },
  });
  expect(faults).toEqual([]);
  if (manifest === undefined) throw new Error("no manifest");
  return manifest;
}

const prompt: PromptDeclaration = {
  type: "prompt",
  dtype: "int64",
  shape: [1, 4],
  required: true,
  updatePolicy: "step_boundary",
  conditioning: "prompt",
  vocabulary: { split: "non_letters", padding: 0 },
};
const words = new Map([
  ["snowy", 5],
  ["road", 6],
  ["sunset", 7],
]);

describe("prompts", () => {
  const encoder = new PromptEncoder(prompt, words);

  test("known words become their numbers in order, the rest is padding, unknown words are reported", () => {
    const encoded = encoder.encode("A SNOWY road, at sunset!");
    expect(encoded.tensor.dtype).toBe("int64");
    expect(numbers(encoded.tensor)).toEqual([5, 6, 7, 0]);
    expect(encoded).toMatchObject({ knownWords: ["snowy", "road", "sunset"], unknownWords: ["a", "at"], cutWords: [] });
  });

  test("words that there is no room for are reported too", () => {
    const encoded = encoder.encode("road road road road sunset");
    expect(numbers(encoded.tensor)).toEqual([6, 6, 6, 6]);
    expect(encoded.cutWords).toEqual(["sunset"]);
  });

  test("an empty prompt takes the prompt away, one of unknown words only is told apart", () => {
    expect(numbers(encoder.encode("").tensor)).toEqual([0, 0, 0, 0]);
    expect(encoder.isUnknown("")).toBe(false);
    expect(encoder.isUnknown("purple haze")).toBe(true);
    expect(encoder.isUnknown("purple road")).toBe(false);
  });

  test("letters of every script are letters, and splitting at white space keeps the rest", () => {
    expect(splitWords("Straße/雨 été-2", "non_letters")).toEqual(["straße", "雨", "été"]);
    expect(splitWords("  <lora:1> don't ", "whitespace")).toEqual(["<lora:1>", "don't"]);
  });

  test("no prompt is ever lost silently: every word is known, unknown or cut", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), (text) => {
        const { knownWords, unknownWords, cutWords } = encoder.encode(`${text} road`);
        const reported = new Set([...knownWords, ...unknownWords, ...cutWords]);
        for (const word of splitWords(`${text} road`, "non_letters")) expect(reported.has(word)).toBe(true);
      }),
    );
  });
});

describe("prompts that arrive while the world runs", () => {
  const manifest = manifestWith({
    initial: { prompt: { ...prompt, vocabulary: { words: Object.fromEntries(words) } } },
  });
  const [mapping] = conditioningMappings(manifest, new Map([["prompt", new PromptEncoder(prompt, words)]]));
  const arrive = (value: Mapping) =>
    mapping?.mapStepInputs({
      canonical: canonicalInputs({ values: { conditioning: value } }),
      modelInputs: modelInputs({ step: { kept: 1 } }),
      request: stepRequest({ stepIndex: 3 }),
      state: null,
    }).inputs;

  test("become an update when a word is known", () => {
    expect(arrive({ prompt: "purple sunset" })).toMatchObject({
      update: { prompt: "purple sunset" },
      step: { kept: 1 },
    });
  });

  test("change nothing when no word is known, and are reported", () => {
    const inputs = arrive({ prompt: "asdf" });
    expect(inputs?.update).toEqual({});
    expect(inputs?.metadata?.[REFUSED_PROMPTS]).toEqual({
      prompt: { knownWords: [], unknownWords: ["asdf"], cutWords: [], applied: false },
    });
  });

  test("of another kind leave the inputs alone", () => {
    expect(arrive({ image: "x" })?.update).toEqual({});
  });
});

describe("pictures", () => {
  const image: ImageDeclaration = {
    type: "image",
    dtype: "float32",
    shape: [1, 3, 1, 2],
    required: true,
    updatePolicy: "session_start",
    layout: "chw",
    range: "signed",
  };
  const rgba = {
    width: 2,
    height: 1,
    format: "rgba8",
    layout: "thwc",
    colorSpace: "srgb",
    range: "full",
    data: Uint8Array.of(255, 0, 51, 9, 0, 255, 102, 9),
  } as const;

  test("are brought into the layout and the range of the tensor", () => {
    const signed = numbers(imageTensor(image, rgba, "x"));
    [1, -1, -1, 1, -0.6, -0.2].forEach((value, index) => expect(signed[index]).toBeCloseTo(value, 6));
    const bytes = imageTensor({ ...image, dtype: "uint8", shape: [1, 2, 3], layout: "hwc", range: "full" }, rgba, "x");
    expect(numbers(bytes)).toEqual([255, 0, 51, 0, 255, 102]);
    const planes = {
      ...rgba,
      format: "rgbf32",
      layout: "tchw",
      range: "unit",
      data: Float32Array.of(1, 0, 0, 1, 0.2, 0.4),
    };
    expect(numbers(imageTensor(image, planes, "x"))[4]).toBeCloseTo(-0.6, 6);
  });

  test("of another size are refused with both sizes", () => {
    const tall = { ...rgba, width: 1, height: 2 };
    expect(() => imageTensor(image, tall, "ModelInputs.initial.frame")).toThrow(
      /ModelInputs\.initial\.frame: expected one picture of 2×1, found "1 of 1×2"/,
    );
  });

  test("that do not say what they are are refused: nothing is guessed", () => {
    expect(() => imageTensor(image, { data: rgba.data }, "x")).toThrow(/VideoChunk/);
    expect(() => imageTensor(image, "picture.png", "x")).toThrow(/VideoChunk/);
  });
});

describe("tensors", () => {
  test("are taken by reference when they have the right kind and size", () => {
    const data = new Uint8Array(4);
    expect(rawTensor({ dtype: "uint8", shape: [2, 2] }, data, "x").data).toBe(data);
    expect(numbers(rawTensor({ dtype: "int64", shape: [2] }, [3, 4], "x"))).toEqual([3, 4]);
  });

  test.each<[string, "float32" | "int64", unknown, RegExp]>([
    [
      "another kind of array",
      "float32",
      new Uint8Array(2),
      /typed array of float32, or a list of numbers, found .*Uint8Array/,
    ],
    ["too few elements", "float32", new Float32Array(1), /2 elements for the shape \[2\], found number 1/],
    ["a list of another length", "float32", [1, 2, 3], /2 numbers for the shape \[2\], found a list of 3/],
    ["fractions for whole numbers", "int64", [0.5, 1], /whole numbers/],
    ["NaN", "float32", [NaN, 1], /list of numbers/],
  ])("refuse %s", (_, dtype, value, message) => {
    expect(() => rawTensor({ dtype, shape: [2] }, value, "ModelInputs.step.x")).toThrow(message);
  });
});

describe("choices and defaults", () => {
  const { inputs } = manifestWith({
    initial: {
      weather: { type: "choice", dtype: "float32", shape: [2], choices: { Rain: [1, 0], snow: [0, 1] } },
      seedling: { type: "tensor", dtype: "float32", shape: [2], default: 0.5 },
      optional: { type: "tensor", dtype: "float32", shape: [2], required: false },
    },
  });
  const encoder = new InitialEncoder(inputs.initial, new Map());

  test("a choice is found whatever its case, and an unknown one is answered with those there are", () => {
    expect(numbers(encoder.encode("weather", { weather: " rain " }, "initial")?.tensor)).toEqual([1, 0]);
    expect(() => encoder.encode("weather", { weather: "snw" }, "update")).toThrow(
      /ModelInputs\.update\.weather: expected one of "Rain", "snow" \(did you mean "snow"\?\), found "snw"/,
    );
  });

  test("what is not given has its default, or is not there", () => {
    expect(numbers(encoder.encode("seedling", {}, "initial")?.tensor)).toEqual([0.5, 0.5]);
    expect(encoder.encode("optional", {}, "initial")).toBeUndefined();
  });
});

describe("controls", () => {
  const manifest = manifestWith({
    step: {
      push: {
        type: "vector",
        dtype: "float32",
        shape: [1, 4],
        components: [
          { from: "driver_command.steer", scale: 0.6, unit: "rad", neutral: 0, mean: 0.1, deviation: 0.5 },
          { from: "driver_command.reverse", unit: "1", neutral: 0 },
          { from: "look_delta.deltaX", scale: 0.01, unit: "rad", neutral: 0 },
          { action: "jump", unit: "1", neutral: 0 },
        ],
      },
      move: {
        type: "discrete",
        dtype: "int64",
        shape: [1],
        encoding: "index",
        cases: [
          { held: ["left", "jump"], value: 7 },
          { held: ["left"], value: 3 },
        ],
        neutral: 1,
      },
    },
  });
  const mappings = controlMappings(manifest);
  const map = (mapping: InputMapping | undefined, values: Readonly<Record<string, Mapping>>): number[] => {
    const mapped = mapping?.mapStepInputs({
      canonical: canonicalInputs({ values }),
      modelInputs: modelInputs(),
      request: stepRequest({ stepIndex: 0 }),
      state: null,
    });
    const step: Mapping = mapped?.inputs.step ?? {};
    return [...(Object.values(step)[0] as Float32Array)].map(Number);
  };
  const actions = (...held: string[]): Mapping => ({ held, pressed: {} });

  test("legends explain the shared actions that step inputs name, and no others", () => {
    const source = eventCatalogue().schema();
    const controls = (given: readonly InputMapping[]): readonly string[] =>
      defaultCanonicalizer(undefined, given)
        .convertersFor(source)
        .filter(({ produces }) => produces.name === "actions")
        .flatMap((converter) => converter.controls.map(({ device, label }) => `${device}: ${label}`));
    expect(controls(mappings)).toEqual(["gamepad: Left", "gamepad: Jump", "keyboard: Left", "keyboard: Jump"]);
  });

  test("A10: canonical values become physical ones, and those what the model was trained on", () => {
    const values = {
      driver_command: { throttle: 0, brake: 0, steer: -1, reverse: true, stop: false },
      look_delta: { deltaX: 50, deltaY: 0, wheel: 0 },
      actions: actions("jump"),
    };
    const pushed = map(mappings[0], values);
    [(-0.6 - 0.1) / 0.5, 1, 0.5, 1].forEach((value, index) => expect(pushed[index]).toBeCloseTo(value, 6));
  });

  test("A10: without a device the model gets the neutral action in its own units", () => {
    const push = manifest.inputs.step.push;
    const neutral = numbers(push && neutralTensor(push));
    [-0.2, 0, 0, 0].forEach((value, index) => expect(neutral[index]).toBeCloseTo(value, 6));
    map(mappings[0], {}).forEach((value, index) => expect(value).toBeCloseTo(neutral[index] ?? NaN, 6));
    expect(map(mappings[1], {})).toEqual([1]);
  });

  test("the first case whose actions are all held counts", () => {
    expect(map(mappings[1], { actions: actions("left") })).toEqual([3]);
    expect(map(mappings[1], { actions: actions("jump", "left") })).toEqual([7]);
    expect(map(mappings[1], { actions: actions("jump") })).toEqual([1]);
  });

  test("each control says which modalities it needs, so that one that cannot be fed is dropped alone", () => {
    expect(mappings.map(({ name, consumes }) => [name, consumes.map((each) => each.name)])).toEqual([
      ["bundle:push", ["driver_command", "look_delta", "actions"]],
      ["bundle:move", ["actions"]],
    ]);
  });
});
