import { COLOR_SPACES } from "@dreamloop/core";
import { z } from "zod";
import { constantSchema, graphSchema, stateSchema } from "./graph-schema.ts";
import { frameLayoutSchema, initialInputSchema, stepInputSchema } from "./input-schema.ts";
import { pipelineSchema } from "./pipeline-schema.ts";
import { referenceFramesSchema } from "./reference-schema.ts";
import { nameSchema, pathSchema, textSchema, unitSchema } from "./tensor-schema.ts";

/** The version of the format that this package reads. */
export const FORMAT_VERSION = 1;

/** One file of a bundle. */
export const fileSchema = z.strictObject({
  bytes: z.int().min(0).describe("Size."),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "64 lower-case hexadecimal digits")
    .describe("SHA-256, 64 lower-case hexadecimal digits."),
});

const modelSchema = z
  .strictObject({
    version: z.string().max(64).optional().describe("Version of the weights."),
    parameters: z.int().min(0).optional().describe("Number of weights."),
    authors: z.array(z.string().max(200)).max(100).optional(),
    homepage: z.string().max(500).optional(),
    trainingData: textSchema.optional(),
    card: pathSchema.optional().describe("File with the model card."),
  })
  .describe("Facts about the model, for people.");

const frameCount = z.int().min(1).max(1024);

const videoSchema = z.strictObject({
  width: z.int().min(1).max(16_384).describe("Pixels a row."),
  height: z.int().min(1).max(16_384).describe("Rows."),
  framesPerSecond: z.number().positive().max(1000).describe("The world's own rate: that of its training data."),
  framesPerStep: frameCount.default(1).describe("Frames of each step. Default 1."),
  firstStepFrames: frameCount.optional().describe("Frames of the first step. Default framesPerStep."),
  layout: frameLayoutSchema.describe(
    "Order of the axes: t frame, c channel, h row, w column. Axes of length 1 may be missing.",
  ),
  range: z
    .enum(["unit", "signed", "full"])
    .describe("Black and white: 0 and 1, -1 and 1 (float32), or 0 and 255 (uint8)."),
  colorSpace: z.enum(COLOR_SPACES).default("srgb").describe("What the numbers mean. Default srgb."),
  inputLatencySteps: z
    .int()
    .min(0)
    .max(1000)
    .default(0)
    .describe("Steps between an input and the first frame that shows it, beyond the next one. Default 0."),
});

const codes = z.array(z.string().min(1).max(128)).max(64);

const actionSchema = z.strictObject({
  keys: codes.default([]).describe("Keys and mouse buttons that do it, such as KeyW or Mouse0. Default none."),
  pad: codes.default([]).describe("Gamepad buttons and half axes that do it, such as Button0 or Axis1-. Default none."),
});

const neutralActionSchema = z
  .record(
    z.string().regex(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_]+$/, "a modality and a field, such as driver_command.steer"),
    z.strictObject({ value: z.union([z.number(), z.boolean()]), unit: unitSchema }),
  )
  .describe("For worlds with a domain: the neutral action in physical units; has to be that of the domain.");

/** The whole of `world.json`. */
export const worldManifestSchema = z.strictObject({
  $schema: z.string().max(500).optional().describe("Address of this schema, for editors."),
  formatVersion: z.literal(FORMAT_VERSION).describe("Version of the format: 1."),
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,99}$/, "lower-case letters, digits, . _ -, at most 100")
    .describe("Stable identity of the world."),
  title: z.string().min(1).max(200),
  description: textSchema.default(""),
  licence: z.string().min(1).max(200).describe("Licence of the weights, an SPDX expression where there is one."),
  model: modelSchema.default({}),
  poster: pathSchema
    .optional()
    .describe("File with a picture for lists of worlds: PNG, JPEG or WebP of at most 1 MiB, shown as 16:9."),
  precision: z
    .enum(["fp32"])
    .default("fp32")
    .describe("What the graphs compute in. Default fp32, the only one so far."),
  weights: z
    .enum(["fp32", "fp16"])
    .default("fp32")
    .describe(
      "What the weights are stored in. fp16 takes half the room; the graphs convert them to fp32. Default fp32.",
    ),
  domain: z
    .string()
    .regex(/^[a-z0-9-]+\/[a-z0-9-]+@[0-9]+$/, "a name such as dreamloop/drive@1")
    .optional()
    .describe("Simulation that makes step inputs out of what a person does."),
  domainOptions: z.record(z.string(), z.json()).default({}).describe("Settings that the domain knows."),
  files: z.record(pathSchema, fileSchema).describe("Every file of the bundle but world.json and those for people."),
  video: videoSchema,
  inputs: z.strictObject({
    initial: z.record(nameSchema, initialInputSchema).default({}),
    step: z.record(nameSchema, stepInputSchema).default({}),
    alternatives: z
      .array(z.array(nameSchema).min(1))
      .max(32)
      .default([])
      .describe("Sets of initial inputs of which one must be complete."),
  }),
  actions: z
    .record(z.string().min(1).max(64), actionSchema)
    .optional()
    .describe("Named actions and what does them. Absent: the names and keys that all worlds share."),
  neutralAction: neutralActionSchema.optional(),
  randomStreams: z.array(nameSchema).max(64).default([]).describe("Names of the streams of standard normal noise."),
  constants: z.record(nameSchema, constantSchema).default({}),
  state: z.record(nameSchema, stateSchema).default({}),
  graphs: z.record(nameSchema, graphSchema),
  pipeline: pipelineSchema,
  referenceFrames: referenceFramesSchema.optional(),
});
