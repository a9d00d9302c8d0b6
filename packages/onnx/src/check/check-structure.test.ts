import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contentFiles, sha256Hex } from "../node/index.ts";
import {
  toyFlowWorld,
  toyStepWorld,
  writeOnnxModel,
  type BundleContents,
  type OnnxInitializer,
  type OnnxModelInput,
} from "../testing/index.ts";
import { checkBundleFiles } from "../adapter/check-bundle.ts";
import { bundleError, describeFault, type Fault } from "../faults/fault.ts";

/** A place in a manifest and what is written there; `undefined` removes it. */
type Edit = readonly [path: readonly (string | number)[], value: unknown];

/** The toy world with its manifest changed. */
function edited(...edits: readonly Edit[]): BundleContents {
  return editedIn(toyFlowWorld(sha256Hex), ...edits);
}

function editedIn(contents: BundleContents, ...edits: readonly Edit[]): BundleContents {
  const manifest: unknown = JSON.parse(new TextDecoder().decode(contents["world.json"]));
  for (const [path, value] of edits) {
    const parent = path.slice(0, -1).reduce((node, key) => (node as Record<string, unknown>)[key], manifest);
    const last = path[path.length - 1] ?? "";
    (parent as Record<string, unknown>)[last] = value;
  }
  return { ...contents, "world.json": new TextEncoder().encode(JSON.stringify(manifest)) };
}

/** The toy world with a file replaced, its size and hash kept up to date. */
function withFile(path: string, bytes: Uint8Array, contents = toyFlowWorld(sha256Hex)): BundleContents {
  const entry = { bytes: bytes.length, sha256: sha256Hex(bytes) };
  const listed = editedIn(contents, [["files", path], entry]);
  return { ...listed, [path]: bytes };
}

async function faultsOf(contents: BundleContents): Promise<readonly Fault[]> {
  return (await checkBundleFiles(contentFiles(contents), { level: "structure" })).faults;
}

const identity: OnnxModelInput = {
  inputs: [{ name: "tokens", dtype: "int64", shape: [1, 4] }],
  outputs: [{ name: "embedding", dtype: "float32", shape: [1, 4] }],
  nodes: [{ op: "Cast", inputs: ["tokens"], outputs: ["embedding"], attributes: { to: 1 } }],
};
const promptModel = (change: Partial<OnnxModelInput>): Uint8Array => writeOnnxModel({ ...identity, ...change }).model;

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const manifestText = (contents: BundleContents): string => new TextDecoder().decode(contents["world.json"]);
const truth = (name: string, value: 0 | 1): OnnxInitializer => ({
  name,
  dtype: "bool",
  shape: [],
  data: Uint8Array.of(value),
});

/** The prompt graph with a node that makes noise from its output. */
const noisy = (op: string, inputs: readonly string[] = [], initializers: readonly OnnxInitializer[] = []) =>
  promptModel({
    nodes: [
      { op: "Cast", inputs: ["tokens"], outputs: ["clean"], attributes: { to: 1 } },
      { op, inputs: ["clean", ...inputs], outputs: ["embedding"] },
    ],
    initializers,
  });

/** Something wrong with a bundle, and the one fault that it has to lead to. */
interface Case {
  readonly wrong: string;
  readonly contents: () => BundleContents;
  readonly fault: Partial<Record<keyof Fault, unknown>>;
}

