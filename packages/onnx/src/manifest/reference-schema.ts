import { z } from "zod";
import { pathSchema } from "./tensor-schema.ts";

/** The most frames that a reference may have. */
export const MAX_REFERENCE_FRAMES = 8;

/** How alike a frame has to be where its bits cannot be compared, unless the manifest says otherwise, in dB. */
export const DEFAULT_MINIMUM_PSNR = 30;

const words = z.string().min(1).max(400);

/** What decides about the bits of a frame: where all of it is the same, the frames are. */
export const referenceEnvironmentSchema = z
  .strictObject({
    engine: words.describe("Name of the engine, such as onnxruntime-node."),
    engineVersion: words.describe("Its version."),
    processor: words.describe("System, processor and instruction sets, as the engine tells them."),
    threads: z.int().min(1).max(1024).describe("Threads of a run."),
  })
  .describe("Where the frames were made. In the same environment they are compared bit for bit. Absent: never.");

/** The frames that a world has to show when it is loaded. */
export const referenceFramesSchema = z
  .strictObject({
    file: pathSchema.describe("File with the frames, each height x width x 3 bytes: red, green, blue, row by row."),
    count: z.int().min(1).max(MAX_REFERENCE_FRAMES).describe("How many frames the file holds."),
    minimumPsnr: z
      .number()
      .positive()
      .max(200)
      .default(DEFAULT_MINIMUM_PSNR)
      .describe(`PSNR in dB that each frame needs in another environment. Default ${DEFAULT_MINIMUM_PSNR}.`),
    environment: referenceEnvironmentSchema.optional(),
  })
  .describe(
    "The first frames with seed 0, the neutral action and the default inputs; every load is checked against them.",
  );
