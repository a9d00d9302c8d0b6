import type { z } from "zod";
import type { appendedStateSchema, constantSchema, graphSchema, stateSchema } from "./graph-schema.ts";
import type {
  choiceInputSchema,
  componentSchema,
  discreteInputSchema,
  imageInputSchema,
  initialInputSchema,
  promptInputSchema,
  stepInputSchema,
  vectorInputSchema,
} from "./input-schema.ts";
import type {
  addNoiseItemSchema,
  concatItemSchema,
  graphItemSchema,
  itemSchema,
  sampleItemSchema,
  setItemSchema,
  sourceSchema,
  targetsSchema,
  tensorOpSchema,
  transformItemSchema,
} from "./pipeline-schema.ts";
import type { referenceEnvironmentSchema, referenceFramesSchema } from "./reference-schema.ts";
import type { portSchema } from "./tensor-schema.ts";
import type { worldManifestSchema } from "./world-schema.ts";

/** A manifest that has passed the schema, with its defaults filled in. The page docs/bundles.md explains every key. */
export type WorldManifest = z.output<typeof worldManifestSchema>;

/** A manifest as someone writes it: keys with a default may be left out. */
export type WorldManifestInput = z.input<typeof worldManifestSchema>;

/** One graph of a manifest. */
export type GraphDeclaration = z.output<typeof graphSchema>;

/** One input or output of a graph. */
export type PortDeclaration = z.output<typeof portSchema>;

/** One state tensor. */
export type StateDeclaration = z.output<typeof stateSchema>;

/** A state tensor that steps append to. */
export type AppendedStateDeclaration = z.output<typeof appendedStateSchema>;

/** One constant. */
export type ConstantDeclaration = z.output<typeof constantSchema>;

/** One input that starts a rollout. */
export type InitialInputDeclaration = z.output<typeof initialInputSchema>;

/** A prompt in words. */
export type PromptDeclaration = z.output<typeof promptInputSchema>;

/** One of several named conditions. */
export type ChoiceDeclaration = z.output<typeof choiceInputSchema>;

/** A picture. */
export type ImageDeclaration = z.output<typeof imageInputSchema>;

/** One input of each step. */
export type StepInputDeclaration = z.output<typeof stepInputSchema>;

/** A vector of named components. */
export type VectorDeclaration = z.output<typeof vectorInputSchema>;

/** One component of a vector. */
export type ComponentDeclaration = z.output<typeof componentSchema>;

/** A number that stands for which actions are held. */
export type DiscreteDeclaration = z.output<typeof discreteInputSchema>;

/** One item of a pipeline. */
export type ItemDeclaration = z.output<typeof itemSchema>;

/** Runs one graph. */
export type GraphItemDeclaration = z.output<typeof graphItemSchema>;

/** Turns noise into a latent. */
export type SampleItemDeclaration = z.output<typeof sampleItemSchema>;

/** Brings a latent back to a noise level. */
export type AddNoiseItemDeclaration = z.output<typeof addNoiseItemSchema>;

/** Copies a tensor. */
export type SetItemDeclaration = z.output<typeof setItemSchema>;

/** Changes a tensor without a graph. */
export type TransformItemDeclaration = z.output<typeof transformItemSchema>;

/** Joins tensors along an axis. */
export type ConcatItemDeclaration = z.output<typeof concatItemSchema>;

/** One change of a tensor. */
export type TensorOpDeclaration = z.output<typeof tensorOpSchema>;

/** Where the numbers of a graph input come from. */
export type SourceDeclaration = z.output<typeof sourceSchema>;

/** Where an output goes. */
export type TargetsDeclaration = z.output<typeof targetsSchema>;

/** The frames that a world has to show when it is loaded. */
export type ReferenceFramesDeclaration = z.output<typeof referenceFramesSchema>;

/** What decides about the bits of a frame. */
export type ReferenceEnvironment = z.output<typeof referenceEnvironmentSchema>;
