import { inferenceConfig, type InferenceConfigInput } from "../../model/inference-config.ts";
import { DreamloopError, ERROR_CODES } from "../../foundation/dreamloop-error.ts";
import { userInputSchema, type UserInputSchemaInput } from "../../inputs/user-input-schema.ts";
import { sessionDescription, type SessionDescriptionInput } from "../../model/session-description.ts";
import { RUN_OUTCOMES } from "../../rollout/run-observer.ts";
import { timeWindow, type TimeWindowInput } from "../../foundation/time/time-window.ts";
import {
  finite,
  flag,
  jsonMapping,
  listOf,
  mapping,
  mappingOf,
  optional,
  refuse,
  text,
  withDefault,
  type Json,
  type Reader,
} from "../../foundation/validate/reader.ts";
import { made, shape, type FieldReaders } from "../../foundation/validate/record.ts";
import { contentAddress } from "../../snapshot/content/content-address.ts";
import { storedValue, type StoredValue } from "../value/resolve-value.ts";
import {
  TRACE_FORMAT,
  TRACE_FORMAT_VERSION,
  OLDEST_TRACE_FORMAT_VERSION,
  type TraceFork,
  type TraceOrigin,
  type TraceRewind,
  type TraceEvent,
  type TraceExactness,
  type TraceFooter,
  type TraceHeader,
  type TracePause,
  type TraceReset,
  type TraceStep,
  type TraceTolerance,
  type TraceUpdate,
} from "./trace-records.ts";

/** A step as its own line has it, without the lines that belong to it. */
export type TraceStepLine = Omit<TraceStep, "events" | "rewind" | "resets" | "update"> & {
  /** Lines of events that come before it. */
  readonly eventCount: number;
};

/** One line of a trace. */
export type TraceRecord =
  | ({ readonly type: "header" } & TraceHeader)
  | ({ readonly type: "event" } & TraceEvent)
  | ({ readonly type: "reset" } & TraceReset)
  | ({ readonly type: "rewind" } & TraceRewind)
  | ({ readonly type: "fork" } & TraceFork)
  | ({ readonly type: "update" } & TraceUpdate)
  | ({ readonly type: "step" } & TraceStepLine)
  | ({ readonly type: "pause" } & TracePause)
  | ({ readonly type: "footer" } & TraceFooter)
  | ({ readonly type: "tolerance" } & TraceTolerance);

/** The names of the kinds of lines. */
export type TraceRecordType = TraceRecord["type"];

const count = finite({ integer: true, min: 0 });
const seconds = finite({ min: 0 });
const EMPTY: StoredValue = Object.freeze({ json: Object.freeze({}), arrays: Object.freeze([]) });

const storedMapping: Reader<StoredValue> = (value, path) => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) refuse(path, "a mapping", value);
  return storedValue(value as Json, path);
};

const frameHash: Reader<string> = (value, path) =>
  typeof value === "string" && /^[0-9a-f]{64}$/.test(value) ? value : refuse(path, "64 hexadecimal digits", value);

/** Reads the known fields of a mapping and leaves out the others, which a newer version may have added. */
function known<T extends object>(fields: FieldReaders<T>): Reader<T> {
  const names = Object.keys(fields);
  const read = shape(fields);
  return (value, path) => {
    const given = mapping(value, path);
    return read(Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name))), path);
  };
}

