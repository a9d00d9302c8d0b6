import { z } from "zod";
import { nameSchema, pathSchema, portNameSchema, portSchema, textSchema } from "./tensor-schema.ts";

/** What a graph is for; named in statistics. */
export const GRAPH_ROLES = {
  /** Turns an encoded prompt into an embedding. */
  prompt: "prompt",
  /** Turns a picture into a latent. */
  encode: "encode",
  /** Turns the inputs of a step into what the other graphs are conditioned on. */
  condition: "condition",
  /** Predicts velocity or noise for one denoising step. */
  denoise: "denoise",
  /** Makes the next frames in one go. */
  step: "step",
  /** Computes what is kept of a finished step, such as keys and values. */
  cache: "cache",
  /** Turns a latent into frames. */
  decode: "decode",
  /** Anything else. */
  other: "other",
} as const;

/** One of `GRAPH_ROLES`. */
export type GraphRole = (typeof GRAPH_ROLES)[keyof typeof GRAPH_ROLES];

/** One ONNX graph: its file and its interface. */
export const graphSchema = z.strictObject({
  role: z.enum(GRAPH_ROLES).describe("What the graph is for; named in statistics."),
  file: pathSchema.describe("The .onnx file, its weights kept as external data in other files of the bundle."),
  description: textSchema.optional(),
  stripPrefix: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe("Prefix that a compile wrapper put before the graph's input and output names, such as _orig_mod."),
  inputs: z.record(portNameSchema, portSchema).describe("Every input of the graph by name (without the prefix)."),
  outputs: z.record(portNameSchema, portSchema).describe("The outputs that are used, by name (without the prefix)."),
});

const fillOrConstant = z.union([z.number(), nameSchema]);

/** A state tensor that each step replaces. */
export const replacedStateSchema = z.strictObject({
  update: z.literal("replace"),
  dtype: portSchema.shape.dtype,
  shape: z.array(z.int().min(1)).max(8).describe("Length of each axis."),
  initial: fillOrConstant
    .default(0)
    .describe("Content at the start: a number for every element, or the name of a constant. Default 0."),
  unit: portSchema.shape.unit,
  description: textSchema.optional(),
});

/** How a full-size cache is laid out along its axis. */
export const CACHE_ALIGNMENTS = {
  /** The newest entry is always the last one. */
  end: "end",
  /** The oldest entry is always the first one. */
  start: "start",
  /** Entries stay where they are; a new one takes the place of the oldest. */
  ring: "ring",
} as const;

/** One of `CACHE_ALIGNMENTS`. */
export type CacheAlignment = (typeof CACHE_ALIGNMENTS)[keyof typeof CACHE_ALIGNMENTS];

const units = z.int().min(1).max(1_000_000_000);

/** A state tensor to which steps append entries, of which a window is kept. */
export const appendedStateSchema = z.strictObject({
  update: z.literal("append"),
  dtype: portSchema.shape.dtype,
  shape: portSchema.shape.shape.describe(
    'Length of each axis; along "axis" it is window + sink, or "any" with padding none.',
  ),
  axis: z.int().min(0).max(7).describe("The axis that entries are appended on, from 0."),
  window: units.describe("Newest entries that are kept."),
  sink: z.int().min(0).max(1_000_000_000).default(0).describe("First entries that are kept for ever. Default 0."),
  align: z
    .enum(CACHE_ALIGNMENTS)
    .default("end")
    .describe("Where the valid entries lie while there are few. Default end."),
  padding: z
    .enum(["zeros", "none"])
    .default("zeros")
    .describe("zeros: graphs get the whole window with zeros where nothing is yet; none: valid entries only."),
  entriesPerFrame: units.default(1).describe("Entries that one frame takes; cache policies count frames. Default 1."),
  fullLimit: units
    .optional()
    .describe("With padding none: entries that cache policy full keeps before the rollout is complete."),
  unit: portSchema.shape.unit,
  description: textSchema.optional(),
});

/** A state tensor. */
export const stateSchema = z.discriminatedUnion("update", [replacedStateSchema, appendedStateSchema]);

/** A tensor that never changes. */
export const constantSchema = z.strictObject({
  dtype: portSchema.shape.dtype,
  shape: z.array(z.int().min(1)).max(8).describe("Length of each axis."),
  data: z.array(z.number()).max(65_536).optional().describe("The elements, the last axis varying fastest."),
  file: pathSchema.optional().describe("Instead of data: a file with the elements, little-endian and nothing else."),
  unit: portSchema.shape.unit,
  description: textSchema.optional(),
});
