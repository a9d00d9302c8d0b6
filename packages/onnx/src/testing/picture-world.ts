import type { BundleContents, Digest } from "../manifest/memory-files.ts";
import type { WorldManifestInput } from "../manifest/world-manifest.ts";
import type { OnnxModelInput } from "./model-writer.ts";
import { packBundle } from "./pack-bundle.ts";
import { floatWeight } from "./weights.ts";

const WIDTH = 64;
const HEIGHT = 48;
const PICTURE = { dtype: "float32", shape: [1, 3, HEIGHT, WIDTH] } as const;

/** The picture as it is. */
const show: OnnxModelInput = {
  inputs: [{ name: "picture", ...PICTURE }],
  outputs: [{ name: "frame", ...PICTURE }],
  nodes: [{ op: "Mul", inputs: ["picture", "one"], outputs: ["frame"] }],
  initializers: [floatWeight("one", [1], [1])],
};

const ports = { dtype: PICTURE.dtype, shape: [...PICTURE.shape] };

const manifest: Omit<WorldManifestInput, "files"> = {
  formatVersion: 1,
  id: "toy-picture",
  title: "Toy: a picture",
  description: "Shows the picture that it was started from, or grey.",
  licence: "Apache-2.0",
  video: { width: WIDTH, height: HEIGHT, framesPerSecond: 20, layout: "tchw", range: "unit" },
  inputs: {
    initial: {
      first_frame: {
        type: "image",
        required: false,
        ...ports,
        layout: "chw",
        range: "unit",
        description: "What it shows.",
      },
    },
    step: {},
  },
  state: { picture: { update: "replace", ...ports, initial: 0.5 } },
  graphs: { show: { role: "step", file: "show.onnx", inputs: { picture: ports }, outputs: { frame: ports } } },
  pipeline: {
    start: [{ type: "set", when: "initial:first_frame", from: "initial:first_frame", to: "state:picture" }],
    step: [
      {
        type: "graph",
        graph: "show",
        inputs: { picture: "state:picture" },
        outputs: { frame: ["frames", "state:picture"] },
      },
    ],
  },
};

/** A tiny world that shows its first frame for ever: what it was given is what comes out. */
export function toyPictureWorld(digest: Digest): BundleContents {
  return packBundle({ manifest, models: { show }, digest });
}
