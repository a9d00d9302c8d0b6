import { BACKENDS, ERROR_CODES, MODALITIES, PRECISIONS, type ConditioningField } from "@dreamloop/core";
import { z } from "zod";
import { MAX_SLOTS } from "./limits.ts";

/* Fields that a newer peer adds are left out by these schemas and not refused. */

const words = (most: number, letters: number) => z.array(z.string().max(letters)).max(most);
const count = (most: number) => z.number().int().min(1).max(most);
const index = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const json = z.json();
const facts = z.record(z.string().max(200), json);

const modality = z.enum(Object.keys(MODALITIES) as [keyof typeof MODALITIES]);
const CONDITIONING_PARTS = {
  prompt: "prompt",
  negativePrompt: "negativePrompt",
  image: "image",
  textEvent: "textEvent",
  textEvents: "textEvents",
} as const satisfies { readonly [Part in ConditioningField]: Part };
const conditioning = z.enum(CONDITIONING_PARTS);

const inputBase = {
  name: z.string().min(1).max(128),
  optional: z.boolean().default(false),
  live: z.union([z.boolean(), conditioning]).default(false),
  description: z.string().max(4000).default(""),
};

/** One input or option of a world: its name, what it may be and what stands in when none is given. */
export const describedInputSchema = z.discriminatedUnion("kind", [
  z.object({
    ...inputBase,
    kind: z.literal("text"),
    maxLength: count(1_000_000).default(4000),
    default: z.string().optional(),
  }),
  z.object({
    ...inputBase,
    kind: z.literal("number"),
    min: z.number().optional(),
    max: z.number().optional(),
    integer: z.boolean().default(false),
    default: z.number().optional(),
  }),
  z.object({ ...inputBase, kind: z.literal("flag"), default: z.boolean().optional() }),
  z.object({
    ...inputBase,
    kind: z.literal("choice"),
    values: z.array(z.string().min(1).max(4000)).min(1).max(1000),
    default: z.string().optional(),
  }),
  z.object({ ...inputBase, kind: z.literal("image"), width: count(16_384), height: count(16_384) }),
  z.object({ ...inputBase, kind: z.literal("value"), default: json.optional() }),
]);

/** One input or option of a world. */
export type DescribedInput = z.output<typeof describedInputSchema>;

/** Size, rate and determinism of the frames; they travel as packed 8-bit RGB. */
export const describedVideoSchema = z.object({
  width: count(16_384),
  height: count(16_384),
  framesPerSecond: z.number().positive().max(1000),
  framesPerStep: count(16_384),
  firstStepFrames: count(16_384),
  inputLatencySteps: z.number().int().min(0).max(1000),
  deterministic: z.boolean(),
});

/** Size, rate and determinism of the frames. */
export type DescribedVideo = z.output<typeof describedVideoSchema>;

/** A world as it describes itself before anything heavy loads. */
export const describedWorldSchema = z.object({
  id: z.string().trim().min(1).max(200),
  version: z.string().min(1).max(64),
  title: z.string().max(200).default(""),
  description: z.string().max(4000).default(""),
  /** Absent when it depends on the options. */
  video: describedVideoSchema.nullable(),
  initial: z.array(describedInputSchema).max(256),
  /** Inputs of each step beside the controls, made by a mapping on the driver's side. */
  step: z.array(describedInputSchema).max(256).default([]),
  alternatives: z.array(words(64, 128).min(1)).max(64).default([]),
  options: z.array(describedInputSchema).max(256).default([]),
  controls: z.record(z.string().min(1).max(128), modality),
  optionalControls: z.record(z.string().min(1).max(128), modality).default({}),
  actions: z.record(z.string().min(1).max(64), words(32, 64).min(1)).default({}),
  promptVocabulary: words(10_000, 200).default([]),
  promptSuggestions: words(24, 80).default([]),
  supports: z
    .object({
      backends: z.array(z.enum(BACKENDS)).max(8).optional(),
      devices: words(64, 200).optional(),
      precisions: z.array(z.enum(PRECISIONS)).max(8).optional(),
      modelOptions: words(16, 64).optional(),
    })
    .default({}),
  maxSessions: count(1024),
  maxSteps: count(Number.MAX_SAFE_INTEGER).nullable().default(null),
  capabilities: z.object({ finalize: z.boolean(), snapshots: z.boolean() }),
});

/** A world as it describes itself. */
export type DescribedWorld = z.output<typeof describedWorldSchema>;