const cases: readonly Case[] = [
  {
    wrong: "no manifest",
    contents: () => ({}),
    fault: { code: "manifest_missing", file: "world.json" },
  },
  {
    wrong: "a manifest that is no JSON",
    contents: () => ({ "world.json": new TextEncoder().encode("{") }),
    fault: { code: "not_json", file: "world.json", path: "line 1, column 2" },
  },
  {
    wrong: "a manifest of more than 1 MiB",
    contents: () => ({ "world.json": new Uint8Array(1_048_577) }),
    fault: { code: "not_json", found: "1048577 bytes, more than 1048576" },
  },
  {
    wrong: "a manifest in UTF-16",
    contents: () => ({ "world.json": Uint8Array.of(0xff, 0xfe, 0x7b, 0, 0x7d, 0) }),
    fault: { code: "not_json", found: "UTF-16 text", mend: "Save it as UTF-8." },
  },
  {
    wrong: "a key that stands twice, a byte order mark before it",
    contents: () => {
      const contents = toyFlowWorld(sha256Hex);
      const twice = manifestText(contents).replace('"width": 8,', '"width": 8,\n    "width": 8,');
      return { ...contents, "world.json": text(`\uFEFF${twice}`) };
    },
    fault: { code: "duplicate_key", path: "video.width", found: "a second one at line 12, column 5" },
  },
  {
    wrong: "a vocabulary outside of the bundle",
    contents: () => edited([["inputs", "initial", "prompt", "vocabulary"], { file: "../words.json" }]),
    fault: { code: "path_unsafe", path: "inputs.initial.prompt.vocabulary.file" },
  },
  {
    wrong: "a default prompt with words that nobody knows",
    contents: () => edited([["inputs", "initial", "prompt", "default"], "clam wild"]),
    fault: {
      code: "invalid_value",
      path: "inputs.initial.prompt.default",
      found: "clam",
      mend: 'Did you mean "calm"?',
    },
  },
  {
    wrong: "a default prompt that there is no room for",
    contents: () => edited([["inputs", "initial", "prompt", "default"], "calm wild warm cold calm"]),
    fault: { code: "invalid_value", path: "inputs.initial.prompt.default", expected: "at most 4 words" },
  },
  {
    wrong: "a modality that no device supplies",
    contents: () => edited([["inputs", "step", "controls", "components", 0, "from"], "driver_comand.throttle"]),
    fault: {
      code: "reference",
      path: "inputs.step.controls.components[0].from",
      found: '"driver_comand"',
      mend: 'Did you mean "driver_command"?',
    },
  },
  {
    wrong: "a field that the modality lacks",
    contents: () => edited([["inputs", "step", "controls", "components", 1, "from"], "driver_command.stear"]),
    fault: { code: "reference", path: "inputs.step.controls.components[1].from", mend: 'Did you mean "steer"?' },
  },
  {
    wrong: "held actions where a number is needed",
    contents: () => edited([["inputs", "step", "controls", "components", 1, "from"], "actions.held"]),
    fault: { code: "reference", found: "actions.held", mend: /"action": "NAME"/ },
  },
  {
    wrong: "a key that no keyboard has",
    contents: () =>
      editedIn(toyStepWorld(sha256Hex), [
        ["actions", "left", "keys"],
        ["KeyA", "Keyb"],
      ]),
    fault: { code: "invalid_value", path: "actions.left.keys[1]", found: '"Keyb"', mend: 'Did you mean "KeyB"?' },
  },
  {
    wrong: "a button that no gamepad has",
    contents: () => editedIn(toyStepWorld(sha256Hex), [["actions", "left", "pad"], ["Button99"]]),
    fault: { code: "invalid_value", path: "actions.left.pad[0]", found: '"Button99"' },
  },
  {
    wrong: "a graph that draws random numbers",
    contents: () => withFile("prompt.onnx", noisy("RandomNormalLike")),
    fault: { code: "random_operator", file: "prompt.onnx", path: "graphs.prompt", mend: /noise:NAME/ },
  },
  {
    wrong: "a graph that draws from a distribution",
    contents: () => withFile("prompt.onnx", noisy("Bernoulli")),
    fault: { code: "random_operator", found: "Bernoulli" },
  },
  {
    wrong: "dropout in training",
    contents: () => withFile("prompt.onnx", noisy("Dropout", ["", "training"], [truth("training", 1)])),
    fault: { code: "random_operator", found: "Dropout", mend: /model\.eval\(\)/ },
  },
  {
    wrong: "an operator set that nobody has released",
    contents: () => withFile("prompt.onnx", promptModel({ opset: 99 })),
    fault: { code: "opset", expected: "opset 7 to 26 of the standard operators", found: "opset 99" },
  },
  {
    wrong: "an operator set that is too old",
    contents: () => withFile("prompt.onnx", promptModel({ opset: 6 })),
    fault: { code: "opset", found: "opset 6" },
  },
  {
    wrong: "another version of the format",
    contents: () => edited([["formatVersion"], 2]),
    fault: { code: "format_version", path: "formatVersion", expected: "the number 1", found: "number 2" },
  },
  {
    wrong: "H2: an unknown key",
    contents: () => edited([["graphs", "denoise", "output"], {}]),
    fault: { code: "unknown_key", path: "graphs.denoise.output", mend: /Did you mean "outputs"/ },
  },
  {
    wrong: "H2: a missing key",
    contents: () => edited([["video", "width"], undefined]),
    fault: { code: "missing_key", path: "video.width" },
  },
  {
    wrong: "a value out of range",
    contents: () => edited([["video", "framesPerSecond"], 0]),
    fault: { code: "invalid_value", path: "video.framesPerSecond", expected: "a value above 0", found: "number 0" },
  },
  {
    wrong: "an unknown kind of item",
    contents: () => edited([["pipeline", "step", 0, "type"], "sampel"]),
    fault: {
      code: "invalid_value",
      path: "pipeline.step[0].type",
      found: '"sampel"',
      expected: /one of "graph", "sample"/,
    },
  },
  {
    wrong: "H3: a precision that is not supported",
    contents: () => edited([["precision"], "fp16"]),
    fault: { code: "unsupported_precision", path: "precision", expected: '"fp32"' },
  },
  {
    wrong: "H3: an element type of reduced precision in the manifest",
    contents: () => edited([["graphs", "prompt", "outputs", "embedding", "dtype"], "bfloat16"]),
    fault: { code: "unsupported_precision", path: "graphs.prompt.outputs.embedding.dtype" },
  },
  {
    wrong: "H3: an element type of reduced precision in a graph",
    contents: () =>
      withFile("prompt.onnx", promptModel({ outputs: [{ name: "embedding", dtype: "bfloat16", shape: [1, 4] }] })),
    fault: {
      code: "unsupported_precision",
      file: "prompt.onnx",
      path: "graphs.prompt.outputs.embedding",
      found: "bfloat16[1, 4]",
    },
  },
  {
    wrong: "a file that is missing",
    contents: () => {
      const { "decode.bin": _, ...rest } = toyFlowWorld(sha256Hex);
      return rest;
    },
    fault: { code: "file_missing", file: "decode.bin" },
  },
  {
    wrong: "a file that is cut short",
    contents: () => {
      const contents = toyFlowWorld(sha256Hex);
      return { ...contents, "decode.bin": contents["decode.bin"]?.subarray(1) ?? new Uint8Array() };
    },
    fault: { code: "file_size", file: "decode.bin", found: "1539 bytes" },
  },
  {
    wrong: "a path that leaves the bundle",
    contents: () => edited([["files", "../secret.bin"], { bytes: 1, sha256: "0".repeat(64) }]),
    fault: { code: "path_unsafe", path: 'files["../secret.bin"]', found: /leaves the bundle/ },
  },
  {
    wrong: "an absolute path",
    contents: () => edited([["model", "card"], "/etc/passwd"]),
    fault: { code: "path_unsafe", path: "model.card", found: /absolute/ },
  },
  {
    wrong: "a path with backslashes",
    contents: () => edited([["model", "card"], "..\\card.md"]),
    fault: { code: "path_unsafe", found: /backslash/ },
  },
  {
    wrong: "a model card that does not exist",
    contents: () => edited([["model", "card"], "CARD.md"]),
    fault: { code: "file_missing", file: "CARD.md", path: "model.card" },
  },
  {
    wrong: "a graph whose file is not listed",
    contents: () => edited([["files", "prompt.onnx"], undefined]),
    fault: { code: "file_unlisted", path: "graphs.prompt.file" },
  },
  {
    wrong: "weights that are not listed",
    contents: () => edited([["files", "prompt.bin"], undefined]),
    fault: { code: "file_unlisted", file: "prompt.onnx", found: '"prompt.bin"' },
  },
  {
    wrong: "a graph with its weights inside",
    contents: () => withFile("prompt.onnx", new Uint8Array(1_048_577)),
    fault: { code: "graph_too_large", file: "prompt.onnx", mend: /save_as_external_data/ },
  },
  {
    wrong: "a graph that is no ONNX model",
    contents: () => withFile("prompt.onnx", new TextEncoder().encode("version https://git-lfs.github.com/spec/v1")),
    fault: { code: "graph_unreadable", file: "prompt.onnx" },
  },
  {
    wrong: "external data that lead out of the bundle",
    contents: () =>
      withFile(
        "prompt.onnx",
        promptModel({
          externalData: "../prompt.bin",
          initializers: [{ name: "w", dtype: "float32", shape: [1], data: new Float32Array(1) }],
        }),
      ),
    fault: { code: "path_unsafe", file: "prompt.onnx", found: /\.\.\/prompt\.bin/ },
  },
  {
    wrong: "external data beyond the end of their file",
    contents: () =>
      withFile(
        "prompt.onnx",
        promptModel({
          externalData: "prompt.bin",
          initializers: [{ name: "w", dtype: "float32", shape: [9], data: new Float32Array(9) }],
        }),
      ),
    fault: { code: "external_data", file: "prompt.bin", expected: '36 bytes for the tensor "w"', found: "4 bytes" },
  },
  {
    wrong: "an input that the graph does not have",
    contents: () =>
      withFile("prompt.onnx", promptModel({ outputs: [{ name: "embeding", dtype: "float32", shape: [1, 4] }] })),
    fault: { code: "graph_port", path: "graphs.prompt.outputs.embedding", found: 'only "embeding"' },
  },
  {
    wrong: "H2: a graph whose names have the prefix of a compile wrapper",
    contents: () =>
      withFile(
        "prompt.onnx",
        promptModel({ outputs: [{ name: "_orig_mod.embedding", dtype: "float32", shape: [1, 4] }] }),
      ),
    fault: { code: "graph_port", path: "graphs.prompt.outputs.embedding", mend: /"stripPrefix": "_orig_mod\."/ },
  },
  {
    wrong: "a graph that wants an input more than is declared",
    contents: () =>
      withFile(
        "prompt.onnx",
        promptModel({ inputs: [...identity.inputs, { name: "length", dtype: "int64", shape: [1] }] }),
      ),
    fault: { code: "graph_port", path: "graphs.prompt.inputs", found: /the input "length", int64\[1\]/ },
  },
  {
    wrong: "another element type than the graph has",
    contents: () =>
      withFile("prompt.onnx", promptModel({ inputs: [{ name: "tokens", dtype: "int32", shape: [1, 4] }] })),
    fault: { code: "graph_dtype", path: "graphs.prompt.inputs.tokens", expected: "int64[1, 4]", found: "int32[1, 4]" },
  },
  {
    wrong: "another shape than the graph has",
    contents: () =>
      withFile("prompt.onnx", promptModel({ inputs: [{ name: "tokens", dtype: "int64", shape: [1, 5] }] })),
    fault: { code: "graph_shape", path: "graphs.prompt.inputs.tokens", found: "int64[1, 5]" },
  },
  {
    wrong: "a vocabulary file that is missing",
    contents: () => edited([["inputs", "initial", "prompt", "vocabulary"], { file: "words.json" }]),
    fault: { code: "file_missing", file: "words.json" },
  },
  {
    wrong: "a word that no prompt can give",
    contents: () => edited([["inputs", "initial", "prompt", "vocabulary", "words", "Very wild"], 9]),
    fault: { code: "invalid_value", path: "inputs.initial.prompt.vocabulary.words.Very wild" },
  },
  ...[
    { wrong: "that has an unknown word", suggestions: ["calm", "wild blue"], expected: /vocabulary/, found: "blue" },
    { wrong: "without a word", suggestions: ["calm", "!?"], expected: /at least one word/, found: '"!?"' },
    {
      wrong: "that is there twice",
      suggestions: ["calm", "Calm!"],
      expected: /each suggestion once/,
      found: '"Calm!"',
    },
    {
      wrong: "that has no room",
      suggestions: ["calm", "calm wild warm cold calm"],
      expected: /at most 4 words/,
      found: '"calm wild warm cold calm"',
    },
  ].map(({ wrong, suggestions, expected, found }) => ({
    wrong: `a suggestion ${wrong}`,
    contents: () => edited([["inputs", "initial", "prompt", "suggestions"], suggestions]),
    fault: { code: "invalid_value", path: "inputs.initial.prompt.suggestions[1]", expected, found },
  })),
  {
    wrong: "suggestions of what is not wanted",
    contents: () => edited([["inputs", "initial", "prompt", "conditioning"], "negativePrompt"]),
    fault: { code: "invalid_value", path: "inputs.initial.prompt.suggestions" },
  },
  {
    wrong: "an unknown domain",
    contents: () => edited([["domain"], "dreamloop/flight@1"]),
    fault: { code: "domain", path: "domain", found: '"dreamloop/flight@1"' },
  },
  {
    wrong: "an action that no device does",
    contents: () =>
      editedIn(
        toyStepWorld(sha256Hex),
        [["actions"], undefined],
        [["inputs", "step", "action", "cases", 1, "held"], ["rigth"]],
      ),
    fault: {
      code: "reference",
      path: "inputs.step.action.cases[1].held[0]",
      expected: /all worlds share, or one named in "actions": one of forward, back, left, right/,
      found: '"rigth"',
      mend: 'Did you mean "right"?',
    },
  },
  {
    wrong: "an action that the world does not name",
    contents: () =>
      editedIn(toyStepWorld(sha256Hex), [["actions"], { left: { keys: ["KeyQ"] }, turn: { keys: ["KeyE"] } }]),
    fault: { code: "reference", path: "inputs.step.action.cases[1].held[0]", found: '"right"' },
  },
  {
    wrong: "an unknown sampler",
    contents: () => edited([["pipeline", "step", 0, "sampler"], "ddmi"]),
    fault: { code: "sampler", path: "pipeline.step[0].sampler", found: '"ddmi"', mend: 'Did you mean "ddim"?' },
  },
  {
    wrong: "A10: a neutral action that an idle device does not give",
    contents: () => edited([["inputs", "step", "controls", "components", 0, "offset"], -1]),
    fault: {
      code: "neutral_action",
      path: "inputs.step.controls.components[0].neutral",
      expected: "-1 m/s2, which an idle device gives",
      found: "0 m/s2",
    },
  },
];

