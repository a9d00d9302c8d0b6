import { z } from "zod";
import { dtypeSchema, nameSchema, portNameSchema } from "./tensor-schema.ts";

const reference = z.string().min(1).max(300);

/** Where the numbers of a graph input come from. */
export const sourceSchema = z
  .union([
    z.number(),
    reference,
    z.strictObject({
      from: reference.describe("A counter: state:NAME/position, state:NAME/positions, runtime:step_index or the like."),
      modulo: z
        .int()
        .min(1)
        .max(Number.MAX_SAFE_INTEGER)
        .optional()
        .describe("The counter starts again at 0 when it reaches this."),
      extend: z
        .int()
        .min(1)
        .max(65_536)
        .optional()
        .describe("For mask and positions: as many entries more, for what is about to be appended."),
    }),
  ])
  .meta({
    id: "Source",
    description: "A number for every element, a reference such as state:keys, or a counter with a modulo.",
  });

/** Where an output goes: one place or several. */
export const targetsSchema = z
  .union([reference, z.array(reference).min(1).max(16)])
  .meta({ id: "Targets", description: "value:NAME, state:NAME or frames, or a list of them." });

const conditions = {
  when: reference.optional().describe("initial:NAME; runs only when that input was given."),
  unless: reference.optional().describe("initial:NAME; runs only when that input was not given."),
};

/** Runs one graph. */
export const graphItemSchema = z.strictObject({
  type: z.literal("graph"),
  graph: nameSchema,
  ...conditions,
  inputs: z.record(portNameSchema, sourceSchema).describe("A source for every input of the graph."),
  outputs: z.record(portNameSchema, targetsSchema).describe("A target for each output that is wanted."),
});

const levelSchema = z.number().min(-1).max(1_000_000);

const settingsSchema = z
  .record(nameSchema, z.union([z.number(), z.string().max(64)]))
  .default({})
  .describe("Settings of the sampler. Default its own.");

const scheduleSchema = z.union([
  z.array(levelSchema).min(2).max(1001),
  z.strictObject({
    karras: z
      .strictObject({
        steps: z.int().min(1).max(1000).describe("Denoising steps."),
        least: z.number().positive().max(1_000_000).describe("The last level before 0."),
        greatest: z.number().positive().max(1_000_000).describe("The first level."),
        rho: z.number().positive().max(100).default(7).describe("How much of the steps lies at low levels. Default 7."),
      })
      .describe("The levels of Karras et al. (2022), equation 5, and a last one of 0."),
  }),
]);

const branchSchema = z.strictObject({
  scale: z
    .union([z.number().min(-1000).max(1000), reference])
    .describe("1 is no guidance; greater pushes away from the other prediction. A reference is read in each step."),
  inputs: z
    .record(portNameSchema, sourceSchema)
    .describe("Inputs that differ in this prediction, such as the embedding of an empty prompt."),
});

/** Turns noise into a latent by calling a denoising graph several times. */
export const sampleItemSchema = z.strictObject({
  type: z.literal("sample"),
  ...conditions,
  sampler: nameSchema.default("flow_matching").describe("Name of the sampler. Default flow_matching."),
  latent: reference.describe("What sampling starts from, usually noise:NAME."),
  graph: nameSchema.describe("The denoising graph."),
  inputs: z
    .record(portNameSchema, sourceSchema)
    .describe("A source for every input; sampler:latent, sampler:level and sampler:index are known here."),
  prediction: portNameSchema.describe("The graph's output that the sampler uses."),
  output: targetsSchema.describe("Where the finished latent goes."),
  settings: settingsSchema,
  context: z
    .strictObject({
      from: reference.describe("The frames before, clean or brought to the level by add_noise."),
      axis: z.int().min(0).max(7).describe("The axis of frames in the graph's latent input."),
      level: levelSchema.describe("The level that sampler:levels tells for them."),
    })
    .optional()
    .describe("Frames that the graph sees before those that are sampled; only the latter change. Absent: none."),
  schedules: z
    .array(scheduleSchema)
    .min(1)
    .max(64)
    .describe("Lists of noise levels, one for each number of denoising steps that may be asked for."),
  defaultSteps: z.int().min(1).max(1000).describe("Denoising steps unless the configuration says otherwise."),
  guidance: z
    .union([
      branchSchema,
      z.strictObject({
        branches: z.array(branchSchema).min(1).max(8).describe("Further predictions, each with a scale of its own."),
        rescale: z
          .union([z.number().min(0).max(1), reference])
          .default(0)
          .describe("How much of the result's deviation is brought back to that of the prediction, 0 to 1. Default 0."),
      }),
    ])
    .optional()
    .describe("Classifier-free guidance: further predictions for each denoising step. Absent: none."),
});