/** What answers `describe`. */
export const describeReplySchema = z.object({ world: describedWorldSchema, files: words(10_000, 8192).default([]) });

/** What answers `load`. */
export const loadReplySchema = z.object({
  video: describedVideoSchema,
  facts,
  /** Absent when frames travel through the socket. */
  slots: z
    .object({ bytes: count(4_294_967_296), most: count(MAX_SLOTS) })
    .nullable()
    .default(null),
  files: words(10_000, 8192).default([]),
});

/** What answers `load`. */
export type LoadReply = z.output<typeof loadReplySchema>;

/** Where a rollout is; part of every answer about a session. */
export const sessionStatusSchema = z.object({ stepIndex: index, isComplete: z.boolean() });

/** Where a rollout is. */
export type SessionStatus = z.output<typeof sessionStatusSchema>;

const metric = z.object({
  name: z.string().min(1).max(200),
  value: z.number(),
  unit: z.string().min(1).max(32),
  category: z.enum(["lifecycle", "timing", "memory", "throughput", "transport", "quality", "runtime"]),
});

/** What answers `step`: `frames` names the slot they lie in, or says how many bytes of them follow the header. */
export const stepReplySchema = sessionStatusSchema.extend({
  index,
  frameCount: count(16_384),
  frames: z.object({
    slot: z
      .number()
      .int()
      .min(0)
      .max(MAX_SLOTS - 1)
      .optional(),
    bytes: z.number().int().min(1),
  }),
  metadata: z.record(z.string(), json).default({}),
  metrics: z.array(metric).max(256).default([]),
});

/** What answers `step`. */
export type StepReply = z.output<typeof stepReplySchema>;

/** What answers `snapshot`; the bytes follow the header. */
export const snapshotReplySchema = z.object({ bytes: index });

const errorCode = z.enum(ERROR_CODES).catch(ERROR_CODES.internal);

/** A refusal or failure, with the traceback of the world's own code where that is to blame. */
export const errorRecordSchema = z.object({
  code: errorCode,
  message: z.string().max(16_000),
  retryable: z.boolean().default(false),
  details: z.record(z.string(), json).default({}),
  traceback: z.string().max(64_000).optional(),
});

/** A refusal or failure. */
export type WorldErrorRecord = z.output<typeof errorRecordSchema>;

/** Everything that a world's side says. */
export const fromWorldSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("hello"), protocol: z.number().int(), facts: facts.default({}) }),
  z.object({ type: z.literal("result"), id: index, value: z.record(z.string(), z.unknown()) }),
  z.object({ type: z.literal("error"), id: index, error: errorRecordSchema }),
  z.object({
    type: z.literal("progress"),
    id: index,
    stage: z.string().max(200),
    fraction: z.number().min(0).max(1).optional(),
  }),
  z.object({ type: z.literal("log"), level: z.enum(["info", "warning"]), text: z.string().max(8000) }),
  z.object({ type: z.literal("pong"), id: index }),
]);

/** Everything that a world's side says. */
export type FromWorld = z.output<typeof fromWorldSchema>;

const values = z.record(z.string(), z.unknown());
const session = { id: index, session: index };
const numbered = { ...session, number: index };

/** Everything that the driver's side says. */
export const toWorldSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("hello"), protocol: z.tuple([index, index]) }),
  z.object({ type: z.literal("describe"), id: index }),
  z.object({ type: z.literal("load"), id: index, config: values }),
  z.object({ type: z.literal("open"), ...session, seed: index, initial: values }),
  z.object({ type: z.literal("step"), ...numbered, step: values, update: values }),
  z.object({ type: z.literal("finalize"), ...numbered }),
  z.object({ type: z.literal("discard"), ...numbered }),
  z.object({ type: z.literal("reset"), ...numbered, seed: index.optional(), initial: values.optional() }),
  z.object({ type: z.literal("snapshot"), ...session }),
  z.object({ type: z.literal("restore"), ...numbered, seed: index.optional() }),
  z.object({ type: z.literal("close"), ...session }),
  z.object({ type: z.literal("cancel"), id: index }),
  z.object({ type: z.literal("release"), slots: z.array(index).max(MAX_SLOTS) }),
  z.object({ type: z.literal("ping"), id: index }),
  z.object({ type: z.literal("bye") }),
]);

/** Everything that the driver's side says. */
export type ToWorld = z.output<typeof toWorldSchema>;