describe("the first phase of a check", () => {
  test("sizes and hashes that are still to be filled in are asked for, and nothing else", async () => {
    const files = { "step.onnx": { bytes: 0, sha256: "" }, "step.bin": { bytes: 0, sha256: "" } };
    const faults = await faultsOf(editedIn(toyStepWorld(sha256Hex), [["files"], files]));
    expect(faults.map(({ code, path }) => [code, path])).toEqual(
      Object.keys(files).map((file) => ["invalid_value", `files["${file}"].sha256`]),
    );
  });

  test("finds nothing wrong with the toy worlds", async () => {
    expect(await faultsOf(toyFlowWorld(sha256Hex))).toEqual([]);
    expect(await faultsOf(toyStepWorld(sha256Hex))).toEqual([]);
  });

  test.each(cases)("H1: explains $wrong", async ({ contents, fault }) => {
    const [found, ...others] = await faultsOf(contents());
    expect(others).toEqual([]);
    expect(found).toBeDefined();
    for (const [key, expected] of Object.entries(fault)) {
      const value = found?.[key as keyof Fault];
      if (expected instanceof RegExp) expect(value).toMatch(expected);
      else expect(value).toBe(expected);
    }
    for (const part of [found?.file, found?.expected, found?.found, found?.mend]) expect(part).toBeTruthy();
  });

  test("H1: reports all faults at once, also those of files and graphs beside a broken manifest", async () => {
    const wrongPort = promptModel({ inputs: [{ name: "tokens", dtype: "int64", shape: [1, 5] }] });
    const contents = editedIn(
      withFile("prompt.onnx", wrongPort),
      [["title"], undefined],
      [["video", "layout"], "hwc"],
      [["sampler"], {}],
    );
    delete contents["decode.bin"];
    const faults = await faultsOf(contents);
    const seen = faults.map(({ code, path }) => `${code} ${path}`).sort();
    expect(seen).toEqual([
      'file_missing files["decode.bin"]',
      "graph_shape graphs.prompt.inputs.tokens",
      "invalid_value video.layout",
      "missing_key title",
      "unknown_key sampler",
    ]);
  });

  test("H1: reads no file beyond 1 MiB and no weights", async () => {
    const contents = withFile("decode.bin", new Uint8Array(3_000_000));
    const files = contentFiles(contents);
    const read = new Map<string, number>();
    const watched: typeof files = {
      ...files,
      sha256: () => Promise.reject(new Error("nothing is hashed in this phase")),
      read: async (path, options) => {
        const bytes = await files.read(path, options);
        read.set(path, (read.get(path) ?? 0) + bytes.length);
        return bytes;
      },
    };
    expect((await checkBundleFiles(watched, { level: "structure" })).faults).toEqual([]);
    expect([...read.keys()].filter((path) => !/\.(onnx|json)$/.test(path))).toEqual([]);
    for (const bytes of read.values()) expect(bytes).toBeLessThan(1_048_576);
  });

  test("a fault is one line of text, and an error carries all of them", async () => {
    const faults = await faultsOf(edited([["video"], {}]));
    const error = bundleError("worlds/toy", faults);
    expect(error.code).toBe("bundle_invalid");
    expect(error.message).toContain("worlds/toy has 5 faults");
    expect(error.details.faults).toEqual(faults);
    expect(faults[0] && describeFault(faults[0])).toBe(
      "world.json: video.width: expected a number, found nothing. Add the key. (missing_key)",
    );
  });

  test("dropout that a model was exported without is no fault", async () => {
    expect(await faultsOf(withFile("prompt.onnx", noisy("Dropout")))).toEqual([]);
    expect(await faultsOf(withFile("prompt.onnx", noisy("Dropout", ["", "training"], [truth("training", 0)])))).toEqual(
      [],
    );
  });

  test("states that do not fit into the memory are named before anything is allocated", async () => {
    const contents = contentFiles(toyFlowWorld(sha256Hex));
    const report = await checkBundleFiles(contents, { level: "structure", memoryBytes: 1024 });
    expect(report.faults).toEqual([
      expect.objectContaining({
        code: "memory",
        path: "files",
        expected: "at most 1.0 KiB of memory",
        found: expect.stringMatching(
          /^[\d.]+ KiB: weights .* KiB, 3 copies of the states "memory" 64 bytes, "last" 16 bytes$/,
        ) as unknown,
      }),
    ]);
    const fits = await checkBundleFiles(contentFiles(toyFlowWorld(sha256Hex)), {
      level: "structure",
      memoryBytes: 2 ** 20,
    });
    expect(fits.faults).toEqual([]);
  });

  test("ten thousand faults are found in a moment's work, and a message lists twenty and counts the rest", async () => {
    const extra = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`extra${index}`, 1]));
    const faults = await faultsOf(
      edited([["video"], { ...extra, width: 8, height: 4, framesPerSecond: 1, layout: "tchw", range: "unit" }]),
    );
    expect(faults).toHaveLength(10_000);
    const { message } = bundleError("worlds/toy", [...faults, ...faults]);
    expect(message.split("\n")).toHaveLength(22);
    expect(message).toMatch(/has 10000 faults:\n[^]*\n {2}and 9980 more$/);
  });

  test("an arbitrary manifest is explained, never stumbled over", async () => {
    const contents = toyFlowWorld(sha256Hex);
    const whole = JSON.parse(new TextDecoder().decode(contents["world.json"])) as Record<string, unknown>;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(whole)), fc.jsonValue({ maxDepth: 3 }), async (key, value) => {
        const faults = await faultsOf(edited([[key], value]));
        for (const { code, mend } of faults) expect(code && mend).toBeTruthy();
      }),
      { numRuns: 60 },
    );
  });
});