/** Brings a finished latent back to a noise level. */
export const addNoiseItemSchema = z.strictObject({
  type: z.literal("add_noise"),
  ...conditions,
  sampler: nameSchema.default("flow_matching").describe("The sampler whose rule holds. Default flow_matching."),
  settings: settingsSchema,
  latent: reference.describe("The clean latent."),
  noise: reference.describe("Usually noise:NAME."),
  level: levelSchema.describe("The noise level."),
  output: targetsSchema,
});

/** Copies a tensor. */
export const setItemSchema = z.strictObject({
  type: z.literal("set"),
  ...conditions,
  from: reference.describe("The source."),
  to: targetsSchema,
});

const axis = z.int().min(-8).max(7);
const length = z.int().min(1).max(1_000_000_000);

/** One change of a tensor; each has exactly one of these keys. */
export const tensorOpSchema = z
  .union([
    z.strictObject({ reshape: z.array(z.union([length, z.literal(-1)])).max(8) }),
    z.strictObject({ transpose: z.array(z.int().min(0).max(7)).max(8) }),
    z.strictObject({ squeeze: axis }),
    z.strictObject({ unsqueeze: axis }),
    z.strictObject({ expand: z.array(length).max(8) }),
    z.strictObject({ tile: z.array(z.int().min(1).max(65_536)).max(8) }),
    z.strictObject({
      slice: z.strictObject({ axis, start: z.int().default(0), end: z.int().optional() }),
    }),
    z.strictObject({ scale: z.number(), offset: z.number().default(0) }),
    z.strictObject({ clamp: z.tuple([z.number(), z.number()]) }),
    z.strictObject({ cast: dtypeSchema }),
  ])
  .meta({
    id: "TensorOp",
    description:
      "One of reshape, transpose, squeeze, unsqueeze, expand, tile, slice, scale (with offset), clamp and cast, alone in its object.",
  });

/** Changes a tensor without a graph. */
export const transformItemSchema = z.strictObject({
  type: z.literal("transform"),
  ...conditions,
  from: reference.describe("The source."),
  do: z.array(tensorOpSchema).min(1).max(32).describe("What is done with it, in this order."),
  to: targetsSchema,
});

/** Joins tensors along an axis. */
export const concatItemSchema = z.strictObject({
  type: z.literal("concat"),
  ...conditions,
  from: z.array(reference).min(2).max(64).describe("The sources, equal but for their length along the axis."),
  axis: axis.describe("The axis, from 0; negative ones count from the last."),
  to: targetsSchema,
});

/** One item of a pipeline. */
export const itemSchema = z
  .discriminatedUnion("type", [
    graphItemSchema,
    sampleItemSchema,
    addNoiseItemSchema,
    setItemSchema,
    transformItemSchema,
    concatItemSchema,
  ])
  .meta({ id: "Item", description: "One item of a pipeline." });

const items = z.array(itemSchema).max(256);

/** When which items run. */
export const pipelineSchema = z.strictObject({
  condition: items
    .default([])
    .describe("Runs at the start, and again in part when an update changes an initial input that an item depends on."),
  start: items.default([]).describe("Runs once when a rollout starts or is reset; may write state."),
  step: items.min(1).describe("Runs in each step; must write frames."),
  finalize: items.default([]).describe("Runs after the frames of a step are on their way; may write state."),
  firstStep: items.min(1).optional().describe("Runs instead of step in the first step."),
  firstFinalize: items.optional().describe("Runs instead of finalize after the first step."),
});
