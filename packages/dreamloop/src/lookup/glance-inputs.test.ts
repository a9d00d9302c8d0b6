import { toyFlowWorld, toyPictureWorld, type BundleContents } from "@dreamloop/onnx/testing";
import { describe, expect, test } from "vitest";
import { glanceAtInputs } from "./glance-inputs.ts";

function manifestOf(contents: BundleContents): Record<string, unknown> {
  return JSON.parse(new TextDecoder().decode(contents["world.json"])) as Record<string, unknown>;
}

describe("the initial inputs of a manifest that nobody has checked", () => {
  test("are told with the size of pictures", () => {
    expect(glanceAtInputs(manifestOf(toyPictureWorld(() => "")))).toEqual([
      {
        name: "first_frame",
        required: false,
        updatePolicy: "session_start",
        description: "What it shows.",
        image: { width: 64, height: 48 },
      },
    ]);
    expect(glanceAtInputs(manifestOf(toyFlowWorld(() => "")))).toEqual([
      { name: "prompt", required: false, updatePolicy: "step_boundary", description: "" },
    ]);
    const packed = { type: "image", shape: [1, 5, 7, 3], layout: "hwc" };
    expect(glanceAtInputs({ inputs: { initial: { a: packed } } })).toMatchObject([{ image: { width: 7, height: 5 } }]);
  });

  test("are left out where they cannot be read", () => {
    for (const manifest of [{}, { inputs: 3 }, { inputs: { initial: [] } }, { inputs: { initial: { a: "x" } } }])
      expect(glanceAtInputs(manifest)).toEqual([]);
    const odd = { type: "image", shape: [1, 3, "any", 7], layout: "chw" };
    expect(glanceAtInputs({ inputs: { initial: { odd } } })[0]).not.toHaveProperty("image");
  });
});
