import { FRAME_LAYOUTS, UPDATE_POLICIES } from "@dreamloop/core";
import { MAX_PROMPT_SUGGESTIONS, MAX_SUGGESTION_LENGTH } from "@dreamloop/core/internal";
import { z } from "zod";
import { dtypeSchema, pathSchema, shapeSchema, textSchema, unitSchema } from "./tensor-schema.ts";

const shared = {
  dtype: dtypeSchema,
  shape: shapeSchema,
  description: textSchema.optional().describe("For people."),
};

const initial = {
  ...shared,
  required: z.boolean().default(true).describe("Whether it must be given unless it has a default. Default true."),
  updatePolicy: z
    .enum(UPDATE_POLICIES)
    .default("session_start")
    .describe("Whether it may change at a step boundary. Default session_start."),
};

/** How the words of a prompt become numbers. */
export const vocabularySchema = z.strictObject({
  words: z
    .record(z.string().min(1).max(128), z.int().min(0).max(2_147_483_647))
    .optional()
    .describe("Number of each word, in lower case."),
  file: pathSchema.optional().describe("Instead of words: a JSON file with an object of the same kind."),
  split: z
    .enum(["non_letters", "whitespace"])
    .default("non_letters")
    .describe("What separates words: everything that is no letter, or white space only. Default non_letters."),
  padding: z.int().min(0).max(2_147_483_647).default(0).describe("Number that fills up the tensor. Default 0."),
});

/** A prompt in words. */
export const promptInputSchema = z.strictObject({
  type: z.literal("prompt"),
  ...initial,
  vocabulary: vocabularySchema,
  default: textSchema.optional().describe("The prompt when none is given."),
  suggestions: z
    .array(z.string().min(1).max(MAX_SUGGESTION_LENGTH))
    .max(MAX_PROMPT_SUGGESTIONS)
    .optional()
    .describe("Whole prompts to offer, one for each thing worth seeing; every word has to be known. Default none."),
  conditioning: z
    .enum(["prompt", "negativePrompt"])
    .default("prompt")
    .describe("Which text of a prompt event changes it. Default prompt."),
});

/** One of several named conditions. */
export const choiceInputSchema = z.strictObject({
  type: z.literal("choice"),
  ...initial,
  choices: z
    .record(z.string().min(1).max(128), z.array(z.number()).min(1).max(65_536))
    .describe("The numbers of the tensor for each name, such as a one-hot vector."),
  default: z.string().optional().describe("The choice when none is given."),
});

/** A picture. */
export const imageInputSchema = z.strictObject({
  type: z.literal("image"),
  ...initial,
  layout: z.enum(["chw", "hwc"]).describe("Whether planes or pixels are stored one after the other."),
  range: z.enum(["unit", "signed", "full"]).describe("Black and white: 0 and 1, -1 and 1, or 0 and 255."),
});

const origin = z
  .enum(["domain", "caller"])
  .default("caller")
  .describe("Whether the domain or the caller supplies it. Default caller.");

/** Numbers that are given as they are. */
export const initialTensorSchema = z.strictObject({
  type: z.literal("tensor"),
  ...initial,
  from: origin,
  unit: unitSchema.optional(),
  default: z.number().optional().describe("Every element when nothing is given."),
});

/** An input that starts a rollout. */
export const initialInputSchema = z.discriminatedUnion("type", [
  promptInputSchema,
  choiceInputSchema,
  imageInputSchema,
  initialTensorSchema,
]);

/** Numbers that come with each step as they are. */
export const stepTensorSchema = z.strictObject({
  type: z.literal("tensor"),
  ...shared,
  from: origin,
  unit: unitSchema.optional(),
  modality: z.string().min(1).max(128).optional().describe("The modality behind it, for people and pickers."),
  neutral: z.number().optional().describe("Every element when nothing is given: the neutral action in the given unit."),
});

/** One number made from a canonical value. */
export const componentSchema = z.strictObject({
  from: z
    .string()
    .regex(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_]+$/, "a modality and a field, such as driver_command.steer")
    .optional()
    .describe("A field of a modality, such as driver_command.steer; true counts as 1, false as 0."),
  action: z.string().min(1).max(128).optional().describe("Instead of from: an action; 1 while it is held, else 0."),
  scale: z.number().default(1).describe("Physical value = canonical value × scale + offset. Default 1."),
  offset: z.number().default(0).describe("See scale. Default 0."),
  unit: unitSchema.describe("Unit of the physical value."),
  neutral: z.number().describe("The physical value of the neutral action."),
  mean: z.number().default(0).describe("Model value = (physical value − mean) ÷ deviation. Default 0."),
  deviation: z.number().positive().default(1).describe("See mean. Default 1."),
});

/** A vector of named components. */
export const vectorInputSchema = z.strictObject({
  type: z.literal("vector"),
  ...shared,
  components: z.array(componentSchema).min(1).max(4096),
});

/** A number that stands for which actions are held. */
export const discreteInputSchema = z.strictObject({
  type: z.literal("discrete"),
  ...shared,
  encoding: z.enum(["index", "one_hot"]).describe("The number itself, or a vector with 1 at its place."),
  cases: z
    .array(
      z.strictObject({
        held: z.array(z.string().min(1).max(128)).min(1).max(32).describe("Actions that must all be held."),
        value: z.int().min(0).max(65_535),
      }),
    )
    .min(1)
    .max(4096)
    .describe("The first case whose actions are all held counts."),
  neutral: z.int().min(0).max(65_535).describe("The number when no case holds: the neutral action."),
});

/** An input of each step. */
export const stepInputSchema = z.discriminatedUnion("type", [stepTensorSchema, vectorInputSchema, discreteInputSchema]);

/** Order of the axes of the frames. */
export const frameLayoutSchema = z.enum(FRAME_LAYOUTS);