const RECORD_READERS: { readonly [Type in TraceRecordType]: Reader<Omit<TraceRecord & { type: Type }, "type">> } = {
  header: known<TraceHeader>({
    formatVersion: finite({ integer: true, min: 1 }),
    dreamloopVersion: text({ maxLength: 128 }),
    recordedAt: optional(text({ maxLength: 64 })),
    worldId: text({ maxLength: 200 }),
    seed: count,
    config: made((value) => inferenceConfig(value as InferenceConfigInput)),
    candidateIndex: count,
    versions: mappingOf(text({ maxLength: 4096 })),
    runtimeFacts: jsonMapping,
    description: made((value) => sessionDescription(value as SessionDescriptionInput)),
    sourceSchema: made((value) => userInputSchema(value as UserInputSchemaInput)),
    requestedInputs: storedMapping,
    initialInputs: optional(contentAddress),
    modelInputsRecorded: flag,
    frameHash: text({ maxLength: 64 }),
    environment: jsonMapping,
    exactness: known<TraceExactness>({ promised: flag, reason: optional(text({ maxLength: 4096 })) }),
    origin: optional(
      known<TraceOrigin>({
        generation: count,
        stepIndex: count,
        sessionSeconds: seconds,
        moment: optional(contentAddress),
      }),
    ),
  }),
  event: known<TraceEvent>({
    timestampSeconds: seconds,
    eventType: text({ maxLength: 128 }),
    payload: withDefault(storedMapping, EMPTY),
    source: optional(text({ maxLength: 128 })),
    sourceEventId: optional(text({ maxLength: 256 })),
  }),
  reset: known<TraceReset>({
    stepNumber: count,
    generation: count,
    seed: count,
    timestampSeconds: seconds,
    clearedDeltas: count,
    initialInputs: optional(contentAddress),
  }),
  rewind: known<TraceRewind>({
    stepNumber: count,
    generation: count,
    toGeneration: count,
    stepIndex: count,
    seed: count,
    timestampSeconds: seconds,
    clearedDeltas: count,
  }),
  fork: known<TraceFork>({ stepNumber: count, generation: count, stepIndex: count }),
  update: known<TraceUpdate>({ stepNumber: count, values: storedMapping }),
  step: known<TraceStepLine>({
    stepNumber: count,
    generation: count,
    stepIndex: count,
    window: made((value) => timeWindow(value as TimeWindowInput)),
    eventCount: count,
    inputSequence: optional(count),
    modelInputs: optional(contentAddress),
    modelInputsNote: optional(text()),
    canonicalSources: withDefault(mappingOf(text({ maxLength: 128 })), Object.freeze({})),
    frameCount: count,
    frameHashes: optional(listOf(frameHash, { max: 16_384 })),
    discarded: withDefault(flag, false),
  }),
  pause: known<TracePause>({ stepNumber: count, paused: flag, timestampSeconds: seconds }),
  footer: known<TraceFooter>({
    outcome: (value, path) =>
      Object.values(RUN_OUTCOMES).find((outcome) => outcome === value) ??
      refuse(path, `one of ${Object.values(RUN_OUTCOMES).join(", ")}`, value),
    stepCount: count,
    frameCount: count,
    eventCount: count,
    resetCount: count,
    stillRunning: optional(flag),
  }),
  tolerance: known<TraceTolerance>({
    comparedRuns: finite({ integer: true, min: 1 }),
    stepCount: count,
    frameCount: count,
    maxDifference: finite({ min: 0, max: 255 }),
    meanDifference: finite({ min: 0, max: 255 }),
    minPsnrDecibels: optional(finite()),
    environment: jsonMapping,
  }),
};

/** Reads one line that has been parsed; throws `trace_invalid` or `invalid_value` naming the field. */
export function readTraceRecord(parsed: unknown): TraceRecord {
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) refuse("trace", "a mapping", parsed);
  const { type, ...fields } = parsed as { readonly type?: unknown } & Record<string, unknown>;
  if (typeof type !== "string" || !Object.hasOwn(RECORD_READERS, type)) {
    refuse("type", `one of ${Object.keys(RECORD_READERS).join(", ")}`, type);
  }
  if (type === "header") requireFormat(fields);
  const read: Reader<object> = RECORD_READERS[type as TraceRecordType];
  return { ...read(fields, type), type } as TraceRecord;
}

/** A version that this reader does not know is refused before its fields are looked at. */
function requireFormat(fields: Record<string, unknown>): void {
  if (fields.format !== TRACE_FORMAT) refuse("header.format", JSON.stringify(TRACE_FORMAT), fields.format);
  const { formatVersion } = fields;
  const isKnown =
    Number.isInteger(formatVersion) &&
    (formatVersion as number) >= OLDEST_TRACE_FORMAT_VERSION &&
    (formatVersion as number) <= TRACE_FORMAT_VERSION;
  if (isKnown) return;
  throw new DreamloopError(
    ERROR_CODES.traceInvalid,
    `header.formatVersion: expected ${OLDEST_TRACE_FORMAT_VERSION} to ${TRACE_FORMAT_VERSION}, found ${String(formatVersion)}; read it with the version of Dreamloop that recorded it (${String(fields.dreamloopVersion)})`,
  );
}
